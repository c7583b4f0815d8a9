import CSystemd
import Glibc

/// The loop of the daemon: libsystemd's sd-event, and between its events the work of `DaemonActor`.
///
/// A turn is: run queued work, call the turn-end hooks, sleep until something happens, dispatch what has happened. A loop
/// runs once; make another one on the same thread to run again.
@DaemonActor
package final class EventLoop {
    /// Only used on the loop's thread; `deinit` goes there.
    nonisolated(unsafe) let event: OpaquePointer
    private var wakeUpSource: EventSource?
    private var hooks: [(id: UInt64, body: @DaemonActor () -> Void)] = []
    /// Sources that end when cancelled or with the loop, not when their registration is dropped.
    private var kept: [UInt64: EventSource] = [:]
    private var lastID: UInt64 = 0

    /// Makes a loop for the calling thread; from now on writing to a closed peer is the error EPIPE, not a signal.
    package init() throws(SystemError) {
        signal(SIGPIPE, SIG_IGN)
        var created: OpaquePointer?
        try checked("sd_event_new") { sd_event_new(&created) }
        guard let created else { throw SystemError(code: ENOMEM, operation: "sd_event_new") }
        event = created
        wakeUpSource = try EventSource("sd_event_add_io", handler: Handler<Void> { _ in }) { [event] source, userdata in
            // Waking up is all it does: the work itself is taken before every sleep.
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

    /// What happened at the same time belongs to the same turn, as long as it is short: so clients that were answered
    /// together, and are back together, are in the same commit. What other threads have done ends the turn, as somebody waits
    /// for that; unless such work had the loop for long just now. Then it would have all of it, but for one source a turn.
    ///
    /// - Parameter worked: microseconds that queued work has taken since the last turn.
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

    /// Ends `run()` after this turn; saying it again replaces the code.
    package func exit(code: Int32) {
        // Refused only once the loop has finished, and then there is nothing left to end.
        _ = sd_event_exit(event, code)
    }

    /// Calls `body` at the end of every turn: after what was dispatched and the queued work, before sleeping.
    ///
    /// Work that `body` queues belongs to the next turn. Hooks run in the order they were added.
    @discardableResult
    package func onTurnEnd(_ body: @escaping @DaemonActor () -> Void) -> Registration {
        let id = nextID()
        hooks.append((id, body))
        return Registration { [weak self] in self?.hooks.removeAll { $0.id == id } }
    }

    /// Keeps the watchdog of the service manager fed while the loop turns; false if none was asked for.
    @discardableResult
    package func enableWatchdog() throws(SystemError) -> Bool {
        try checked("sd_event_set_watchdog") { sd_event_set_watchdog(event, 1) } > 0
    }

    /// - Returns: how many microseconds queued work has taken.
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

    /// Keeps a source until its registration is cancelled. `make` gets what ends it early, for one-shot sources.
    func keep(
        _ make: (_ end: @escaping @DaemonActor () -> Void) throws(SystemError) -> EventSource
    ) throws(SystemError) -> Registration {
        let id = nextID()
        let end: @DaemonActor () -> Void = { [weak self] in self?.kept[id] = nil }
        kept[id] = try make(end)
        return Registration(cancel: end)
    }
}

/// A handler that stays until `cancel()`; dropping the registration leaves it in place.
@DaemonActor
package final class Registration {
    private var end: (@DaemonActor () -> Void)?

    init(cancel: @escaping @DaemonActor () -> Void) {
        end = cancel
    }

    /// Ends the handler; later calls do nothing. Safe within the handler itself.
    package func cancel() {
        end?()
        end = nil
    }
}
