import Glibc

/// An error of the operating system: the call, the errno and the object.
///
/// `detail` names paths, units or limits, never user data.
package struct SystemError: Error, Equatable {
    /// The errno value; for an sd-event call its negated result.
    package let code: Int32
    /// The failed call, such as `bind` or `sd_event_new`.
    package let operation: String
    /// The object and advice, if the code does not say enough; may be empty.
    package let detail: String

    package init(code: Int32, operation: String, detail: String = "") {
        self.code = code
        self.operation = operation
        self.detail = detail
    }
}

extension SystemError: CustomStringConvertible {
    package var description: String {
        let reason = "\(operation): \(Self.text(of: code))"
        let told = detail.isEmpty ? reason : "\(detail) (\(reason))"
        guard let advice = Self.advice[code] else { return told }
        return "\(told); \(advice)"
    }

    /// The C library's text for an errno value.
    package static func text(of code: Int32) -> String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 128) { buffer in
            guard let start = buffer.baseAddress, strerror_r(code, start, buffer.count) == 0 else {
                return "error \(code)"
            }
            return String(cString: start)
        }
    }

    private static let advice: [Int32: String] = [
        EMFILE: "raise the limit of open files (LimitNOFILE= in the unit, or ulimit -n)",
        ENFILE: "the whole system is out of open files (sysctl fs.file-max)",
        ENOSPC: "free space on that file system, or raise fs.inotify.max_user_watches if it is about watching",
        ELOOP: "it is a symbolic link, and none is followed there; remove it",
        EROFS: "that file system is mounted read-only",
    ]
}

/// Runs a system call and throws its errno; the only place that handles -1 and EINTR.
///
/// An interrupted call is repeated, so never pass `close` or a call with a relative timeout.
@discardableResult
package func syscall<Result: FixedWidthInteger & SignedInteger>(
    _ operation: String, detail: @autoclosure () -> String = "", _ body: () -> Result
) throws(SystemError) -> Result {
    while true {
        let result = body()
        if result != -1 { return result }
        let code = errno
        if code != EINTR { throw SystemError(code: code, operation: operation, detail: detail()) }
    }
}

/// Runs a call that returns a negated errno, as libsystemd does, or a positive one, as pthread and posix_spawn do.
@discardableResult
func checked(
    _ operation: String, detail: @autoclosure () -> String = "", _ body: () -> Int32
) throws(SystemError) -> Int32 {
    let result = body()
    guard result >= 0 else { throw SystemError(code: -result, operation: operation, detail: detail()) }
    return result
}
