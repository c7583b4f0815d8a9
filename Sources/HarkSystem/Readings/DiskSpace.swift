import Glibc

/// The free space of a path's file system.
package struct DiskSpace: Sendable, Equatable {
    package let totalBytes: UInt64
    /// The bytes that this process may use; less than the free bytes, because some are reserved for root.
    package let availableBytes: UInt64
    /// The number of files that can still be created; 0 if the file system does not count.
    package let availableFiles: UInt64

    package init(of path: String) throws(SystemError) {
        var status = statvfs()
        try syscall("statvfs", detail: path) { statvfs(path, &status) }
        totalBytes = UInt64(status.f_blocks) * UInt64(status.f_frsize)
        availableBytes = UInt64(status.f_bavail) * UInt64(status.f_frsize)
        availableFiles = UInt64(status.f_favail)
    }
}
