internal import Glibc
internal import HarkSystem

/// A file that only grows, by whole lines.
final class AppendFile {
    private let fd: Int32
    private let place: String

    /// - Parameter place: Names the file in errors.
    init(path: String, place: String, truncating: Bool = false) throws(SystemError) {
        self.place = place
        let flags = O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | (truncating ? O_TRUNC : 0)
        fd = try syscall("open", detail: place) { open(path, flags, 0o600) }
    }

    deinit { close(fd) }

    /// Appends and waits until it is on disk.
    func append(_ bytes: [UInt8]) throws(SystemError) {
        var done = 0
        while done < bytes.count {
            done += try syscall("write", detail: place) {
                bytes.withUnsafeBytes { write(fd, $0.baseAddress! + done, bytes.count - done) }
            }
        }
        _ = try syscall("fdatasync", detail: place) { fdatasync(fd) }
    }

    /// Puts a whole new file in the place of `path`, on disk with its name when this returns.
    ///
    /// Whoever opens the path sees the old content or the new, after a crash as well. The draft is `path.new`.
    static func replace(_ path: String, with bytes: [UInt8], place: String) throws(SystemError) {
        let draft = path + ".new"
        let file = try AppendFile(path: draft, place: place, truncating: true)
        try file.append(bytes)
        _ = try syscall("rename", detail: place) { rename(draft, path) }
        try syncFolder(path.lastIndex(of: "/").map { String(path[...$0]) } ?? ".", place: place)
    }

    /// Makes new names in a folder durable.
    static func syncFolder(_ path: String, place: String) throws(SystemError) {
        let fd = try syscall("open", detail: place) { open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        defer { close(fd) }
        _ = try syscall("fsync", detail: place) { fsync(fd) }
    }

    /// Cuts off a torn last line and returns the sequence number in the last whole one, 0 for none.
    func repairTail() throws(SystemError) -> UInt64 {
        let size = try syscall("lseek", detail: place) { lseek(fd, 0, SEEK_END) }
        var window = 65_536
        while true {
            let start = max(0, size - window)
            let tail = try read(from: start, count: size - start)
            let newline = tail.lastIndex(of: UInt8(ascii: "\n"))
            let lineStart = newline.flatMap { tail[..<$0].lastIndex(of: UInt8(ascii: "\n")) }.map { $0 + 1 }
            // A line may be longer than the window: look further back until a whole one is in sight.
            if lineStart == nil, start > 0 {
                window *= 4
                continue
            }
            let wholeEnd = newline.map { start + $0 + 1 } ?? 0
            if wholeEnd < size {
                _ = try syscall("ftruncate", detail: place) { ftruncate(fd, wholeEnd) }
            }
            guard let newline else { return 0 }
            return AppendFile.sequence(inLine: tail[(lineStart ?? 0)..<newline]) ?? 0
        }
    }

    private func read(from offset: Int, count: Int) throws(SystemError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var done = 0
        while done < count {
            let got = try syscall("pread", detail: place) {
                bytes.withUnsafeMutableBytes { pread(fd, $0.baseAddress! + done, count - done, offset + done) }
            }
            if got == 0 { break }
            done += got
        }
        return Array(bytes[..<done])
    }

    /// Lines begin with `{"id":"<36 characters>","seq":`, as `RecordView.write` has them.
    private static func sequence(inLine line: ArraySlice<UInt8>) -> UInt64? {
        let behindId = line.dropFirst(#"{"id":""#.utf8.count + 36)
        let label = Array(#"","seq":"#.utf8)
        guard behindId.starts(with: label) else { return nil }
        let digits = behindId.dropFirst(label.count).prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        return UInt64(String(decoding: digits, as: UTF8.self))
    }
}
