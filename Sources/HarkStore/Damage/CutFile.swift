internal import Glibc

/// A file of a store that was cut short: SQLite would read nothing of it any more.
enum CutFile {
    /// Makes the file as long as it says itself that it is, so that what is missing is damaged pages, which cost what lay on them
    /// and no more.
    ///
    /// - Returns: what is to be told, if anything was missing.
    static func fillUp(_ path: String) -> String? {
        // While there is a log, what is missing may be in it: a run may have been killed while it was copied.
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
            + "'hark repair' brings back what the archive tree has"
    }

    /// Four bytes, the highest first.
    private static func number(_ bytes: [UInt8], _ place: Int) -> Int {
        bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
    }
}
