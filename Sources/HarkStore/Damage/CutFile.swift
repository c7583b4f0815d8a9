internal import Glibc

/// A store file that was truncated, which SQLite would refuse to read.
enum CutFile {
    /// Extends the file to the length in its header, so that the missing part becomes damaged pages, and only their
    /// content is lost.
    ///
    /// - Returns: a message, if anything was missing.
    static func fillUp(_ path: String) -> String? {
        // While there is a log, it may hold the missing part: the daemon may have been killed during a copy.
        var log = stat()
        if stat(path + "-wal", &log) == 0, log.st_size > 0 { return nil }
        let descriptor = open(path, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var status = stat()
        var header = [UInt8](repeating: 0, count: 100)
        guard fstat(descriptor, &status) == 0, pread(descriptor, &header, 100, 0) == 100,
            header.starts(with: "SQLite format 3\0".utf8), number(header, 24) == number(header, 92)
        else { return nil }
        let bytesOfPage = number(header, 16) >> 16
        let whole = number(header, 28) * (bytesOfPage == 1 ? 65_536 : bytesOfPage)
        guard status.st_size < whole, ftruncate(descriptor, whole) == 0, fsync(descriptor) == 0 else { return nil }
        return
            "\(path) was cut short: \(whole - Int(status.st_size)) of \(whole) bytes are missing, and what lay there is passed over: "
            + "'hark repair' restores what the archive tree has"
    }

    /// A big-endian number of four bytes.
    private static func number(_ bytes: [UInt8], _ place: Int) -> Int {
        bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
    }
}
