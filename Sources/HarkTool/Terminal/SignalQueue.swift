internal import CLinux
import Glibc

/// Signals as a pollable descriptor, so that a command can clean up before it ends or stops.
///
/// The signals stay blocked from here on, so a child must be started with an empty mask.
struct SignalQueue {
    /// Signals that ask a process to end.
    static let endings = [SIGINT, SIGTERM, SIGHUP]

    /// Readable when a signal has arrived.
    let descriptor: CInt

    /// - Parameter numbers: The signals to queue. Signals that nohup or a shell's `&` has ignored stay ignored, as
    ///   blocking would revive them.
    init(_ numbers: [CInt]) {
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in numbers where hark_is_ignored(number) == 0 { sigaddset(&signals, number) }
        sigprocmask(SIG_BLOCK, &signals, nil)
        descriptor = signalfd(-1, &signals, CInt(SFD_CLOEXEC) | CInt(SFD_NONBLOCK))
    }

    /// Restores the default handling. Signals that arrived meanwhile take effect now.
    consuming func end() {
        var none = sigset_t()
        sigemptyset(&none)
        sigprocmask(SIG_SETMASK, &none, nil)
        close(descriptor)
    }

    /// Returns the next signal; nil if none has arrived.
    func next() -> CInt? { nextWithSender()?.number }

    /// Returns the next signal, and whether a process sent it; otherwise the kernel did, as for a key of the terminal.
    func nextWithSender() -> (number: CInt, isFromProcess: Bool)? {
        var info = signalfd_siginfo()
        let size = MemoryLayout<signalfd_siginfo>.size
        guard read(descriptor, &info, size) == size else { return nil }
        return (CInt(info.ssi_signo), info.ssi_code <= 0)
    }

    /// Ends the process by that signal, so that a shell sees it and ends its loop too.
    static func endProcess(by number: CInt) -> Never {
        signal(number, SIG_DFL)
        raise(number)
        unblocking(number) {}
        _exit(128 + number)
    }

    /// Stops the process until it is continued.
    ///
    /// - Parameter wholeJob: Whether to stop the whole process group, as Ctrl-Z does.
    static func stop(wholeJob: Bool) {
        signal(SIGTSTP, SIG_DFL)
        unblocking(SIGTSTP) { _ = kill(wholeJob ? 0 : getpid(), SIGTSTP) }
    }

    private static func unblocking(_ number: CInt, _ body: () -> Void) {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, number)
        sigprocmask(SIG_UNBLOCK, &signals, nil)
        body()
        sigprocmask(SIG_BLOCK, &signals, nil)
    }
}
