/// The lines of what comes piece by piece.
package struct LineBuffer {
    private var bytes: [UInt8] = []
    /// Where the first line begins that was not taken.
    private var head = 0
    /// There is no newline between the head and here.
    private var scanned = 0

    package init() {}

    /// How many bytes were not taken.
    package var count: Int { bytes.count - head }

    /// How many lines were not taken.
    package var lines: Int { bytes[head...].count { $0 == UInt8(ascii: "\n") } }

    /// Has the next piece read, of 64 KiB at most, and gives what that gave: how many bytes have come, none if negative.
    package mutating func fill(_ read: (UnsafeMutableRawBufferPointer) throws -> Int) rethrows -> Int {
        bytes.removeFirst(head)
        scanned -= head
        head = 0
        let old = bytes.count
        let room = 1 << 16
        var came = 0
        bytes.append(contentsOf: repeatElement(0, count: room))
        defer { bytes.removeLast(room - max(0, came)) }
        came = try bytes.withUnsafeMutableBytes { try read(UnsafeMutableRawBufferPointer(rebasing: $0[old...])) }
        return came
    }

    /// Takes the next line, without its newline; nil where it has not come whole.
    package mutating func next() -> [UInt8]? {
        guard let newline = bytes[scanned...].firstIndex(of: UInt8(ascii: "\n")) else {
            scanned = bytes.count
            return nil
        }
        defer {
            head = newline + 1
            scanned = head
        }
        return Array(bytes[head..<newline])
    }
}
