package import HarkSystem

/// What a store is called in all sinks; one for all that a daemon has.
@DaemonActor
package final class SinkIdentity {
    private var known: SinkLog?
    private var making: Task<Void, Never>?
    private let keep: @DaemonActor (SinkLog) async -> Bool

    /// - Parameters:
    ///   - known: as the store has it; nil before there was a sink.
    ///   - keep: has it kept in the store, on disk; false where that was refused.
    package init(known: SinkLog?, keep: @escaping @DaemonActor (SinkLog) async -> Bool) {
        self.known = known
        self.keep = keep
    }

    /// What it is called, which the store has before anybody else learns of it; nil where the store refuses.
    func log() async -> SinkLog? {
        if let known { return known }
        // All who ask before there is one get the same.
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

    /// What is recorded after this number is of another log; false where the store refuses.
    func fork(after sequence: UInt64) async -> Bool {
        guard var next = known else { return false }
        next.fork(after: sequence, as: SinkLog.newId())
        guard await keep(next) else { return false }
        known = next
        return true
    }
}
