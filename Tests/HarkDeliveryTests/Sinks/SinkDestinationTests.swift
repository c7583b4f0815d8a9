import HarkCore
import HarkSystem
import HarkTesting
import HarkWire
import Testing

@testable import HarkDelivery

@Suite("Sinks: where they stand, and what follows from it")
struct SinkDestinationTests {
    /// A sink with the store's couriers. The test hands the parcels over itself.
    @DaemonActor
    final class Stage {
        let fixture: CourierFixture
        let sink: FakeSink
        private(set) var destination: SinkDestination!
        /// The ids that the store was asked to keep.
        private(set) var log: SinkLog?
        private(set) var bounds: ClosedRange<UInt64>?
        /// The last number that the store says it has given; nil: the fixture's.
        var newest: UInt64?

        init(_ fixture: CourierFixture, _ sink: FakeSink, log: SinkLog? = nil, sent: UInt64 = 0) throws {
            (self.fixture, self.sink, self.log) = (fixture, sink, log)
            try begin(sent: sent)
        }

        /// Starts like after a restart.
        func begin(sent: UInt64) throws {
            let identity = SinkIdentity(known: log) { [weak self] log in
                self?.log = log
                return true
            }
            let keeping = SinkDestination.Keeping(
                newest: { [weak self, fixture] in self?.newest ?? fixture.newest },
                bounds: { [weak self] bounds in
                    self?.bounds = bounds
                    return true
                })
            destination = try SinkDestination(
                name: "sink", sink, batch: BatchLimits(entries: 100, gatherMilliseconds: 1), followsRemovals: false,
                identity: identity, sent: sent, bounds: bounds, keeping: keeping, reader: fixture.reader,
                loop: fixture.loop)
            destination.start(fixture.courier, fixture.gate)
        }

        func deliver(_ records: [Record]) async -> DeliveryOutcome {
            await destination.deliver(records[...], before: [])
        }

        func failure(of records: [Record]) async -> DeliveryFailure? {
            if case .failed(let failure) = await deliver(records) { failure } else { nil }
        }
    }

    private static func run(
        _ sink: @escaping @DaemonActor @Sendable () -> FakeSink = { FakeSink() },
        _ body: @escaping @DaemonActor @Sendable (Stage) async throws -> Void
    ) async throws {
        // The couriers' own destination takes nothing, so that their cursor stays where it is.
        let other = FakeDestination()
        try await CourierFixture.run(other) { fixture in
            await fixture.courier.turn(on: false)
            let stage = try Stage(fixture, sink())
            try await body(stage)
            stage.destination.close()
        }
    }

    private static func events(_ count: Int) -> [(kind: Record.Kind, session: Int)] {
        [(kind: Record.Kind, session: Int)](repeating: (.event, 1), count: count)
    }

    @Test("it is asked where it stands before anything is sent, and what it has is not sent again")
    func asked() async throws {
        try await Self.run { stage in
            let records = try await stage.fixture.add(Self.events(5))
            #expect(await stage.deliver(records) == .accepted)
            #expect(stage.sink.batches == [1...5])
            // The accounts of it were lost, as in a power cut.
            try stage.begin(sent: 0)
            #expect(await stage.deliver(records) == .accepted)
            #expect(stage.sink.batches == [1...5])
            let more = try await stage.fixture.add(Self.events(2))
            #expect(await stage.deliver(Array(records[3...] + more)) == .accepted)
            #expect(stage.sink.batches == [1...5, 6...7])
        }
    }

    @Test("after a failure that leaves in doubt what is there, it is asked again; after a refusal it need not be")
    func doubt() async throws {
        try await Self.run { stage in
            let records = try await stage.fixture.add(Self.events(3))
            stage.sink.failures = [DeliveryFailure(.network, "cut"), DeliveryFailure(.refused, "no")]
            #expect(await stage.failure(of: records)?.kind == .network)
            let asked = stage.sink.asked
            #expect(await stage.failure(of: records)?.kind == .refused)
            #expect(stage.sink.asked == asked + 1)
            #expect(await stage.deliver(records) == .accepted)
            #expect(stage.sink.asked == asked + 1)
        }
    }

    @Test("a sink that stands earlier than it did is told of, and given again what lies behind")
    func setBack() async throws {
        try await Self.run { stage in
            let records = try await stage.fixture.add(Self.events(5))
            #expect(await stage.deliver(records) == .accepted)
            stage.sink.positions = stage.sink.positions.mapValues { _ in
                SinkMark(sequence: 2, id: records[1].id)
            }
            try stage.begin(sent: 5)
            // The fixture's courier is off, so the start has not asked.
            stage.destination.look()
            try await eventually("it is noticed") { !stage.destination.notes.isEmpty }
            #expect(stage.destination.notes.first?.contains("stands at record 2 and had come to 5") == true)
            #expect(stage.destination.sent == 2)
            try await eventually("it has gone back") { await stage.deliver(records) == .accepted }
            #expect(stage.sink.batches == [1...5, 3...5])
        }
    }

    @Test("a store that was set back gives no number twice: what it records from there on is of another log")
    func fork() async throws {
        try await Self.run { stage in
            let records = try await stage.fixture.add(Self.events(3))
            #expect(await stage.deliver(records) == .accepted)
            let first = try #require(stage.log)
            // The sink has more than this store ever gave.
            stage.sink.positions[first.current] = SinkMark(sequence: 9, id: Identifier(high: 1, low: 9))
            for number in 4...9 as ClosedRange<UInt64> {
                stage.sink.rows[.init(log: first.current, sequence: number)] = Identifier(high: 1, low: number)
            }
            try stage.begin(sent: 3)
            let more = try await stage.fixture.add(Self.events(4))
            try await eventually("it is taken") { await stage.deliver(more) == .accepted }
            let second = try #require(stage.log)
            #expect(second.all.count == 2)
            #expect(second.begin == 3)
            #expect(stage.sink.sequences(of: first.current) == Array(1...9))
            #expect(stage.sink.sequences(of: second.current) == [4, 5, 6, 7])
            // And so it is after a start.
            try stage.begin(sent: 7)
            let last = try await stage.fixture.add(Self.events(1))
            #expect(await stage.deliver(last) == .accepted)
            #expect(stage.log == second)
        }
    }

    @Test("a record that comes while sink and store are compared is not taken for one that was removed")
    func meanwhile() async throws {
        try await Self.run { stage in
            #expect(await stage.deliver(try await stage.fixture.add(Self.events(3))) == .accepted)
            // The sink has one more, of a history that this store does not have.
            let log = try #require(stage.log).current
            stage.sink.positions[log] = SinkMark(sequence: 4, id: Identifier(high: 1, low: 4))
            try stage.begin(sent: 3)
            stage.newest = 3
            stage.sink.onAsked = { DaemonActor.post { stage.newest = 4 } }
            stage.destination.look()
            try await eventually("it is asked") { stage.destination.standing != nil }
            #expect(stage.newest == 4 && stage.destination.standing == 3)
        }
    }

    @Test("where the numbers were given again before it was asked, the first that is taken tells from where on")
    func taken() async throws {
        try await Self.run { stage in
            let records = try await stage.fixture.add(Self.events(6))
            let log = SinkLog(SinkLog.newId())
            let foreign = Identifier(high: 1, low: 1)
            // The first three are the same, then came others.
            for record in records {
                let id = record.sequence <= 3 ? record.id : foreign
                stage.sink.rows[.init(log: log.current, sequence: record.sequence)] = id
            }
            stage.sink.positions[log.current] = SinkMark(sequence: 6, id: foreign)
            let other = try Stage(stage.fixture, stage.sink, log: log, sent: 1)
            #expect(await other.failure(of: records)?.kind == .local)
            #expect(await other.deliver(records) == .accepted)
            let now = try #require(other.log)
            #expect(now.begin == 3)
            #expect(stage.sink.sequences(of: now.current) == [4, 5, 6])
            #expect(stage.sink.rows[.init(log: log.current, sequence: 4)] == foreign)
            other.destination.close()
        }
    }

    @Test("a batch that may have arrived is sent again with the bounds that it had, which were kept first")
    func bounds() async throws {
        let sink: @DaemonActor @Sendable () -> FakeSink = { FakeSink(needsBounds: true) }
        try await Self.run(sink) { stage in
            let records = try await stage.fixture.add(Self.events(3))
            stage.sink.failures = [DeliveryFailure(.network, "cut")]
            #expect(await stage.failure(of: records)?.kind == .network)
            #expect(stage.bounds == 1...3)
            let more = try await stage.fixture.add(Self.events(2))
            try stage.begin(sent: 0)
            #expect(await stage.deliver(records + more) == .accepted)
            #expect(stage.sink.batches == [1...3, 1...3, 4...5])
            #expect(stage.bounds == 4...5)
        }
    }

    @Test("a sink that is away is asked again by itself, and its way back is noticed without anything to send")
    func away() async throws {
        try await Self.run { stage in
            let records = try await stage.fixture.add(Self.events(2))
            #expect(await stage.deliver(records) == .accepted)
            stage.sink.positions = [:]
            stage.sink.onLost()
            try await eventually("it is noticed", within: 20) { !stage.destination.notes.isEmpty }
            #expect(stage.destination.sent == 0)
        }
    }
}
