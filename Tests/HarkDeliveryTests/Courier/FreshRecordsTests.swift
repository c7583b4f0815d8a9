import HarkCore
import HarkTesting
import HarkWire
import Testing

@testable import HarkDelivery

/// What was just committed and is carried without being read back.
@Suite struct FreshRecordsTests {
    private static func commit(_ kinds: [Record.Kind], from first: UInt64, sessions: [Int64] = [1]) -> [Record] {
        kinds.enumerated().map { place, kind in
            let sequence = first + UInt64(place)
            let row = sessions[place % sessions.count]
            return Record(
                sequence: sequence, id: Identifier(high: 9, low: sequence), at: Timestamp(milliseconds: 0), kind: kind,
                session: SessionIdentity(
                    row: row, id: Identifier(high: 7, low: UInt64(row)), scope: Scope(uid: 1000), userId: nil,
                    startedAt: Timestamp(milliseconds: 0), metadata: .none, isImplicit: true),
                name: kind == .event ? "event" : kind == .log ? "info" : "", source: Source(uid: 1000, pid: 1))
        }
    }

    private static func filter(_ random: inout SplitMix64) throws -> DeliveryFilter {
        var filter = DeliveryFilter(
            kinds: random.pick([[], [.log], [.sessionEnded], [.log, .sessionEnded]]),
            events: random.pick([.none, .ofSurveys, .others, .all, .all]))
        switch random.below(8) {
        case 0: filter.skips = [5...9, 20...31]
        case 1: filter.names = [NamePattern("ev*")]
        case 2: filter.leastGravity = LogEntry.Level.warning.gravity
        case 3: filter.condition = try EventCondition(.value("@seq", Matcher(.gt, .int(20))))
        case 4: filter.removed = [2: 17]
        default: break
        }
        return filter
    }

    @Test("L9: what is at hand is what the log holds, whatever a lane wants and however its pages are cut")
    func same() async throws {
        try await CourierFixture.run { fixture in
            var random = SplitMix64(state: 7)
            var fresh = FreshRecords(after: 0)
            var end: UInt64 = 0
            for _ in 0..<12 {
                let kinds = (0..<random.below(9)).map { _ in
                    (kind: random.pick([Record.Kind.event, .event, .sessionEnded, .log]), session: random.below(3) + 1)
                }
                let arrivals = Arrivals(try await fixture.add(kinds))
                end = fixture.newest
                if kinds.isEmpty { fresh.pass(upTo: end) } else { fresh.append(arrivals, upTo: end) }
            }
            for _ in 0..<200 {
                let (filter, limit) = (try Self.filter(&random), 1 + random.below(30))
                let maxBytes = random.once(in: 3) ? 134 * random.below(9) + 1 : .max
                let last = end - UInt64(random.below(6))
                var cursor = UInt64(random.below(Int(last)))
                var isLast = false
                while !isLast {
                    let read = try await fixture.reader.read(
                        after: cursor, upTo: last, filter, limit: limit, maxBytes: maxBytes)
                    let page = try #require(
                        fresh.page(after: cursor, upTo: last, filter, limit: limit, maxBytes: maxBytes))
                    #expect(page.records.map(\.sequence) == read.records.map(\.sequence))
                    #expect(page.bytes == read.bytes)
                    for (own, other) in zip(page.records, read.records) {
                        #expect(own.session.row == other.session.row && own.name == other.name && own.id == other.id)
                    }
                    // Whether a full page was the last, the log says with the next one.
                    if !page.isLast { #expect(page.end == read.end && !read.isLast) }
                    isLast = page.isLast
                    cursor = page.end
                }
                #expect(cursor == last)
            }
        }
    }

    @Test("L9: what is removed is not carried because it was at hand, and is counted as by who reads it")
    func removed() async throws {
        try await CourierFixture.run { fixture in
            var fresh = FreshRecords(after: 0)
            fresh.append(Arrivals(try await fixture.add([(.event, 1), (.event, 2), (.event, 1)])), upTo: 3)
            let filter = fixture.destination.lane.filter
            func page(_ fresh: FreshRecords?) async throws -> DeliveryReader.Page {
                try await fixture.reader.read(
                    after: 0, upTo: 3, filter, limit: 100, maxBytes: .max, fresh: fresh)
            }
            #expect(try await page(fresh).records.count == 3)
            try await fixture.remove(2)
            for page in [try await page(fresh), try await page(nil)] {
                #expect(page.records.map(\.sequence) == [1, 3])
                #expect(page.removals.waiting[2]?.count == 1)
                #expect(page.removals.waiting[2]?.last == 2)
            }
        }
    }

    @Test("the oldest make room, and a lane that is not as far as they reach reads the log")
    func room() throws {
        var fresh = FreshRecords(after: 4)
        for number in 0..<5 as Range<UInt64> {
            let records = Self.commit([.event, .event], from: 5 + 2 * number)
            fresh.append(Arrivals(records), upTo: 6 + 2 * number)
        }
        let filter = DeliveryFilter(kinds: [], events: .all)
        func numbers(after cursor: UInt64, upTo newest: UInt64 = 14) -> [UInt64]? {
            fresh.page(after: cursor, upTo: newest, filter, limit: 100, maxBytes: .max)?.records.map(\.sequence)
        }
        #expect(numbers(after: 3) == nil)
        #expect(numbers(after: 4) == Array(5...14))
        #expect(numbers(after: 7, upTo: 12) == Array(8...12))
        #expect(numbers(after: 7, upTo: 15) == nil)
        let bytes = fresh.bytes
        fresh.drop(beyond: bytes)
        #expect(fresh.bytes == bytes)
        fresh.drop(beyond: bytes / 2)
        #expect(fresh.bytes <= bytes / 2)
        #expect(numbers(after: 9) == nil)
        #expect(numbers(after: 10) == Array(11...14))
        fresh.drop(upTo: 12)
        #expect(numbers(after: 11) == nil)
        #expect(numbers(after: 12) == [13, 14])
        fresh.drop(upTo: 14)
        #expect(fresh.bytes == 0)
        #expect(numbers(after: 14) == [])
    }

    @Test(
        "a lane has what is committed at hand while it is on and close behind, and nothing where it may have missed some"
    )
    func states() {
        let destination = FakeDestination(batchLimit: 2) { $0.skipsWhileOff = true }
        let terms = CourierState.Terms(destination: "fake", lane: destination.lane, batch: destination.batch)
        var gate = GateState(
            name: "fake", policy: .local, breaker: Breaker(), now: Timestamp(milliseconds: 1_900_000_000_000))
        var newest: UInt64 = 0
        func write(_ count: Int, _ state: inout CourierState, mayPass: Bool = true) {
            let records = Self.commit([Record.Kind](repeating: .event, count: count), from: newest + 1)
            newest += UInt64(count)
            _ = state.notice(Arrivals(records), newest: newest, mayPass: mayPass)
        }
        func fresh() -> CourierState {
            newest = 0
            var state = CourierState(terms, LaneProgress(cursor: 0), isOn: true, newest: 0)
            write(3, &state)
            return state
        }
        var state = fresh()
        #expect(state.fresh?.start == 0)
        write(2, &state, mayPass: false)
        #expect(state.fresh == nil)
        write(2, &state)
        #expect(state.fresh?.start == 5)
        state = fresh()
        #expect(!state.isCrowded)
        write(destination.batch.page, &state)
        #expect(state.isCrowded)
        state = fresh()
        _ = state.ask(.turn(on: false), 1, &gate)
        write(1, &state)
        #expect(state.fresh == nil)
        state = fresh()
        _ = state.stop()
        #expect(state.fresh == nil)
        state = fresh()
        _ = state.ask(.forget(Self.commit([.event], from: 1)[0].session), 1, &gate)
        #expect(state.fresh == nil)
        state = fresh()
        state.forgetFresh()
        write(1, &state)
        #expect(state.fresh?.start == 3)
        // One that is far behind has to read so much that this would be gone again.
        state = CourierState(terms, LaneProgress(cursor: 0), isOn: true, newest: 100)
        write(1, &state)
        #expect(state.fresh == nil)
        state.pending = destination.batch.page
        write(1, &state)
        #expect(state.fresh == nil)
    }
}
