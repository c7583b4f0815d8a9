internal import Glibc
internal import HarkSystem

/// A file that only grows, by whole lines.
final class AppendFile {
    private let fd: Int32
    private let place: String

    /// - Parameters:
    ///   - place: Names the file in errors.
    ///   - isNew: What there is of it is thrown away.
    /// - Throws: ELOOP where its name is a link, which is never followed.
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

    /// How long it is.
    func size() throws(SystemError) -> Int { Int(try syscall("lseek", detail: place) { lseek(fd, 0, SEEK_END) }) }

    /// Appends, and waits until it is on disk unless somebody else sees to that.
    func append(_ bytes: [UInt8], isSynced: Bool) throws(SystemError) {
        try DurableFile.append(bytes, to: fd, isSynced: isSynced, place: place)
    }

    /// Cuts off what is damaged and returns the sequence number in the last whole line, 0 for none.
    ///
    /// Lines below `first` were synced before they were accounted for, and are whole. Of what comes behind them a loss of
    /// power may have left any part: the kernel writes pages in any order, so the last line can be there and others not.
    /// Where one is missing there are zeros; so the first line that is not whole is cut off, with all that follow.
    func repairTail(from first: UInt64) throws(SystemError) -> UInt64 {
        let size = try syscall("lseek", detail: place) { lseek(fd, 0, SEEK_END) }
        var window = AppendFile.firstWindow
        while true {
            let start = max(0, size - window)
            let tail = Tail(try read(from: start, count: size - start), isWholeFile: start == 0, from: first)
            // Look further back until what was synced is in sight. A file that was taken in from elsewhere may have none.
            if !tail.reachesSynced, window < AppendFile.lastWindow || tail.wholeEnd == nil, start > 0 {
                window *= 4
                continue
            }
            let end = tail.wholeEnd.map { start + $0 } ?? 0
            if end < size {
                _ = try syscall("ftruncate", detail: place) { ftruncate(fd, end) }
                // Else pages of what is written here next could, after one more loss of power, lie among those cut off.
                _ = try syscall("fdatasync", detail: place) { fdatasync(fd) }
            }
            return tail.last
        }
    }

    private static let firstWindow = 65_536
    /// Far more than is ever on its way to a file at a time.
    private static let lastWindow = 64 << 20

    /// The end of a file, looked at line by line.
    private struct Tail {
        /// Whether there is a line below the first that may be damaged.
        var reachesSynced: Bool
        /// Where the last whole line ends; nil if none begins here.
        var wholeEnd: Int?
        var last: UInt64 = 0

        init(_ bytes: [UInt8], isWholeFile: Bool, from first: UInt64) {
            reachesSynced = isWholeFile
            let newline = UInt8(ascii: "\n")
            // Lines are found from the end: what was synced need not be looked at.
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

    /// The number of a whole line, with the newline at its end; nil if any part of it is missing.
    ///
    /// Lines begin with `{"id":"<36 characters>","seq":`, as `RecordView.write` has them, and JSON has no zeros.
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
