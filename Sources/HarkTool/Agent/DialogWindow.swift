import Glibc
import HarkClient

/// The window that asks: a program of its own, `hark-dialog`, as this one is static and has no libraries.
enum DialogWindow {
    /// Why there can be none here.
    struct Absence: Error {
        let why: String
    }

    /// What a program ends with that its libraries, or a display, are missing to.
    static let absent: Set<CInt> = [127, ExitCode.noDisplay.rawValue]

    /// Starts it, to be reaped by whoever did.
    static func start(_ arguments: [String]) throws(Absence) -> ChildProgram {
        let displays = ["WAYLAND_DISPLAY", "DISPLAY"].compactMap(SocketAddress.environment)
        if displays.allSatisfy(\.isEmpty) { throw Absence(why: "there is no display here") }
        do throws(Errno) {
            return try ChildProgram([OwnProgram.beside("hark-dialog")] + arguments, captures: false)
        } catch {
            throw Absence(why: error.code == ENOENT ? "hark-dialog is not installed" : "hark-dialog: \(error.text)")
        }
    }

    /// Runs it until it has ended, and ends as it did where that was no success.
    ///
    /// - Throws: `Absence` where no window can be shown; `QuietExit` with its exit code.
    static func run(_ arguments: [String]) throws {
        let signals = SignalQueue(SignalQueue.endings + [SIGCHLD])
        // Whoever asks otherwise then is ended as ever.
        defer { signals.end() }
        let program = try start(arguments)
        while true {
            var entry = pollfd(fd: signals.descriptor, events: Int16(POLLIN), revents: 0)
            poll(&entry, 1, -1)
            while let number = signals.next() {
                // It has a session of its own, so what is meant for this program is passed on.
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
    static let window = Option("window", "Ask in a window of the desktop; where there can be none, on the terminal.")
}
