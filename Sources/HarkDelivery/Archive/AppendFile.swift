internal import Glibc
internal import HarkSystem

/// An append-only file of lines.
final class AppendFile {
    private let fd: Int32
    private let place: String

    /// - Parameters:
    ///   - place: Names the file in errors.
    ///   - isNew: Whether existing content is discarded.
    /// - Throws: ELOOP if the path is a link, which is never followed.
    init(path: String, place: String, isNew: Bool = false) throws(SystemError) {
        self.place = place
        if isNew {
            fd = try DurableFile.openNew(path, flags: O_RDWR | O_APPEND, place: place)
        } else {
            fd = try syscall("open", detail: place) {
                open(path, O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0o600)
            }
        }
    }

    deinit { close(fd) }

    /// The size of the file in bytes.
    func size() throws(SystemError) -> Int { Int(try syscall("lseek", detail: place) { lseek(fd, 0, SEEK_END) }) }

    /// Appends, and waits until the bytes are on disk unless the caller syncs later.
    func append(_ bytes: [UInt8], isSynced: Bool) throws(SystemError) {
        try DurableFile.append(bytes, to: fd, isSynced: isSynced, place: place)
    }

    /// Cuts off damaged lines and returns the sequence number of the last whole line, 0 for none.
    ///
    /// Lines below `first` were synced before they were accounted for, and are whole. After a power loss, any part of
    /// the lines behind them may be missing: the kernel writes pages in any order, so the last line may exist and
    /// earlier ones not. Missing pages are zeros; so the file is cut at the first line that is not whole.
    func repairTail(from first: UInt64) throws(SystemError) -> UInt64 {
        let size = try syscall("lseek", detail: place) { lseek(fd, 0, SEEK_END) }
        var window = AppendFile.firstWindow
        while true {
            let start = max(0, size - window)
            let tail = Tail(try read(from: start, count: size - start), isWholeFile: start == 0, from: first)
            // Look further back until a synced line is in sight. A file taken over from elsewhere may have none.
            if !tail.reachesSynced, window < AppendFile.lastWindow || tail.wholeEnd == nil, start > 0 {
                window *= 4
                continue
            }
            let end = tail.wholeEnd.map { start + $0 } ?? 0
            if end < size {
                _ = try syscall("ftruncate", detail: place) { ftruncate(fd, end) }
                // Otherwise, after another power loss, new pages could lie among the ones that were cut off.
                _ = try syscall("fdatasync", detail: place) { fdatasync(fd) }
            }
            return tail.last
        }
    }

    private static let firstWindow = 65_536
    /// Far more than is ever written to a file at a time.
    private static let lastWindow = 64 << 20

    /// The end of a file, parsed into lines.
    private struct Tail {
        /// Whether it includes a line below the first that may be damaged.
        var reachesSynced: Bool
        /// The end of the last whole line; nil if no line begins here.
        var wholeEnd: Int?
        var last: UInt64 = 0

        init(_ bytes: [UInt8], isWholeFile: Bool, from first: UInt64) {
            reachesSynced = isWholeFile
            let newline = UInt8(ascii: "\n")
            // From the end, because synced lines need no check.
            var lines: [(range: Range<Int>, sequence: UInt64?)] = []
            var end = bytes.count
            while end > 0 {
                let before = bytes[..<(end - 1)].lastIndex(of: newline)
                guard before != nil || isWholeFile else { break }
                let range = (before.map { $0 + 1 } ?? 0)..<end
                let sequence = AppendFile.sequence(inLine: bytes[range])
                lines.append((range, sequence))
                if let sequence, sequence < first {
                    reachesSynced = true
                    break
                }
                end = range.lowerBound
            }
            wholeEnd = lines.last?.range.lowerBound
            for (range, sequence) in lines.reversed() {
                guard let sequence else { break }
                wholeEnd = range.upperBound
                last = sequence
            }
        }
    }

    private func read(from offset: Int, count: Int) throws(SystemError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var done = 0
        while done < count {
            let got = try syscall("pread", detail: place) {
                bytes.withUnsafeMutableBytes {
                    pread(fd, $0.baseAddress?.advanced(by: done), count - done, offset + done)
                }
            }
            if got == 0 { break }
            done += got
        }
        return Array(bytes[..<done])
    }

    /// The number of a whole line with its newline; nil if any part of it is missing.
    ///
    /// Lines begin with `{"id":"<36 characters>","seq":`, as `RecordView.write` writes them; JSON has no zeros.
    static func sequence(inLine line: ArraySlice<UInt8>) -> UInt64? {
        let behindId = line.dropFirst(#"{"id":""#.utf8.count + 36)
        let label = Array(#"","seq":"#.utf8)
        guard behindId.starts(with: label), line.suffix(2).elementsEqual("}\n".utf8), !line.contains(0) else {
            return nil
        }
        let digits = behindId.dropFirst(label.count).prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        return UInt64(String(decoding: digits, as: UTF8.self))
    }
}
