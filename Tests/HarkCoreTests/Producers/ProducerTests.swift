import HarkWire
import Testing

@testable import HarkCore

/// An event's own time, and sends that are recorded once (row E11).
@Suite struct ProducerTests {
    private struct Unexpected: Error {}

    private var under = EngineUnderTest()

    /// Sends number `number` of a producer, which the store has never heard of unless it is known already.
    @discardableResult
    private mutating func send(
        _ number: Int64, of id: String = "till-1", in scope: Scope? = nil, name: String = "sold"
    ) throws(WireError) -> Receipt {
        let scope = scope ?? under.scope
        let producer = Producer(id, in: scope)
        if !under.engine.use(producer) { under.engine.admit(producer, nil) }
        let (source, now) = (under.source, under.now)
        return try under.engine.once(ProducerSend(producer, number: number), into: &under.changes) {
            engine, changes throws(WireError) in
            try engine.record(name, properties: .none, in: scope, source: source, now: now, into: &changes)
        }
    }

    /// Commits the changes to a store that takes them.
    private mutating func commit() -> Changes {
        under.engine.handOver(completing: &under.changes)
        defer { under.changes = Changes() }
        under.engine.settle()
        return under.changes
    }

    @Test("an event keeps the time it is given; its id, and all that is decided, go by when it came")
    mutating func ownTime() throws {
        let own = Timestamp(milliseconds: 1_000)
        let recorded = try under.engine.record(
            "late", properties: .none, in: under.scope, timestamp: own, source: under.source, now: under.now,
            into: &under.changes)
        let record = try #require(under.changes.records.last)
        #expect(record.at == own && record.receivedAt == under.now && recorded.id.time == under.now)
        #expect(under.current()?.identity.startedAt == under.now)
        try under.record("next")
        #expect(under.changes.records.last?.at == under.now)
        #expect(Identifier("0199e0f4-8c7a-4000-8000-000000000000")?.time == nil)
    }

    @Test("what is sent again is recorded once, and told what it was while that is the newest")
    mutating func repeated() throws {
        guard case .recorded(let first) = try send(7) else { throw Unexpected() }
        #expect(try send(7).recorded == first)
        guard case .recorded(let second) = try send(9) else { throw Unexpected() }
        for (number, expected) in [(9, second), (8, nil), (7, nil), (1, nil)] as [(Int64, Recorded?)] {
            let receipt = try send(number)
            #expect(receipt.isRepeated && receipt.recorded == expected)
        }
        #expect(under.story == ["started anonymous", "sold", "sold"])
        #expect(under.engine.lastSequence == 3)
    }

    @Test("a repeated send starts no session, and another app's or user's producer of the same id is another one")
    mutating func scopes() throws {
        try send(1)
        under.end()
        #expect(try send(1).isRepeated)
        #expect(under.current() == nil)
        #expect(try !send(1, in: Scope(uid: 1000, app: "kiosk")).isRepeated)
        #expect(try !send(1, in: Scope(uid: 1001)).isRepeated)
        #expect(try !send(1, of: "till-2").isRepeated)
    }

    @Test("what is refused uses up no number")
    mutating func refused() throws {
        #expect(throws: WireError.self) { try send(1, name: "") }
        #expect(try !send(1).isRepeated)
    }

    @Test("numbers reach to the end of 64 bits")
    mutating func ends() throws {
        #expect(try !send(1).isRepeated)
        #expect(try !send(.max).isRepeated)
        #expect(try send(.max).isRepeated)
        #expect(try send(.max - 1).isRepeated)
    }

    @Test(
        "an id out of bounds is refused, and nothing has changed",
        arguments: [("", ErrorReason.invalidParams), (String(repeating: "é", count: 65), .tooLarge)])
    func id(_ id: String, _ reason: ErrorReason) {
        var copy = self
        let error = #expect(throws: WireError.self) { try copy.send(1, of: id) }
        #expect(error?.reason == reason && error?.path == "producer.id")
        #expect(copy.under.changes.isEmpty)
    }

    @Test("one row goes to the store with each commit, however much a producer sent, and none for what was repeated")
    mutating func rows() throws {
        for number in 1...100 { try send(Int64(number)) }
        try send(5, of: "till-2")
        let first = commit()
        #expect(first.producers.map { "\($0.producer.id) \($0.mark.number)" }.sorted() == ["till-1 100", "till-2 5"])
        #expect(first.producers.first { $0.producer.id.text == "till-1" }?.mark.sequence == 101)
        try send(100)
        #expect(commit().producers.isEmpty)
    }

    @Test("a clear of everything forgets producers, until it is stored whatever the store says; one of a user does not")
    mutating func clear() throws {
        try send(7)
        _ = commit()
        _ = under.engine.clear(.user(nil), uid: 1000, now: under.now, into: &under.changes)
        #expect(try send(7).isRepeated)
        _ = under.engine.clear(.all, uid: 1001, now: under.now, into: &under.changes)
        #expect(try send(7).isRepeated)
        _ = under.engine.clear(.all, uid: 1000, now: under.now, into: &under.changes)
        // The store knows it still.
        let other = Producer("till-2", in: under.scope)
        under.engine.admit(other, ProducerMark(number: 50, sequence: 2, recorded: nil))
        #expect(try !send(1, of: "till-2").isRepeated)
        let cleared = commit()
        #expect(cleared.producers.map(\.producer) == [other])
        #expect(try !send(7).isRepeated)
        #expect(commit().producers.map(\.mark.number) == [7])
    }

    @Test("beyond so many producers, those that were not heard of for the longest are forgotten, some at a time")
    mutating func many() throws {
        under.engine.admit(Amount(count: Limits.producersPerUser - 1), .producers, of: 1000)
        func trims(_ changes: Changes) -> [Int] {
            changes.rows.compactMap { if case .other(ProducerRemoval.trim(1000, let keep)) = $0 { keep } else { nil } }
        }
        try send(1, of: "a")
        #expect(trims(under.changes).isEmpty)
        try send(1, of: "b")
        #expect(trims(under.changes) == [9_000])
        #expect(under.engine.holdings[1000]?[.producers] == Amount(count: 9_001))
        try send(2, of: "a")
        try send(1, of: "c")
        #expect(trims(under.changes).count == 1)
        #expect(under.engine.holdings[1000]?[.producers] == Amount(count: 9_002))
    }
}
