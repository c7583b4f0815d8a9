import HarkCore
import HarkTesting
import HarkWire
import Testing

@testable import HarkDelivery

/// The pages in which the log is read for a lane.
@Suite struct PageTests {
    private static let everything = DeliveryFilter(kinds: [.sessionStarted, .sessionEnded, .log], events: .all)

    /// All pages from `cursor` on: their numbers, and where they end.
    private static func walk(
        _ fixture: CourierFixture, _ filter: DeliveryFilter = everything, from cursor: UInt64 = 0, upTo end: UInt64,
        limit: Int = .max, maxBytes: Int = .max
    ) async throws -> (pages: [[UInt64]], ends: [UInt64]) {
        var (pages, ends): ([[UInt64]], [UInt64]) = ([], [])
        var cursor = cursor
        while pages.count < 1_000 {
            let page = try await fixture.reader.read(
                after: cursor, upTo: end, filter, limit: limit, maxBytes: maxBytes)
            pages.append(page.records.map(\.sequence))
            ends.append(page.end)
            cursor = page.end
            if page.isLast { break }
        }
        return (pages, ends)
    }

    @Test("however a page is cut, nothing is left out and nothing comes twice", arguments: [1, 2, 3, 7, 100])
    func limits(_ limit: Int) async throws {
        try await CourierFixture.run { fixture in
            // Sessions that take turns lie in blocks that overlap.
            for turn in 0..<4 { try await fixture.add(ofSessions: [1, 2, 1, 3, 2, 1].map { $0 + turn % 2 }) }
            let walked = try await Self.walk(fixture, upTo: 24, limit: limit)
            #expect(walked.pages.flatMap(\.self) == Array(1...24))
            #expect(walked.pages.allSatisfy { $0.count <= limit })
            #expect(walked.ends.last == 24)
            let middle = try await Self.walk(fixture, from: 9, upTo: 20, limit: limit)
            #expect(middle.pages.flatMap(\.self) == Array(10...20))
            #expect(middle.ends.last == 20)
            let most = try await Self.walk(fixture, upTo: 24, maxBytes: limit * 134)
            #expect(most.pages.flatMap(\.self) == Array(1...24))
        }
    }

    @Test("a lane that wants few is told how far it was looked, and its numbers")
    func filtered() async throws {
        try await CourierFixture.run { fixture in
            for _ in 0..<5 { try await fixture.add([(.event, 1), (.log, 1), (.event, 2), (.sessionEnded, 1)]) }
            let logs = try await Self.walk(fixture, DeliveryFilter(kinds: [.log]), upTo: 20, limit: 2)
            #expect(logs.pages == [[2, 6], [10, 14], [18]])
            #expect(logs.ends == [6, 14, 20])
            var filter = DeliveryFilter(kinds: [.log])
            filter.skips = [5...8, 17...20]
            let left = try await Self.walk(fixture, filter, upTo: 20, limit: 2)
            #expect(left.pages.flatMap(\.self) == [2, 10, 14])
            #expect(left.ends.last == 20)
            let entries = DeliveryFilter(kinds: [.log])
            #expect(try await fixture.reader.count(LaneProgress(cursor: 2), upTo: 18, entries) == 4)
            #expect(try await fixture.reader.count(LaneProgress(cursor: 2), upTo: 18, filter) == 2)
            #expect(try await fixture.reader.count(LaneProgress(cursor: 20), upTo: 20, filter) == 0)
        }
    }

    @Test("a page that fills up with what is done already goes on to what is not")
    func behindTheDone() async throws {
        try await CourierFixture.run(FakeDestination(batchLimit: 1, concurrency: 2)) { fixture in
            let destination = fixture.destination
            destination.isHeld = true
            destination.answer = { $0 == [1] ? .failed(.network) : nil }
            // A page is 64 records: all of the second session's arrive while the first one's first fails.
            try await fixture.add(ofSessions: [1] + Array(repeating: 2, count: 150))
            try await eventually("both chains have begun") { destination.underWay.count == 2 }
            while destination.accepted.count < 63 {
                let next = try #require(destination.underWay.first { $0 != [1] })
                destination.letGo { $0 == next }
                try await eventually("it has arrived") { destination.accepted.last == next[0] }
                if destination.accepted.count < 63 {
                    try await eventually("the next is under way") { destination.underWay.count == 2 }
                }
            }
            destination.isHeld = false
            try await fixture.rest()
            #expect(fixture.courier.progress.cursor == 0)
            #expect(fixture.courier.progress.done.count == 63)
            fixture.advance(seconds: 1)
            try await eventually("the first has failed again") { destination.batches.count { $0 == [1] } == 2 }
            try await fixture.rest()
            #expect(destination.accepted.count >= 64)
            destination.answer = { _ in nil }
            fixture.advance(seconds: 10)
            try await fixture.settle()
            #expect(destination.accepted.sorted() == Array(1...151))
            #expect(destination.overlaps == 0)
            #expect(fixture.courier.progress.accepted == 151)
        }
    }

    @Test("one record that fails for ever lets only so many others pass, and in the end all of them")
    func ahead() async throws {
        var policy = RetryPolicy()
        policy.maxAttempts = nil
        try await CourierFixture.run(FakeDestination(batchLimit: 1_024, concurrency: 2), policy: policy) { fixture in
            let destination = fixture.destination
            // Both chains have something under way before the one that fails stops the other.
            destination.isHeld = true
            destination.answer = { $0.contains(1) ? .failed(.server, status: 502) : nil }
            let count = 3 * CourierState.mostAhead
            try await fixture.add([(.event, 1)] + [(Record.Kind, Int)](repeating: (.event, 2), count: count - 1))
            for _ in 0..<12 {
                try await eventually("the one that fails is under way") { destination.underWay.contains([1]) }
                let (ahead, before) = (fixture.courier.progress.done.count, destination.accepted.count)
                if ahead + 1 < CourierState.mostAhead {
                    // What is accepted first keeps the breaker from opening, as then probes alone would go.
                    try await eventually("another is under way") { destination.underWay.count == 2 }
                    destination.letGo { $0 != [1] }
                    try await eventually("it is accepted") { destination.accepted.count > before }
                }
                try await eventually("the pass is over") {
                    destination.letGo { _ in true }
                    return fixture.courier.isResting
                }
                fixture.advance(seconds: 1_000)
            }
            #expect(fixture.courier.progress.done.count == CourierState.mostAhead - 1)
            #expect(fixture.courier.pending == count - CourierState.mostAhead + 1)
            destination.answer = { _ in nil }
            destination.isHeld = false
            fixture.advance(seconds: 1_000)
            try await fixture.settle()
            #expect(fixture.courier.progress.accepted == count)
            #expect(fixture.courier.progress.done.isEmpty)
        }
    }

    @Test("of a page that has more than may be kept, the first part is read ahead, and what is behind it comes next")
    func largeAhead() async throws {
        try await CourierFixture.run { fixture in
            let properties = Properties([("k", .string(String(repeating: "x", count: 60_000)))])
            for _ in 0..<10 {
                try await fixture.add([(Record.Kind, Int)](repeating: (.event, 1), count: 10), properties: properties)
            }
            let walked = try await Self.walk(fixture, upTo: 100, limit: 40, maxBytes: 4 << 20)
            #expect(walked.pages.flatMap(\.self) == Array(1...100))
            // 18 of them are the first that have 1 MiB; where less than a page is left, nothing is read ahead.
            #expect(walked.pages.map(\.count) == [40, 18, 18, 24])
        }
    }

    @Test("what is removed after a page was read ahead is not in it when its turn comes", arguments: [false, true])
    func removedAhead(isForgotten: Bool) async throws {
        try await CourierFixture.run { fixture in
            try await fixture.add(ofSessions: [1, 2, 1, 2, 1, 2, 1, 2])
            func page(after cursor: UInt64, _ filter: DeliveryFilter = Self.everything) async throws -> [UInt64] {
                try await fixture.reader.read(after: cursor, upTo: 8, filter, limit: 2, maxBytes: .max).records
                    .map(\.sequence)
            }
            #expect(try await page(after: 0) == [1, 2])
            #expect(try await page(after: 2) == [3, 4])
            // By now the next is read, with both sessions.
            await fixture.reader.work {}
            try await fixture.remove(2)
            if isForgotten {
                let gone = try await fixture.reader.sequences(
                    ofRemoved: fixture.session(2), Self.everything, to: "fake")
                #expect(gone.all == [2, 4, 6, 8])
                try await fixture.sweep(2)
            }
            #expect(try await page(after: 4) == [5, 7])
        }
    }
}
