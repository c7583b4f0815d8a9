internal import CLinux
import Glibc

/// Ctrl-C and a polite end, as a descriptor to wait for; so a command can say what it has done before it ends.
struct InterruptSignal {
    /// Readable once a signal has come.
    let descriptor: CInt

    init() {
        var signals = sigset_t()
        sigemptyset(&signals)
        // What nohup or a shell's `&` has the process ignore stays ignored; blocking it would bring it back.
        for number in [SIGINT, SIGTERM, SIGHUP] where hark_is_ignored(number) == 0 {
            sigaddset(&signals, number)
        }
        sigprocmask(SIG_BLOCK, &signals, nil)
        descriptor = signalfd(-1, &signals, CInt(SFD_CLOEXEC))
    }

    /// Ends the process by the signal that came, so that a shell sees it and ends its loop too.
    func endProcess() -> Never {
        var info = signalfd_siginfo()
        let size = MemoryLayout<signalfd_siginfo>.size
        let number = read(descriptor, &info, size) == size ? CInt(info.ssi_signo) : SIGTERM
        signal(number, SIG_DFL)
        raise(number)
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, number)
        sigprocmask(SIG_UNBLOCK, &signals, nil)
        _exit(128 + number)
    }
}
