internal import Glibc
internal import HarkWire

/// Reads the whole lines of an events file one after the other. It needs memory for a block and a line.
struct ArchiveLines {
    /// A line, with the id and number of its event.
    struct Line {
        let id: Identifier?
        let sequence: UInt64
        let bytes: ArraySlice<UInt8>
    }

    /// - Returns: False if the file cannot be opened.
    @discardableResult
    static func forEach<Failure: Error>(
        in path: String, _ body: (Line) throws(Failure) -> Void
    ) throws(Failure) -> Bool {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var rest: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 18)
        while true {
            let count = read(descriptor, &piece, piece.count)
            guard count > 0 else { return true }
            rest += piece[..<count]
            var start = rest.startIndex
            while let end = rest[start...].firstIndex(of: UInt8(ascii: "\n")) {
                let bytes = rest[start...end]
                if let sequence = AppendFile.sequence(inLine: bytes) {
                    let id = bytes.dropFirst(7).prefix(36).withUnsafeBufferPointer { Identifier(utf8: $0) }
                    try body(Line(id: id, sequence: sequence, bytes: bytes))
                }
                start = end + 1
            }
            rest.removeFirst(start)
        }
    }
}
