package import HarkSystem

/// The ids of the store's log for sinks, shared by all sinks of a daemon.
@DaemonActor
package final class SinkIdentity {
    private var known: SinkLog?
    private var making: Task<Void, Never>?
    private let keep: @DaemonActor (SinkLog) async -> Bool

    /// - Parameters:
    ///   - known: The stored ids; nil before there was a sink.
    ///   - keep: Stores the ids on disk; returns false if the store refuses.
    package init(known: SinkLog?, keep: @escaping @DaemonActor (SinkLog) async -> Bool) {
        self.known = known
        self.keep = keep
    }

    /// Returns the ids, stored before any sink uses them; nil if the store refuses.
    func log() async -> SinkLog? {
        if let known { return known }
        // Calls before the ids exist share one task.
        let task =
            making
            ?? DaemonActor.task { [self] in
                let new = SinkLog(SinkLog.newId())
                if await keep(new) { known = new }
                making = nil
            }
        making = task
        await task.value
        return known
    }

    /// Gives records after this number another log; false if the store refuses.
    func fork(after sequence: UInt64) async -> Bool {
        guard var next = known else { return false }
        next.fork(after: sequence, as: SinkLog.newId())
        guard await keep(next) else { return false }
        known = next
        return true
    }
}
