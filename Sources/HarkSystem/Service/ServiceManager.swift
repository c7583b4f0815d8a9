import CSystemd
import Glibc

/// The service manager (systemd) of this process; without one, all of this does nothing.
package enum ServiceManager {
    /// A notification to the service manager, as in sd_notify(3).
    package enum Notice: Sendable, Equatable {
        /// Started, or done with reloading.
        case ready
        case reloading
        case stopping
        /// One line for `systemctl status`.
        case status(String)
        /// A watchdog ping. The loop sends it once its watchdog is enabled.
        case watchdog
        /// The start needs this much more time.
        case patience(seconds: Int)

        var assignments: String {
            switch self {
            case .ready: "READY=1"
            // systemd requires the time, to match this with its latest request.
            case .reloading: "RELOADING=1\nMONOTONIC_USEC=\(SystemClock.monotonicMicroseconds)"
            case .stopping: "STOPPING=1"
            // A line break would start another assignment.
            case .status(let text): "STATUS=" + text.split(whereSeparator: \.isNewline).joined(separator: " ")
            case .watchdog: "WATCHDOG=1"
            case .patience(let seconds): "EXTEND_TIMEOUT_USEC=\(seconds)000000"
            }
        }
    }

    /// Sends notifications in one message; false if there is no manager.
    @discardableResult
    package static func notify(_ notices: Notice...) throws(SystemError) -> Bool {
        let message = notices.map(\.assignments).joined(separator: "\n")
        return try checked("sd_notify", detail: "telling the service manager") { sd_notify(0, message) } > 0
    }

    /// Reads a credential from the manager (`LoadCredential=` and the like); nil if there is none of that name.
    package static func credential(named name: String) throws(SystemError) -> [UInt8]? {
        guard !name.isEmpty, name != ".", name != "..", !name.contains("/") else {
            throw SystemError(code: EINVAL, operation: "open", detail: "a credential's name is a plain file name")
        }
        guard let folder = getenv("CREDENTIALS_DIRECTORY").map({ String(cString: $0) }) else { return nil }
        do {
            // The maximum size in systemd.
            return try FileDescriptor.open("\(folder)/\(name)", flags: O_RDONLY).readAll(limit: 1 << 20)
        } catch let error where error.code == ENOENT {
            return nil
        }
    }
}
