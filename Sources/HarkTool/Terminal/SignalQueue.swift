internal import CLinux
import Glibc

/// Signals as a descriptor to wait for, so that a command can put things in order before it ends or stops.
///
/// They are blocked from here on and stay so; a child must be given an empty mask.
struct SignalQueue {
    /// The ways to be asked to end.
    static let endings = [SIGINT, SIGTERM, SIGHUP]

    /// Readable once a signal has come.
    let descriptor: CInt

    /// - Parameter numbers: what nohup or a shell's `&` has the process ignore stays ignored; blocking would bring it
    ///   back.
    init(_ numbers: [CInt]) {
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in numbers where hark_is_ignored(number) == 0 { sigaddset(&signals, number) }
        sigprocmask(SIG_BLOCK, &signals, nil)
        descriptor = signalfd(-1, &signals, CInt(SFD_CLOEXEC) | CInt(SFD_NONBLOCK))
    }

    /// Lets signals do what they do by default again; what has come meanwhile does so now.
    consuming func end() {
        var none = sigset_t()
        sigemptyset(&none)
        sigprocmask(SIG_SETMASK, &none, nil)
        close(descriptor)
    }

    /// The next signal that has come; nil if there is none.
    func next() -> CInt? { nextWithSender()?.number }

    /// The same, and whether a process has sent it; else it was the kernel, as when a key of the terminal was pressed.
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

    /// Stops the process until somebody continues it.
    ///
    /// - Parameter wholeJob: stops its process group, as Ctrl-Z does, and not it alone.
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
