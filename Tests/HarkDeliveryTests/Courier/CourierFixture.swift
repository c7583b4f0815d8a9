import HarkCore
import HarkStore
import HarkSystem
import HarkTesting
import HarkWire

@testable import HarkDelivery

/// A courier between a real store and a fake destination.
@DaemonActor
final class CourierFixture {
    let destination: FakeDestination
    let session = SessionIdentity(
        row: 1, id: Identifier(high: 7, low: 1), scope: Scope(uid: 1000), userId: nil,
        startedAt: Timestamp(milliseconds: 0), metadata: .none, isImplicit: true)
    private(set) var courier: Courier!
    /// The cursors that were to be stored, in order.
    private(set) var cursors: [UInt64] = []
    /// How many of the next cursors the store refuses.
    var refusals = 0
    private(set) var newest: UInt64 = 0

    private let folder: TemporaryFolder
    private let store: Store
    private let reader: DeliveryReader
    private let loop: EventLoop

    private init(_ destination: FakeDestination, _ loop: EventLoop) throws {
        self.destination = destination
        self.loop = loop
        folder = try TemporaryFolder(inMemory: true)
        store = try Store(folder: folder.path)
        reader = DeliveryReader(try store.makeReader())
    }

    nonisolated static func run(
        _ destination: FakeDestination = FakeDestination(),
        _ body: @escaping @DaemonActor @Sendable (CourierFixture) async throws -> Void
    ) async throws {
        try await LoopThread.shared.run { loop in
            let fixture = try CourierFixture(destination, loop)
            try fixture.makeCourier(cursor: 0)
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
        destination.isHeld = false
        courier.stop()
        try? await eventually("the pass under way is over") { courier.isResting }
        reader.close()
        store.close()
    }

    /// As a new start of the daemon would make it.
    func makeCourier(cursor: UInt64) throws {
        let clock: @Sendable () -> Timestamp = { Timestamp(milliseconds: SystemClock.realtimeMilliseconds) }
        let gate = try DeliveryGate(name: "fake", policy: .local, loop: loop, clock: clock)
        courier = try Courier(
            destination, lane: destination.lane, gate: gate, progress: LaneProgress(cursor: cursor), newest: newest,
            reader: reader, loop: loop
        ) { [unowned self] account in
            cursors.append(account.progress.cursor)
            if refusals > 0 {
                refusals -= 1
                return false
            }
            return true
        }
        gate.onOpen = { [unowned self] in courier.flush() }
    }

    /// Stores records of these kinds as one commit, and tells the courier.
    func add(_ kinds: [Record.Kind]) async throws {
        var changes = Changes()
        if newest == 0 { changes.rows.append(.insertSession(Session(session))) }
        for kind in kinds {
            newest += 1
            changes.records.append(
                Record(
                    sequence: newest, id: Identifier(high: 9, low: newest), at: Timestamp(milliseconds: 0), kind: kind,
                    session: session, name: kind == .event ? "event" : "", source: Source(uid: 1000, pid: 1)))
        }
        let batch = Batch(changes: changes, watermark: .init(lastSequence: newest, lastSessionRow: 1))
        _ = try await withCheckedContinuation { continuation in
            store.commit(batch) { continuation.resume(returning: $1) }
        }.get()
        courier.notice(changes.records, newest: newest)
    }

    func add(_ count: Int) async throws { try await add([Record.Kind](repeating: .event, count: count)) }

    /// Waits until all that was stored is delivered.
    func settle() async throws {
        try await eventually("everything is delivered") { courier.progress.cursor == newest && courier.state == .idle }
    }
}
