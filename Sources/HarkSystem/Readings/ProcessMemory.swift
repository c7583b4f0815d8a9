internal import CLinux
import Glibc

/// The memory of this process.
package enum ProcessMemory {
    /// The resident bytes, including shared libraries.
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

    /// Returns memory to the kernel that only work needs: code, and freed memory.
    ///
    /// glibc keeps freed memory for reuse; after much work this is tens of megabytes.
    package static func release() {
        releaseCode()
        malloc_trim(0)
    }

    /// Drops resident code, and the linking information of libraries; pages that are used again come back from the page
    /// cache, in a microsecond per sixteen pages. Best effort: without /proc nothing happens.
    ///
    /// The start runs much code once, and the kernel maps the neighbours of each touched page. With free memory nothing
    /// reclaims that, so a daemon that mostly sleeps would keep it for ever.
    static func releaseCode() {
        guard
            let file = try? FileDescriptor.open("/proc/self/maps", flags: O_RDONLY),
            let text = try? String(decoding: file.readAll(limit: 1 << 20), as: UTF8.self)
        else { return }
        var before: Mapping?
        for line in text.split(separator: "\n") {
            let mapping = Mapping(line)
            defer { before = mapping }
            guard let mapping, mapping.isCode else { continue }
            mapping.release()
            // Symbols and relocations, which precede a library's code and are unused once it is loaded (2 MB with
            // OpenSSL). The pages after the code have been partly written. A library that another thread is just
            // loading is mapped like this too, but has no code behind it yet.
            if let before, before.isBeginningOfLibrary, before.end == mapping.start, before.path == mapping.path {
                before.release()
            }
        }
    }

    /// A line of /proc/self/maps about a file: range, permissions, offset, device, inode, path.
    private struct Mapping {
        let start: UInt
        let end: UInt
        let permissions: Substring
        let offset: Substring
        let path: Substring

        init?(_ line: Substring) {
            let fields = line.split(separator: " ", maxSplits: 5)
            guard fields.count == 6, fields[5].contains("/") else { return nil }
            let ends = fields[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
            guard ends.count == 2, ends[0] < ends[1] else { return nil }
            (start, end, permissions, offset, path) = (ends[0], ends[1], fields[1], fields[2], fields[5])
        }

        var isCode: Bool { permissions == "r-xp" }

        var isBeginningOfLibrary: Bool {
            permissions == "r--p" && offset.allSatisfy { $0 == "0" } && path.contains(".so")
        }

        /// Drops the pages. Neither code nor the beginning of libraries is ever written, so nothing is lost.
        func release() {
            guard let start = UnsafeMutableRawPointer(bitPattern: start) else { return }
            madvise(start, Int(end - self.start), MADV_DONTNEED)
        }
    }
}
