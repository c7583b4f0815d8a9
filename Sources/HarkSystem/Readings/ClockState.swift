internal import CLinux
import Glibc

/// What the machine says about its clock.
package enum ClockState {
    /// Tells the starts of the machine apart; empty where the kernel does not say.
    package static let bootID: String = {
        // Without it the steady clock alone tells that the machine was started anew: by running backwards.
        guard let bytes = try? FileDescriptor.contents(of: "/proc/sys/kernel/random/boot_id", limit: 64) else {
            return ""
        }
        return String(decoding: bytes.prefix { $0 > 0x20 }, as: UTF8.self)
    }()

    /// Whether a time server keeps the clock right, as far as anybody here knows.
    package static var isSynchronized: Bool {
        hark_clock_is_synchronized() == 1 || isStampFresh("/run/systemd/timesync/synchronized")
    }

    /// How often systemd-timesyncd asks at the least, with room.
    private static let stampSeconds = 2 * 2_048

    /// Whether systemd-timesyncd has set the clock lately: it touches the file each time. For a service that may not ask the
    /// kernel, as with `ProtectClock=`. A clock that was set by hand since then is far from the file's time.
    static func isStampFresh(_ path: String) -> Bool {
        var status = stat()
        guard stat(path, &status) == 0 else { return false }
        let age = time(nil) &- status.st_mtim.tv_sec
        return age >= 0 && age <= stampSeconds
    }
}
