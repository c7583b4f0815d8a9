package import HarkCore
package import HarkStore
package import HarkSystem
package import HarkWire

/// The engine, and its decisions that the store does not hold yet.
///
/// All decisions of one turn of the loop, and all that follow while the store is still writing, become one transaction
/// (group commit). No reply and no outside effect comes before its commit: decisions are returned as `Decided`. If a
/// commit fails, all callers that wait for it or for a decision based on it get an error, and the engine restarts from
/// the content of the store.
@DaemonActor
package final class Ledger {
    package typealias Outcome = Result<CommitReport, StoreError>

    /// The bytes of records (`Changes.Row.weight`) that may wait for the store before connections are no longer read. A
    /// commit of this size takes about five milliseconds; a new client waits for it and for the one in progress.
    static let maxPendingBytes = 1 << 20
    static let maxPendingRecords = 65_536

    /// May be ahead of the store, so it is inaccessible to other targets.
    var engine: Engine
    package let store: Store
    /// The newest record that is on disk.
    package private(set) var committedSequence: UInt64
    /// Why the last commit failed; nil if it succeeded.
    package private(set) var trouble: StoreError?
    package let statistics = CommitStatistics()

    /// A removal is in progress. On a full disk it takes precedence over recording: a commit that contains both would
    /// be refused with both.
    package var isMakingRoom = false

    private var full: WireError? {
        if let trouble, trouble.code == .full { return WireError(trouble) }
        return store.isSparing ? WireError(store.full) : nil
    }

    /// The number of engine restarts. Notes of decisions kept outside the engine are invalid after each.
    package private(set) var restarts = 0

    /// Called after each commit, in order, with the committed changes.
    package var onCommit: (Stored<Changes>, CommitReport) -> Void = { _, _ in }
    /// Called when `trouble` begins, changes or ends.
    package var onTroubleChange: (StoreError?) -> Void = { _ in }
    /// Schedules a call of `timeIsUp` after the given microseconds; nil if no commit waits for clients.
    package var wakeUp: ((UInt64) -> Void)?
    /// Called when there is room again after `isFull`.
    package var onRoom: () -> Void = {}

    /// A reader of the committed state; nil once the store is closed.
    package private(set) var reader: StoreReader?
    package let clock: @Sendable () -> Timestamp
    /// The clock by which ages are measured.
    package let ageClock: AgeClock
    var pending = Changes()
    private var pendingBytes = 0
    /// The session of the newest record.
    private var lastSessionRow: Int64 = 0
    private var waiting: [any CommitWaiter] = []
    private var commitment = Commitment()
    /// Fire-and-forget requests in the pending commit.
    private var unanswered = 0
    private var flight: Flight?
    private var gathering = CommitGathering()
    /// A call of `timeIsUp` is scheduled.
    private var isGathering = false

    /// Whether records of a session are waiting for the disk.
    package func isWriting(to session: SessionIdentity) -> Bool {
        pending.records.contains { $0.session == session }
            || flight?.records.contains { $0.session == session } ?? false
    }

    /// - Parameter numbersBegin: Records get higher numbers than this.
    package init(
        store: Store, retention: RetentionPolicy, clock: @escaping @Sendable () -> Timestamp,
        readClocks: @escaping @Sendable () -> AgeClock.Reading, books: [any Book] = [], numbersBegin: UInt64 = 0
    ) throws(StoreError) {
        self.store = store
        self.clock = clock
        let loader = try store.makeReader()
        reader = loader
        ageClock = AgeClock(
            remembered: try loader.meta(AgeClock.remembered), newest: try loader.newestTime(),
            read: readClocks)
        var watermark = store.watermark
        watermark.lastSequence = max(watermark.lastSequence, numbersBegin)
        engine = Engine(watermark: watermark, retention: retention, run: store.lastRun + 1, books: books)
        engine.zone = LocalZone { LocalDay.offset(atMilliseconds: $0.milliseconds) }
        committedSequence = watermark.lastSequence
    }

    package var now: Timestamp { clock() }

    package var isFull: Bool {
        pendingBytes > Ledger.maxPendingBytes || pending.records.count > Ledger.maxPendingRecords
    }

    /// Whether nothing is waiting for the disk.
    package var isSettled: Bool { flight == nil && pending.isEmpty && waiting.isEmpty }

    /// The commit after which everything decided so far is on disk.
    private var latest: Commitment {
        if pendingBytes > 0 || !pending.isEmpty { return commitment }
        return flight?.commitment ?? .over
    }

    /// Lets the engine decide, after loading the needed data. A command that throws has changed nothing.
    @discardableResult
    package func decide<Value: Sendable>(
        needing need: Need? = nil, _ command: (inout Engine, inout Changes, Timestamp) throws(WireError) -> Value
    ) throws(WireError) -> Decided<Value> {
        let before = try begin(need)
        let value = try command(&engine, &pending, clock())
        return Decided(value, by: count(since: before))
    }

    /// The marks of the changes and the producers before a command.
    typealias Before = (changes: Changes.Mark, producers: Int)

    func begin(_ need: Need?) throws(WireError) -> Before {
        if let need { try bring(need) }
        engine.clockLag = ageClock.lag
        return (pending.mark(), look { $0.touchedProducers })
    }

    /// Counts the changes of a command.
    func count(since before: Before) -> Commitment {
        pendingBytes += pending.weight(after: before.changes, &lastSessionRow)
        pendingBytes += (look { $0.touchedProducers } - before.producers) * Changes.Row.baseWeight
        return latest
    }

    /// Returns the data to load before an event is recorded; nil if it is loaded, as it usually is. Throws if there is no room.
    package func need(
        toRecord event: String, in scope: Scope, userId: String? = nil, isUnattended: Bool = false,
        by producer: Producer? = nil
    ) throws(WireError) -> Need? {
        if isMakingRoom, let full { throw full }
        if !isUnattended || engine.use(scope.unattended), look({ $0.isReady(toRecord: event, in: scope) }),
            producer.map({ engine.use($0) }) ?? true
        {
            return nil
        }
        return .recording(event, in: scope, userId: userId, isUnattended: isUnattended, by: producer)
    }

    private func bring(_ need: Need) throws(WireError) {
        if !look({ $0.has(need) }) {
            try lookUp { reader throws(StoreError) in try engine.bring(need, reader.read) }
        }
        if look({ $0.goesByRunningTime(need) }) { engine.setRunning(ageClock.running) }
    }

    /// Queries the engine in place: reading a computed property would copy the whole engine, and this happens with
    /// every record and every commit.
    @inline(__always)
    func look<Value>(_ question: (inout Engine) -> Value) -> Value { question(&engine) }

    /// Changes an outside setting of the engine, which is not a decision.
    package func adjust(_ change: (inout Engine) -> Void) { change(&engine) }

    /// Keeps watched counters loaded, so that no reset is missed, even after the engine has restarted.
    package func bringWatchedCounters() {
        do throws(WireError) {
            try bring(.watchedCounters)
        } catch {
            Log.warning("counters that are watched could not be looked up: \(error.message)")
        }
    }

    /// Counts a decision that no caller waits for, so that its loss is at least counted.
    package func noteUnanswered() { unanswered += 1 }

    /// Tells `waiter` the outcome of everything decided so far.
    package func await(_ waiter: any CommitWaiter) { waiting.append(waiter) }

    /// Waits until everything decided so far is on disk.
    package func settle() async throws(WireError) {
        if !isSettled { try await Decided((), by: latest).stored() }
    }

    /// Hands the pending changes to the store, unless a commit is in progress.
    package func endTurn() {
        guard flight == nil, !(pending.isEmpty && waiting.isEmpty) else { return }
        let wasFull = isFull
        if let wakeUp, !wasFull, pendingBytes > 0,
            let delay = gathering.delay(
                waiting: waiting.count, bytes: pendingBytes, at: SystemClock.monotonicMicroseconds)
        {
            if !isGathering { wakeUp(delay) }
            isGathering = true
            return
        }
        isGathering = false
        for waiter in waiting { waiter.commitBegins() }
        if !pending.upkeep.isEmpty { pending.setAges(to: ageClock.now) }
        engine.handOver(completing: &pending)
        let batch = Batch(changes: pending, watermark: look { $0.watermark }, isMakingRoom: isMakingRoom)
        let isShort =
            pending.upkeep.isEmpty && gathering.isShort(records: pending.records.count, bytes: pendingBytes)
        flight = Flight(
            waiting: waiting, commitment: commitment, unanswered: unanswered, records: batch.changes.records)
        unanswered = 0
        // The next commit is usually of the same size; growing would copy each record twice.
        pending = Changes(reservingRecords: batch.changes.records.count)
        pendingBytes = 0
        waiting = []
        commitment = Commitment()
        if batch.changes.isEmpty {
            // Nothing to write: the waiters only had to wait for earlier commits.
            finish(batch, .success(CommitReport()))
        } else {
            // A strong reference: a weak one would make every retain of the ledger slow.
            store.commit(batch, isShort: isShort) { [self] batch, outcome in
                DaemonActor.post { self.finish(batch, outcome) }
            }
        }
        if wasFull { onRoom() }
    }

    private func finish(_ batch: Batch, _ outcome: Outcome) {
        guard let flight else { return }
        self.flight = nil
        switch outcome {
        case .success(let report):
            engine.settle()
            committedSequence = max(committedSequence, batch.watermark.lastSequence)
            if !batch.changes.isEmpty {
                let now = SystemClock.monotonicMicroseconds
                statistics.add(report, records: batch.changes.records.count, at: now)
                gathering.commitEnded(
                    microseconds: report.microseconds, answered: flight.waiting.count, waiting: waiting.count, at: now)
            }
            flight.commitment.end(outcome)
            for waiter in flight.waiting { waiter.commitEnded(outcome) }
            if !batch.changes.isEmpty, let changes = flight.commitment.stored(batch.changes) {
                onCommit(changes, report)
                // A commit that was not synced says nothing about the disk.
                if report.isSynced { change(trouble: nil) }
            }
        case .failure(let error):
            statistics.dropped += flight.unanswered + unanswered
            unanswered = 0
            refuse(flight, error)
        }
        endTurn()
    }

    /// Tells all waiters that nothing was stored, and forgets all decisions since.
    private func refuse(_ flight: Flight, _ error: StoreError) {
        change(trouble: error)
        let (second, after) = (waiting, commitment)
        waiting = []
        commitment = Commitment()
        pending = Changes()
        pendingBytes = 0
        // Records that were written but then refused (`StoreFiles`) have used their numbers.
        if let stored = try? reader?.watermark() { committedSequence = max(committedSequence, stored.lastSequence) }
        // Session row numbers continue from the decided ones, committed or not: a number too high only leaves a gap.
        engine = engine.restarted(
            at: Engine.Watermark(lastSequence: committedSequence, lastSessionRow: engine.lastSessionRow))
        restarts += 1
        bringWatchedCounters()
        flight.commitment.end(.failure(error))
        for waiter in flight.waiting { waiter.commitEnded(.failure(error)) }
        after.end(.failure(error))
        for waiter in second {
            waiter.commitBegins()
            waiter.commitEnded(.failure(error))
        }
        onRoom()
    }

    /// Ends the wait for clients.
    package func timeIsUp() {
        isGathering = false
        endTurn()
    }

    /// Stops waiting for a client that is gone.
    package func clientLeft() { gathering.clientLeft() }

    /// Closes the store. As the last connection closes, SQLite moves all content into the one file.
    package func close() {
        reader = nil
        store.close()
    }

    private func change(trouble error: StoreError?) {
        guard trouble?.message != error?.message else { return }
        trouble = error
        onTroubleChange(error)
    }
}
