import CSystemd
import Glibc

/// How a child process ended.
package enum ChildStatus: Sendable, Equatable {
    case exited(Int32)
    case signaled(Int32)

    package var isSuccess: Bool { self == .exited(0) }
}

extension EventLoop {
    /// Calls `handler` for every signal `number` from now on.
    ///
    /// The signal is blocked in this thread and in threads it starts later, so call this before any thread exists: a
    /// thread that does not block it would take the signal with its default action.
    @discardableResult
    package func onSignal(
        _ number: Int32, _ handler: @escaping @DaemonActor () -> Void
    ) throws(SystemError) -> Registration {
        try block(number)
        return try keep { _ throws(SystemError) in
            try EventSource("sd_event_add_signal", detail: "signal \(number)", handler: Handler<Void> { handler() }) {
                source, userdata in
                sd_event_add_signal(
                    event, source, number,
                    { _, _, userdata in
                        let handler = HarkSystem.handler(userdata, of: Void.self)
                        DaemonActor.assumeIsolated { handler.call(()) }
                        return 0
                    }, userdata)
            }
        }
    }

    /// Calls `handler` once when the child has ended; the loop reaps it right after.
    ///
    /// After cancelling, the caller must reap it. A child that has ended already is reported in the next turn.
    @discardableResult
    package func onChildExit(
        pid: Int32, _ handler: @escaping @DaemonActor (ChildStatus) -> Void
    ) throws(SystemError) -> Registration {
        // Required by sd-event, so that no handler of SIGCHLD reaps the child first.
        try block(SIGCHLD)
        return try keep { end throws(SystemError) in
            let once = Handler<ChildStatus> { status in
                end()
                handler(status)
            }
            return try EventSource("sd_event_add_child", detail: "process \(pid)", handler: once) { source, userdata in
                sd_event_add_child(
                    event, source, pid, WEXITED,
                    { _, info, userdata in
                        guard let info else { return 0 }
                        let code = hark_child_status(info)
                        let status: ChildStatus = info.pointee.si_code == CLD_EXITED ? .exited(code) : .signaled(code)
                        let handler = HarkSystem.handler(userdata, of: ChildStatus.self)
                        DaemonActor.assumeIsolated { handler.call(status) }
                        return 0
                    }, userdata)
            }
        }
    }

    private func block(_ signal: Int32) throws(SystemError) {
        var set = sigset_t()
        sigemptyset(&set)
        try syscall("sigaddset", detail: "signal \(signal)") { sigaddset(&set, signal) }
        try checked("pthread_sigmask") { -pthread_sigmask(SIG_BLOCK, &set, nil) }
    }
}
