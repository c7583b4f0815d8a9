import Glibc

/// How full the file system of a path is.
package struct DiskSpace: Sendable, Equatable {
    package let totalBytes: UInt64
    /// What this process may still use; less than what is free, as some is kept for root.
    package let availableBytes: UInt64
    /// How many more files there can be; 0 on file systems that do not count.
    package let availableFiles: UInt64

    package init(of path: String) throws(SystemError) {
        var status = statvfs()
        try syscall("statvfs", detail: path) { statvfs(path, &status) }
        totalBytes = UInt64(status.f_blocks) * UInt64(status.f_frsize)
        availableBytes = UInt64(status.f_bavail) * UInt64(status.f_frsize)
        availableFiles = UInt64(status.f_favail)
    }
}
