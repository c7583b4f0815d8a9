internal import CLinux
import Glibc

/// The memory that this process may use by its limits (RLIMIT_AS, RLIMIT_DATA).
package enum MemoryRoom {
    /// - Parameters:
    ///   - addresses: The mapped bytes, used or not, including program and libraries.
    ///   - data: The private bytes among them.
    /// - Throws: ENOMEM if a limit is lower.
    package static func check(addresses: UInt64, data: UInt64, of program: String) throws(SystemError) {
        let limits = [
            (RLIMIT_AS, addresses, "LimitAS= in the unit, or ulimit -v"),
            (RLIMIT_DATA, data, "LimitDATA= in the unit, or ulimit -d"),
        ]
        for (resource, bytes, setting) in limits {
            var limit = rlimit()
            guard prlimit(0, Int32(resource.rawValue), nil, &limit) == 0, limit.rlim_cur < bytes else { continue }
            throw SystemError(
                code: ENOMEM, operation: "getrlimit",
                detail:
                    "\(program) may take \(limit.rlim_cur >> 20) MiB of memory and needs \(bytes >> 20) at least; raise the "
                    + "limit (\(setting))")
        }
    }
}
