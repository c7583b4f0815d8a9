import HarkCore
import HarkTesting
import HarkWire
import Testing

@testable import HarkDelivery

/// How far a lane has come, and what became of everything it passed (rows L5, L9).
@Suite struct LaneProgressTests {
    private static func roundTrip(_ progress: LaneProgress) -> LaneProgress {
        LaneProgress(cursor: progress.cursor, packed: Properties(bytes: progress.packed.bytes))
    }

    @Test("the cursor moves over what is done, and stops at what is not")
    func advance() {
        var progress = LaneProgress(cursor: 10)
        progress.accept([11, 13, 14])
        progress.drop(16, .age)
        progress.advance(over: [11, 13, 14, 15, 16], to: 20)
        #expect(progress.cursor == 14)
        #expect(progress.done == [16])
        #expect(progress.accepted == 3)
        #expect(progress.dropped == [.age: 1])
        progress.accept([15])
        progress.advance(over: [15, 16], to: 20)
        #expect(progress.cursor == 20)
        #expect(progress.done == [])
    }

    @Test("a page that was not looked at to its end moves it no further than the page")
    func page() {
        var progress = LaneProgress(cursor: 0)
        progress.advance(over: [], to: 5)
        #expect(progress.cursor == 5)
        progress.advance(over: [], to: 3)
        #expect(progress.cursor == 5)
        // What lies before the cursor is past.
        progress.advance(over: [2, 4], to: 5)
        #expect(progress.cursor == 5)
    }

    @Test("nothing is counted twice")
    func twice() {
        var progress = LaneProgress(cursor: 0)
        progress.accept([1, 1, 2])
        progress.accept([2])
        progress.drop(2, .overflow)
        progress.drop(3, .overflow)
        progress.drop(3, .age)
        progress.accept([3])
        #expect(progress.accepted == 2)
        #expect(progress.dropped == [.overflow: 1])
    }

    @Test("tries are counted for each record, and forgotten with it")
    func attempts() {
        var progress = LaneProgress(cursor: 0)
        #expect(progress.countAttempt(of: 1) == 1)
        #expect(progress.countAttempt(of: 2) == 1)
        #expect(progress.countAttempt(of: 1) == 2)
        progress = Self.roundTrip(progress)
        #expect(progress.countAttempt(of: 1) == 3)
        progress.accept([1])
        progress.advance(over: [1, 2], to: 2)
        #expect(progress.attempts == [2: 1])
    }

    @Test("what passes while it is off is left out; several times over, and each forgotten once it is passed")
    func skips() {
        var progress = LaneProgress(cursor: 0)
        progress.pause(at: 5)
        progress.pause(at: 7)
        #expect(progress.leftOut == [6...UInt64.max])
        progress.goOn(at: 10)
        progress.goOn(at: 12)
        #expect(progress.skips == [6...10])
        // Nothing came meanwhile.
        progress.pause(at: 15)
        progress.goOn(at: 15)
        progress.pause(at: 20)
        progress.goOn(at: 30)
        #expect(progress.skips == [6...10, 21...30])
        #expect(progress.leftOut == progress.skips)
        progress.advance(over: [], to: 10)
        #expect(progress.skips == [21...30])
        progress.advance(over: [], to: 25)
        #expect(progress.skips == [21...30])
        progress.advance(over: [], to: 30)
        #expect(progress.skips == [])
    }

    @Test("a dead letter that is accepted after all moves from one count to the other")
    func redeem() {
        var progress = LaneProgress(cursor: 0)
        for (sequence, cause) in [(1, .refused), (2, .refused), (3, .tooLarge)] as [(UInt64, LaneProgress.Drop)] {
            progress.drop(sequence, cause)
        }
        progress.redeem(.refused)
        progress.redeem(.tooLarge)
        #expect(progress.accepted == 2)
        #expect(progress.dropped == [.refused: 1])
    }

    @Test("of what was accepted, no more can be refused than there was")
    func noteRefused() {
        var progress = LaneProgress(cursor: 0)
        progress.accept([1, 2, 3])
        progress.noteRefused(2)
        #expect((progress.accepted, progress.dropped[.refused]) == (1, 2))
        progress.noteRefused(0)
        progress.noteRefused(9)
        #expect((progress.accepted, progress.dropped[.refused]) == (0, 3))
        progress.noteRefused(-1)
        #expect((progress.accepted, progress.dropped[.refused]) == (0, 3))
    }

    @Test("everything comes back from the store as it was")
    func packing() {
        var progress = LaneProgress(cursor: 41)
        progress.accept([50, 43])
        for (number, cause) in LaneProgress.Drop.allCases.enumerated() {
            for copy in 0...number { progress.drop(UInt64(100 + number * 10 + copy), cause) }
        }
        for _ in 0..<3 { _ = progress.countAttempt(of: 60) }
        _ = progress.countAttempt(of: 61)
        progress.pause(at: 200)
        progress.goOn(at: 300)
        progress.pause(at: 400)
        progress.goOn(at: 1 << 40)
        progress.pause(at: 1 << 41)
        progress.noteRemoved(7)
        #expect(Self.roundTrip(progress) == progress)
        #expect(Self.roundTrip(LaneProgress(cursor: 0)) == LaneProgress(cursor: 0))
    }

    @Test("a cursor of a store that knew nothing else begins there, and what no lane wrote changes nothing")
    func foreign() {
        #expect(LaneProgress(cursor: 7, packed: .none) == LaneProgress(cursor: 7))
        for member: (String, PropertyValue) in [
            ("first", .integer(-1)), ("accepted", .string("many")), ("dropped.unheard", .integer(3)),
            ("done", .integer(-4)), ("done", .string("x")), ("attempts.1", .string("-")), ("attempts.x", .string("3")),
            ("pausedAt", .integer(-2)), ("skip.9", .integer(3)), ("skip.-1", .integer(3)), ("skip.1", .integer(-1)),
            ("skip", .integer(4)), ("attempts.x", .integer(3)), ("attempts.1", .integer(-3)), ("", .bool(true)),
            ("later", .integer(1)),
        ] {
            #expect(LaneProgress(cursor: 7, packed: Properties([member])) == LaneProgress(cursor: 7), "\(member)")
        }
    }

    @Test("what is done beyond the cursor takes few bytes, and is read as version 0.1.0 wrote it, too")
    func few() {
        var progress = LaneProgress(cursor: 1_000_000)
        // One of a hundred sessions fails, whose records lie between those of the others.
        progress.accept((1_000_001...1_004_096).filter { $0 % 100 != 1 })
        #expect(progress.packed.bytes.count < 1_000)
        #expect(Self.roundTrip(progress) == progress)
        progress.accept([UInt64.max >> 1])
        #expect(Self.roundTrip(progress) == progress)

        let old = Properties([
            ("done", .integer(9)), ("done", .integer(11)), ("attempts.2", .integer(8)), ("attempts.2", .integer(10)),
        ])
        let read = LaneProgress(cursor: 7, packed: old)
        #expect(read.done == [9, 11])
        #expect(read.attempts == [8: 2, 10: 2])
        #expect(Self.roundTrip(read) == read)
    }

    @Test("numbers in a text are those it was made of; what is no such text ends it")
    func sequenceText() {
        for numbers: [UInt64] in [[], [0], [1], [1, 2, 3], [3, 4, 5, 6, 10], [7, 9, 11], [5, 6, 900, 901, 1 << 62]] {
            #expect(SequenceText.read(SequenceText.of(numbers)) == numbers)
        }
        #expect(SequenceText.of([3, 4, 5, 6, 10]) == "3+3 4")
        for text in ["x", "-1", "3+x", "3+-1", "1+18446744073709551615", "18446744073709551615 1", "3+9999999999"] {
            #expect(SequenceText.read(text).count <= 1, "\(text)")
        }
    }

    /// A lane compared with its log, record by record.
    private struct Model {
        enum Fate { case pending, accepted, dropped, leftOut }
        /// The records the lane wants, by number.
        var records: [(sequence: UInt64, fate: Fate)] = []
        var newest: UInt64 = 0

        func count(_ fate: Fate) -> Int { records.count { $0.fate == fate } }
    }

    @Test(
        "L5: accepted + dropped + pending is what was written for it, at any time, over new starts too",
        arguments: 1...24)
    func walk(_ seed: UInt64) throws {
        var random = SplitMix64(state: seed)
        var model = Model()
        model.newest = UInt64(random.below(50))
        var progress = LaneProgress(cursor: model.newest)
        var isOn = true
        var letters = 0
        var attempts: [UInt64: Int] = [:]
        for step in 0..<200 {
            let open = model.records.indices.filter { model.records[$0].fate == .pending }
            switch random.below(12) {
            case 0...3:
                for _ in 0...random.below(6) {
                    model.newest += 1
                    // The log holds much that the lane does not want.
                    guard !random.once(in: 3) else { continue }
                    model.records.append((model.newest, isOn ? .pending : .leftOut))
                }
            case 4, 5:
                // Parcels of several chains come home in any order.
                let home = open.filter { _ in random.once(in: 2) }
                progress.accept(home.map { model.records[$0].sequence })
                for index in home { model.records[index].fate = .accepted }
            case 6:
                for index in open where random.once(in: 4) {
                    progress.drop(model.records[index].sequence, random.pick(LaneProgress.Drop.allCases))
                    model.records[index].fate = .dropped
                    letters += 1
                }
            case 7:
                // A session is removed.
                let gone = open.filter { _ in random.once(in: 5) }
                for index in gone {
                    progress.drop(model.records[index].sequence, .removed)
                    model.records[index].fate = .dropped
                }
            case 8:
                for index in open where random.once(in: 4) {
                    let sequence = model.records[index].sequence
                    attempts[sequence, default: 0] += 1
                    #expect(progress.countAttempt(of: sequence) == attempts[sequence])
                }
            case 9:
                isOn.toggle()
                if isOn { progress.goOn(at: model.newest) } else { progress.pause(at: model.newest) }
            case 10 where letters > 0 && !progress.dropped.isEmpty:
                let cause = random.pick(Array(progress.dropped.keys.sorted { $0.rawValue < $1.rawValue }))
                progress.redeem(cause)
                letters -= 1
                let index = try #require(model.records.firstIndex { $0.fate == .dropped })
                model.records[index].fate = .accepted
            default:
                progress = Self.roundTrip(progress)
            }
            // A page of what the lane's filter lets pass, cut anywhere.
            let lane = model.records.map(\.sequence).filter { sequence in
                sequence > progress.cursor && !progress.leftOut.contains { $0.contains(sequence) }
            }
            let page = lane.prefix(random.below(lane.count + 1))
            let isLast = page.count == lane.count
            progress.advance(
                over: page, to: isLast ? (isOn ? model.newest : progress.cursor) : page.last ?? progress.cursor)

            let pending = model.count(.pending)
            let dropped = progress.dropped.values.reduce(0, +)
            let written = model.records.count - model.count(.leftOut)
            #expect(progress.accepted == model.count(.accepted), "step \(step)")
            #expect(dropped == model.count(.dropped), "step \(step)")
            #expect(progress.accepted + dropped + pending == written, "step \(step)")
            // What a count of the log would find pending, is.
            let found = model.records.map(\.sequence).filter { sequence in
                sequence > progress.cursor && !progress.done.contains(sequence)
                    && !progress.leftOut.contains { $0.contains(sequence) }
            }
            #expect(found == model.records.filter { $0.fate == .pending }.map(\.sequence), "step \(step)")
            #expect(progress.done.allSatisfy { $0 > progress.cursor })
            #expect(progress.attempts.keys.allSatisfy { $0 > progress.cursor })
            #expect(Self.roundTrip(progress) == progress)
        }
    }

    @Test("what is accepted in order behind the cursor moves it at once, and forgets what was noted of it")
    func acceptedInOrder() {
        var progress = LaneProgress(cursor: 10)
        _ = progress.countAttempt(of: 12)
        progress.acceptNext(3, upTo: 14)
        #expect(progress.cursor == 14)
        #expect(progress.accepted == 3)
        #expect(progress.done.isEmpty && progress.attempts.isEmpty)
        progress.advance(over: [12, 13, 14, 15], to: 16)
        #expect(progress.cursor == 14)
    }
}
