import Glibc
import HarkScreen

/// Reports the time to the first frame on standard error, for measurements (`HARK_DIALOG_TIMES`).
enum FirstFrame {
    private static var isWanted = getenv("HARK_DIALOG_TIMES") != nil

    static func report(_ window: Window) {
        guard isWanted else { return }
        isWanted = false
        window.onFirstFrame {
            var spent = timespec()
            clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &spent)
            Say.write("first frame: \(spent.tv_sec * 1000 + spent.tv_nsec / 1_000_000) ms of CPU\n")
        }
    }
}
