import CSystemd
import Glibc

/// The event loop of the daemon: libsystemd's sd-event, with the work of `DaemonActor` between its events.
///
/// A turn runs queued work, calls the turn-end hooks, sleeps until an event, and dispatches events. A loop runs once;
/// to run again, create another one on the same thread.
@DaemonActor
package final class EventLoop {
    /// Used only on the loop's thread; `deinit` releases it there.
    nonisolated(unsafe) let event: OpaquePointer
    private var wakeUpSource: EventSource?
    private var hooks: [(id: UInt64, body: @DaemonActor () -> Void)] = []
    /// Sources that end on cancellation or with the loop, not when their registration is released.
    private var kept: [UInt64: EventSource] = [:]
    private var lastID: UInt64 = 0

    /// Creates a loop for the calling thread; from now on writing to a closed peer is the error EPIPE, not a signal.
    package init() throws(SystemError) {
        signal(SIGPIPE, SIG_IGN)
        var created: OpaquePointer?
        try checked("sd_event_new") { sd_event_new(&created) }
        guard let created else { throw SystemError(code: ENOMEM, operation: "sd_event_new") }
        event = created
        wakeUpSource = try EventSource("sd_event_add_io", handler: Handler<Void> { _ in }) { [event] source, userdata in
            // It only wakes the loop: the work itself is taken before every sleep.
            let fd = LoopExecutor.shared.wakeUp
            return sd_event_add_io(event, source, fd, hark_edge_triggered_read(), { _, _, _, _ in 0 }, userdata)
        }
    }

    deinit {
        nonisolated(unsafe) let event = event
        if DaemonActor.isCurrent {
            sd_event_unref(event)
        } else {
            DaemonActor.post { sd_event_unref(event) }
        }
    }

    /// Runs until `exit(code:)`; returns that code.
    package func run() throws(SystemError) -> Int32 {
        let executor = LoopExecutor.shared
        while sd_event_get_state(event) != SD_EVENT_FINISHED {
            let worked = endTurn()
            let patience = executor.maySleep() ? UInt64.max : 0
            try checked("sd_event_run") { sd_event_run(event, patience) }
            try dispatchRest(afterWorkOf: worked)
        }
        endTurn(isLast: true)
        var code: Int32 = 0
        try checked("sd_event_get_exit_code") { sd_event_get_exit_code(event, &code) }
        return code
    }

    /// Dispatches simultaneous events in the same turn, for a short time, so that clients that were answered together
    /// come into the same commit. Work from other threads ends the turn, because a client may wait for it; but not if such
    /// work took long just now, or it would get all the time except for one source per turn.
    ///
    /// - Parameter worked: The microseconds of queued work since the last turn.
    private func dispatchRest(afterWorkOf worked: UInt64) throws(SystemError) {
        let isLong = worked > EventLoop.turnMicroseconds
        let share = isLong ? min(worked, EventLoop.longestTurnMicroseconds) : EventLoop.turnMicroseconds
        let end = SystemClock.monotonicMicroseconds + share
        while sd_event_get_state(event) != SD_EVENT_FINISHED, isLong || !LoopExecutor.shared.hasWorkOfOthers,
            SystemClock.monotonicMicroseconds < end
        {
            guard try checked("sd_event_run", { sd_event_run(event, 0) }) > 0 else { return }
        }
    }

    private static let turnMicroseconds: UInt64 = 200
    private static let longestTurnMicroseconds: UInt64 = 2_000

    /// Ends `run()` after this turn; repeating it replaces the code.
    package func exit(code: Int32) {
        // Fails only after the loop has finished, when there is nothing left to end.
        _ = sd_event_exit(event, code)
    }

    /// Calls `body` at the end of every turn: after dispatching and queued work, before sleeping.
    ///
    /// Work that `body` queues belongs to the next turn. Hooks run in the order they were added.
    @discardableResult
    package func onTurnEnd(_ body: @escaping @DaemonActor () -> Void) -> Registration {
        let id = nextID()
        hooks.append((id, body))
        return Registration { [weak self] in self?.hooks.removeAll { $0.id == id } }
    }

    /// Pings the watchdog of the service manager while the loop runs; false if there is no watchdog.
    @discardableResult
    package func enableWatchdog() throws(SystemError) -> Bool {
        try checked("sd_event_set_watchdog") { sd_event_set_watchdog(event, 1) } > 0
    }

    /// - Returns: The microseconds of queued work.
    @discardableResult
    private func endTurn(isLast: Bool = false) -> UInt64 {
        let start = SystemClock.monotonicMicroseconds
        LoopExecutor.shared.drain(isLast: isLast)
        let worked = SystemClock.monotonicMicroseconds &- start
        for hook in hooks { hook.body() }
        return worked
    }

    private func nextID() -> UInt64 {
        lastID += 1
        return lastID
    }

    /// Keeps a source until its registration is cancelled. `make` gets a function to end one-shot sources early.
    func keep(
        _ make: (_ end: @escaping @DaemonActor () -> Void) throws(SystemError) -> EventSource
    ) throws(SystemError) -> Registration {
        let id = nextID()
        let end: @DaemonActor () -> Void = { [weak self] in self?.kept[id] = nil }
        kept[id] = try make(end)
        return Registration(cancel: end)
    }
}

/// A handler that stays until `cancel()`, even if the registration is released.
@DaemonActor
package final class Registration {
    private var end: (@DaemonActor () -> Void)?

    init(cancel: @escaping @DaemonActor () -> Void) {
        end = cancel
    }

    /// Ends the handler; later calls have no effect. Safe within the handler itself.
    package func cancel() {
        end?()
        end = nil
    }
}
