import Glibc
import HarkClient

/// The survey window: a separate program, `hark-dialog`, because this one is static and links no libraries.
enum DialogWindow {
    /// The reason why no window can be shown.
    struct Absence: Error {
        let why: String
    }

    /// Exit codes of a program that lacks its libraries or a display.
    static let absent: Set<CInt> = [127, ExitCode.noDisplay.rawValue]

    /// Starts the window. The caller reaps it.
    static func start(_ arguments: [String]) throws(Absence) -> ChildProgram {
        let displays = ["WAYLAND_DISPLAY", "DISPLAY"].compactMap(SocketAddress.environment)
        if displays.allSatisfy(\.isEmpty) { throw Absence(why: "there is no display here") }
        do throws(Errno) {
            return try ChildProgram([OwnProgram.beside("hark-dialog")] + arguments, captures: false)
        } catch {
            throw Absence(why: error.code == ENOENT ? "hark-dialog is not installed" : "hark-dialog: \(error.text)")
        }
    }

    /// Runs the window until it ends, and passes on its exit code if it failed.
    ///
    /// - Throws: `Absence` if no window can be shown; `QuietExit` with the program's exit code.
    static func run(_ arguments: [String]) throws {
        let signals = SignalQueue(SignalQueue.endings + [SIGCHLD])
        // Restores the usual signal handling before the caller falls back to another way of asking.
        defer { signals.end() }
        let program = try start(arguments)
        while true {
            Input.wait(for: signals.descriptor)
            while let number = signals.next() {
                // The window has its own session, so signals sent to this program are passed on.
                if number != SIGCHLD { kill(program.pid, number) }
                while let (pid, code) = ChildProgram.reap() {
                    if pid == program.pid { return try end(code) }
                }
            }
        }
    }

    private static func end(_ code: CInt) throws {
        if absent.contains(code) { throw Absence(why: "hark-dialog could not show one") }
        if code != 0 { throw QuietExit(exit: ExitCode(rawValue: code) ?? .software) }
    }
}

extension Option {
    static let window = Option(
        "window", "Ask in a window of the desktop, or on the terminal if there can be no window.")
}
