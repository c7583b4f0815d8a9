internal import CLinux
import Glibc

/// The state of the machine's clock.
package enum ClockState {
    /// The id of the machine's boot; empty if unknown.
    package static let bootID: String = {
        // Without it, only a monotonic clock that runs backwards reveals a reboot.
        guard let bytes = try? FileDescriptor.contents(of: "/proc/sys/kernel/random/boot_id", limit: 64) else {
            return ""
        }
        return String(decoding: bytes.prefix { $0 > 0x20 }, as: UTF8.self)
    }()

    /// Whether a time server synchronizes the clock, if that is known.
    package static var isSynchronized: Bool {
        hark_clock_is_synchronized() == 1 || isStampFresh("/run/systemd/timesync/synchronized")
    }

    /// The maximum polling interval of systemd-timesyncd, twice.
    private static let stampSeconds = 2 * 2_048

    /// Whether systemd-timesyncd has set the clock lately: it touches the file each time. For a service that may not
    /// ask the kernel (`ProtectClock=`). A clock set by hand since then is far from the file's time.
    static func isStampFresh(_ path: String) -> Bool {
        var status = stat()
        guard stat(path, &status) == 0 else { return false }
        let age = time(nil) &- status.st_mtim.tv_sec
        return age >= 0 && age <= stampSeconds
    }
}
