import HarkCore
import HarkStore
import HarkSystem
import HarkWire

/// The engine and what it has decided but the store does not hold yet.
///
/// Everything decided in one turn of the loop, and all that follows while the store is still writing, becomes one
/// transaction (group commit). Nothing anybody is told, and nothing that happens outside, comes before its commit: what is
/// decided is handed out as `Decided`. If a commit fails, everybody who waits for it or for what was decided on top of it
/// gets an error, and the engine starts again from what the store holds.
@DaemonActor
final class Ledger {
    typealias Outcome = Result<CommitReport, StoreError>

    /// What may wait for the store before connections are no longer read, in bytes of records (`Changes.Row.weight`): as much
    /// as a commit takes in five milliseconds or so, since whoever comes next waits for it, and for the one that is under way.
    static let maxPendingBytes = 1 << 20
    static let maxPendingRecords = 65_536

    /// May be ahead of the store, so nobody else looks at it.
    private var engine: Engine
    let store: Store
    /// The newest record that is on disk.
    private(set) var committedSequence: UInt64
    /// Why the last commit failed; nil while all is well.
    private(set) var trouble: StoreError?
    let statistics = CommitStatistics()

    /// A removal is being carried through. On a full disk it goes before what others have to record: a commit that has both is
    /// refused with both.
    var isMakingRoom = false

    private var full: WireError? {
        if let trouble, trouble.code == .full { return WireError(trouble) }
        return store.isSparing ? WireError(store.full) : nil
    }

    /// How often the engine has started again. What is remembered of decisions outside it is worth nothing from one to the next.
    private(set) var restarts = 0

    /// Called after each commit, in order, with what is now on disk.
    var onCommit: (Stored<Changes>, CommitReport) -> Void = { _, _ in }
    /// Called when `trouble` begins, changes or ends.
    var onTroubleChange: (StoreError?) -> Void = { _ in }
    /// Has `timeIsUp` called after so many microseconds; nil where no commit waits for clients.
    var wakeUp: ((UInt64) -> Void)?
    /// Called when there is room again after `isFull`.
    var onRoom: () -> Void = {}

    /// Of the committed state; nil once the store is closed.
    private(set) var reader: StoreReader?
    let clock: @Sendable () -> Timestamp
    /// The time by which it is decided what is too old.
    let ageClock: AgeClock
    private var pending = Changes()
    private var pendingBytes = 0
    /// The session of the newest record.
    private var lastSessionRow: Int64 = 0
    private var waiting: [any CommitWaiter] = []
    private var commitment = Commitment()
    /// Fire-and-forget requests among what is pending.
    private var unanswered = 0
    private var flight: Flight?
    private var gathering = CommitGathering()
    /// `timeIsUp` will be called.
    private var isGathering = false

    /// Whether records of a session are on their way to the disk.
    func isWriting(to session: SessionIdentity) -> Bool {
        pending.records.contains { $0.session == session }
            || flight?.records.contains { $0.session == session } ?? false
    }

    /// - Parameter numbersBegin: Records get higher numbers than this.
    init(
        store: Store, retention: RetentionPolicy, clock: @escaping @Sendable () -> Timestamp,
        readClocks: @escaping @Sendable () -> AgeClock.Reading, books: [any Book] = [], numbersBegin: UInt64 = 0
    ) throws(StoreError) {
        self.store = store
        self.clock = clock
        let loader = try store.makeReader()
        reader = loader
        ageClock = AgeClock(
            remembered: try loader.meta(RetentionClock.rememberedClock), newest: try loader.newestTime(),
            read: readClocks)
        var watermark = store.watermark
        watermark.lastSequence = max(watermark.lastSequence, numbersBegin)
        engine = Engine(watermark: watermark, retention: retention, run: store.lastRun + 1, books: books)
        engine.zone = LocalZone { LocalDay.offset(atMilliseconds: $0.milliseconds) }
        committedSequence = watermark.lastSequence
    }

    var now: Timestamp { clock() }

    var isFull: Bool {
        pendingBytes > Ledger.maxPendingBytes || pending.records.count > Ledger.maxPendingRecords
    }

    /// Whether anything is on its way to the disk.
    var isSettled: Bool { flight == nil && pending.isEmpty && waiting.isEmpty }

    /// The commit with which all is on disk that was decided so far.
    private var latest: Commitment {
        if pendingBytes > 0 || !pending.isEmpty { return commitment }
        return flight?.commitment ?? .over
    }

    /// Whether sessions are cleared of which the store does not know yet.
    var isRemoving: Bool { look { $0.isRemoving } }

    /// What the engine goes by that is set from outside, and no decision about anybody.
    var settings: Engine.Settings { look { $0.settings } }

    /// When something is due next, as far as was decided. May be taken back, so it is only good for setting a timer.
    var dueAt: Timestamp? { look { $0.earliestDue } }

    /// Lets the engine decide, with what it needs at hand. What it throws has changed nothing.
    @discardableResult
    func decide<Value: Sendable>(
        needing need: Need? = nil, _ command: (inout Engine, inout Changes, Timestamp) throws(WireError) -> Value
    ) throws(WireError) -> Decided<Value> {
        if let need { try bring(need) }
        let (mark, producers) = (pending.mark(), look { $0.touchedProducers })
        engine.clockLag = ageClock.lag
        let value = try command(&engine, &pending, clock())
        pendingBytes += pending.weight(after: mark, &lastSessionRow)
        pendingBytes += (look { $0.touchedProducers } - producers) * Changes.Row.baseWeight
        return Decided(value, by: latest)
    }

    /// What recording an event needs; nil when all is at hand, as it is as a rule. Throws while there is no room.
    func need(
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

    /// Asks the engine where it is: to read a property that it computes, all of it would be copied, and this is done with every
    /// record and every commit.
    @inline(__always)
    private func look<Value>(_ question: (inout Engine) -> Value) -> Value { question(&engine) }

    /// Of which watch there is something to tell next. As far as was decided, so it is only good for setting a timer.
    func earliestWatch(except refused: Set<WatchKey>) -> Engine.NextWatch? {
        look { $0.earliestWatch(running: ageClock.running, except: refused) }
    }

    var watchCount: Int { engine.watches.count }

    /// Tells the engine something from outside, which is no decision about anybody.
    func adjust(_ change: (inout Engine) -> Void) { change(&engine) }

    /// What is watched stays loaded, so that no reset goes by unseen; also after the engine has started again.
    func bringWatchedCounters() {
        do throws(WireError) {
            try bring(.watchedCounters)
        } catch {
            Log.warning("counters that are watched could not be looked up: \(error.message)")
        }
    }

    /// Notes that nobody waits for what was just decided; if it is lost, that is at least counted.
    func noteUnanswered() { unanswered += 1 }

    /// Tells `waiter` what becomes of everything decided so far.
    func await(_ waiter: any CommitWaiter) { waiting.append(waiter) }

    /// Waits until everything decided before is on disk.
    func settle() async throws(WireError) {
        if !isSettled { try await Decided((), by: latest).stored() }
    }

    /// Hands what has gathered to the store, unless it is still busy with the last.
    func endTurn() {
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
        // As many as the last time come as a rule: growing would copy each twice.
        pending = Changes(reservingRecords: batch.changes.records.count)
        pendingBytes = 0
        waiting = []
        commitment = Commitment()
        if batch.changes.isEmpty {
            // Nothing to write: whoever waits only had to wait for those before.
            finish(batch, .success(CommitReport()))
        } else {
            // No weak reference: it would make every retain of the ledger a slow one.
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
                // One that did not ask the disk says nothing about it.
                if report.isSynced { change(trouble: nil) }
            }
        case .failure(let error):
            statistics.dropped += flight.unanswered + unanswered
            unanswered = 0
            refuse(flight, error)
        }
        endTurn()
    }

    /// Tells everybody that nothing of it was stored, and forgets what was decided since.
    private func refuse(_ flight: Flight, _ error: StoreError) {
        change(trouble: error)
        let (second, after) = (waiting, commitment)
        waiting = []
        commitment = Commitment()
        pending = Changes()
        pendingBytes = 0
        // What was written and refused all the same (`StoreFiles`) has its numbers.
        if let stored = try? reader?.watermark() { committedSequence = max(committedSequence, stored.lastSequence) }
        // Rows of sessions go on from those that were decided, committed or not: a number too high only leaves a gap.
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

    /// Clients were waited for as long as they may be.
    func timeIsUp() {
        isGathering = false
        endTurn()
    }

    /// A client is gone, and nobody need wait for it.
    func clientLeft() { gathering.clientLeft() }

    /// Closes the store. As nobody has it open any more, SQLite leaves all content in the one file.
    func close() {
        reader = nil
        store.close()
    }

    private func change(trouble error: StoreError?) {
        guard trouble?.message != error?.message else { return }
        trouble = error
        onTroubleChange(error)
    }
}
