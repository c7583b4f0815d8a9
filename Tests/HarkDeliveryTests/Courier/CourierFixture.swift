import Glibc
import HarkStore
import HarkSystem
import HarkTesting
import HarkWire
import Synchronization

@testable import HarkCore
@testable import HarkDelivery

/// Couriers between a real store and a fake destination, with a clock that is moved by hand and given dice.
@DaemonActor
final class CourierFixture {
    let destination: FakeDestination
    let clock = ManualClock()
    private let dice = Mutex(1.0)
    let policy: RetryPolicy
    private(set) var gate: DeliveryGate!
    private(set) var couriers: [Courier] = []
    var courier: Courier! { couriers.first }
    /// The cursors that were to be stored, in order.
    private(set) var cursors: [UInt64] = []
    /// How many of the next accounts the store refuses.
    var refusals = 0
    /// While true, accounts wait for the store.
    var isStoreHeld = false { didSet { if !isStoreHeld { letGo() } } }
    /// How often the gate has called: something may pass that could not before.
    private(set) var calls = 0
    private(set) var newest: UInt64 = 0
    let reader: DeliveryReader

    private let lanes: [Lane]
    private let folder: TemporaryFolder
    private let store: Store
    let loop: EventLoop
    private var sessions: [Int: SessionIdentity] = [:]
    private var heldAccounts: [CheckedContinuation<Void, Never>] = []
    /// How often it has crashed: nothing that was begun before reaches the store any more.
    private var crashes = 0

    private init(
        _ destination: FakeDestination, lanes: [Lane], _ policy: RetryPolicy, _ loop: EventLoop
    ) throws {
        self.destination = destination
        self.lanes = [destination.lane] + lanes
        self.policy = policy
        self.loop = loop
        folder = try TemporaryFolder(inMemory: true)
        store = try Store(folder: folder.path)
        reader = DeliveryReader(try store.makeReader())
    }

    /// - Parameter lanes: Lanes in addition to the destination's own.
    nonisolated static func run(
        _ destination: FakeDestination = FakeDestination(), lanes: [Lane] = [], policy: RetryPolicy = .local,
        _ body: @escaping @DaemonActor @Sendable (CourierFixture) async throws -> Void
    ) async throws {
        try await LoopThread.shared.run { loop in
            let fixture = try CourierFixture(destination, lanes: lanes, policy, loop)
            try fixture.makeCouriers { _ in LaneProgress(cursor: 0) }
            do {
                try await body(fixture)
            } catch {
                await fixture.end()
                throw error
            }
            await fixture.end()
        }
    }

    private func end() async {
        stop()
        destination.isHeld = false
        isStoreHeld = false
        try? await eventually("the pass under way is over") { couriers.allSatisfy(\.isResting) }
        reader.close()
        store.close()
    }

    // MARK: Couriers

    func makeCourier(cursor: UInt64) throws { try makeCouriers { _ in LaneProgress(cursor: cursor) } }

    private func makeCouriers(
        isOn: Bool = true, breaker: Breaker = Breaker(), _ progress: (Lane) throws -> LaneProgress
    ) throws {
        gate = try DeliveryGate(
            name: "fake", policy: policy, breaker: breaker, loop: loop, clock: { [clock] in clock.now },
            dice: { [unowned self] in dice.withLock { $0 } })
        couriers = try lanes.map { lane in
            try Courier(
                destination, lane: lane, gate: gate, isOn: isOn, progress: try progress(lane), newest: newest,
                reader: reader, loop: loop,
                commit: { [unowned self, crashes] in crashes == self.crashes ? await keep($0) : false })
        }
        gate.onOpen = { [unowned self] in open() }
    }

    /// Ends the couriers at any moment, and makes others from the content of the store.
    func restart(isOn: Bool = true) async throws {
        stop()
        destination.isHeld = false
        try await eventually("the pass under way is over") { couriers.allSatisfy(\.isResting) }
        let stored = try store.makeReader()
        let breaker = try stored.destination("fake").map { Breaker(packed: $0.state) }
        try makeCouriers(isOn: isOn, breaker: breaker ?? Breaker()) { lane in
            try stored.destination("fake/\(lane.name)").map { LaneProgress(cursor: $0.cursor, packed: $0.state) }
                ?? LaneProgress(cursor: 0)
        }
    }

    /// Ends the couriers like a crash: accounts that the store has not got by now are lost.
    func crash(isOn: Bool = true) async throws {
        crashes += 1
        try await restart(isOn: isOn)
    }

    private func stop() {
        gate.stop()
        for courier in couriers { courier.stop() }
    }

    private func open() {
        calls += 1
        for courier in couriers where courier.pending != 0 || courier.hasReplays { courier.flush() }
    }

    /// Sets the dice: 1 waits as long as the policy allows, 0 not at all.
    func show(dice value: Double) { dice.withLock { $0 = value } }

    /// Moves the clock, and does what the gate's timer would.
    func advance(seconds: Double) {
        clock.advance(seconds: seconds)
        open()
    }

    // MARK: The store

    private func keep(_ account: DeliveryCommit) async -> Bool {
        if isStoreHeld { await withCheckedContinuation { heldAccounts.append($0) } }
        cursors.append(account.progress.cursor)
        if refusals > 0 {
            refusals -= 1
            return false
        }
        var changes = Changes()
        changes.rows = [
            .other(
                DeliveryRow.setDestination(
                    name: "fake/\(account.lane)", cursor: account.progress.cursor, state: account.progress.packed)),
            .other(DeliveryRow.removeDeadLetters(destination: "fake", account.redeemed)),
            .other(DeliveryRow.putDeadLetters(account.deadLetters)),
        ]
        if let breaker = account.breaker {
            changes.rows.append(.other(DeliveryRow.setDestination(name: "fake", cursor: 0, state: breaker.packed)))
        }
        do { try await commit(changes) } catch { return false }
        return true
    }

    private func letGo() {
        for account in heldAccounts { account.resume() }
        heldAccounts = []
    }

    func commit(_ changes: Changes) async throws {
        let rows = Int64(sessions.count)
        let batch = Batch(changes: changes, watermark: .init(lastSequence: newest, lastSessionRow: rows))
        _ = try await withCheckedContinuation { continuation in
            store.commit(batch) { continuation.resume(returning: $1) }
        }.get()
    }

    func deadLetters() throws -> [DeadLetter] { try store.makeReader().deadLetters(of: "fake", limit: 1_000) }

    func haveTriedAgain(_ sequences: [UInt64]? = nil) async throws {
        var changes = Changes()
        changes.rows = [.other(DeliveryRow.replayDeadLetters(destination: "fake", sequences))]
        try await commit(changes)
        for courier in couriers { courier.hasReplays = true }
        open()
    }

    /// The same for all, with no turn of the loop before the couriers hear of it.
    func markForAnotherTry() {
        var changes = Changes()
        changes.rows = [.other(DeliveryRow.replayDeadLetters(destination: "fake", nil))]
        let rows = Int64(sessions.count)
        let hold = Hold()
        store.commit(Batch(changes: changes, watermark: .init(lastSequence: newest, lastSessionRow: rows))) { _, _ in
            hold.end()
        }
        hold.wait()
        for courier in couriers { courier.hasReplays = true }
        open()
    }

    // MARK: Records

    /// The session of this number, made when it is first asked for.
    func session(_ number: Int = 1) -> SessionIdentity {
        if let session = sessions[number] { return session }
        let session = SessionIdentity(
            row: Int64(number), id: Identifier(high: 7, low: UInt64(number)), scope: Scope(uid: 1000), userId: nil,
            startedAt: Timestamp(milliseconds: 0), metadata: .none, isImplicit: true)
        sessions[number] = session
        return session
    }

    /// Stores records as one commit, and tells the couriers.
    /// - Parameter timestamp: their own time, other than that at which they came.
    @discardableResult
    func add(
        _ wanted: [(kind: Record.Kind, session: Int)], properties: Properties = .none, timestamp: Timestamp? = nil
    ) async throws -> [Record] {
        var identifiers = Identifier.Generator()
        var changes = Changes()
        for number in Set(wanted.map(\.session)).sorted() where sessions[number] == nil {
            changes.rows.append(.session(.insert(Session(session(number)))))
        }
        for (kind, number) in wanted {
            newest += 1
            changes.records.append(
                Record(
                    sequence: newest,
                    id: timestamp == nil ? Identifier(high: 9, low: newest) : identifiers.next(at: clock.now),
                    at: timestamp ?? clock.now, kind: kind,
                    session: session(number), name: kind == .event ? "event" : kind == .log ? "info" : "",
                    source: Source(uid: 1000, pid: 1), properties: properties))
        }
        try await commit(changes)
        let arrivals = Arrivals(changes.records)
        for courier in couriers { courier.notice(arrivals, newest: newest) }
        return changes.records
    }

    func add(_ kinds: [Record.Kind]) async throws { try await add(kinds.map { ($0, 1) }) }
    func add(_ count: Int) async throws { try await add([Record.Kind](repeating: .event, count: count)) }
    /// An event of each of these sessions.
    func add(ofSessions numbers: [Int]) async throws { try await add(numbers.map { (.event, $0) }) }

    /// Marks a session as removed, which hides it from readers.
    func remove(_ number: Int) async throws {
        var changes = Changes()
        changes.upkeep = [.remove(Selection(target: .session(session(number).id), uid: nil, upToRow: .max))]
        try await commit(changes)
    }

    /// Deletes the records of a session that was marked as removed.
    func sweep(_ number: Int) async throws {
        var changes = Changes()
        changes.upkeep = [.sweep(sessionRow: session(number).row, maxBlocks: 1_000_000)]
        try await commit(changes)
    }

    /// Waits until all that was stored is delivered.
    func settle() async throws {
        try await eventually("everything is delivered") { courier.progress.cursor == newest && courier.state == .idle }
    }

    /// Waits until no pass is under way and none is about to begin by itself.
    func rest() async throws {
        try await eventually("the couriers wait") {
            couriers.allSatisfy { $0.isResting && ($0.state != .waiting || gate.breaker.state != .closed) }
        }
    }
}

extension CourierFixture {
    /// Waits until nothing is under way or about to begin. Commits that the store refused are repeated at once.
    func quiet() async throws {
        try await eventually("nothing is under way", within: 60) {
            // One that is off begins nothing, and owes what it owes.
            let owing = couriers.filter { $0.isOn && ($0.fault != nil || $0.isOwing) }
            for courier in owing where courier.isResting { courier.flush() }
            return owing.isEmpty
                && couriers.allSatisfy {
                    $0.isResting && ($0.state != .waiting || gate.breaker.state != .closed)
                }
        }
    }
}

/// A clock that stands still until it is moved.
final class ManualClock: Sendable {
    private let time = Mutex(Timestamp(milliseconds: 1_900_000_000_000))

    var now: Timestamp { time.withLock { $0 } }

    func advance(seconds: Double) { time.withLock { $0 = $0.adding(milliseconds: Int64(seconds * 1_000)) } }
}
