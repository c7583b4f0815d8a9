import Glibc

/// The memory of this process.
package enum ProcessMemory {
    /// The bytes that are in RAM now, shared libraries included.
    package static func residentBytes() throws(SystemError) -> UInt64 {
        let path = "/proc/self/statm"
        let text = String(decoding: try FileDescriptor.open(path, flags: O_RDONLY).readAll(limit: 1024), as: UTF8.self)
        // Total, resident, shared …, in pages.
        let fields = text.split(separator: " ")
        guard fields.count > 1, let pages = UInt64(fields[1]) else {
            throw SystemError(code: EBADMSG, operation: "read", detail: path)
        }
        return pages * UInt64(sysconf(Int32(_SC_PAGESIZE)))
    }
}
