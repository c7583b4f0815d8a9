import HarkFleet
import HarkWire
import Testing

/// A hub's judgement of a batch, by its position.
@Suite struct HubPlaceTests {
    typealias Mark = FleetAcknowledgement.Mark

    private static func id(_ number: UInt64, _ log: UInt64 = 0) -> Identifier { Identifier(high: log, low: number) }
    private static func mark(_ number: UInt64, _ log: UInt64 = 0) -> Mark {
        Mark(sequence: number, id: id(number, log))
    }

    /// The batch of all numbers from one to another, behind a third.
    private static func batch(after: UInt64, _ first: UInt64, _ last: UInt64, of log: UInt64 = 0) -> FleetBatch {
        FleetBatch(
            machine: "m", group: nil, log: id(0), after: after == 0 ? nil : mark(after, log), first: first,
            last: mark(last, log), count: Int(last - first + 1))
    }

    @Test(
        "a batch is taken where it goes on, known where it was taken, a gap where records lack, else a conflict",
        arguments: [
            (0, batch(after: 0, 1, 4), 0, HubPlace.Verdict.take), (0, batch(after: 0, 3, 4), 0, .take),
            (0, batch(after: 2, 3, 4), 0, .gap), (10, batch(after: 10, 11, 14), 0, .take),
            (10, batch(after: 10, 13, 14), 0, .take), (10, batch(after: 11, 12, 14), 0, .gap),
            (10, batch(after: 6, 7, 10), 0, .known), (10, batch(after: 5, 6, 9), 0, .known),
            (10, batch(after: 0, 1, 10), 0, .known),
            // It begins before and goes on beyond.
            (10, batch(after: 5, 6, 14), 0, .take), (10, batch(after: 0, 1, 11), 0, .take),
            // Another log has the same numbers.
            (10, batch(after: 10, 11, 14, of: 1), 1, .conflict), (10, batch(after: 6, 7, 10, of: 1), 1, .conflict),
            (10, batch(after: 5, 6, 14, of: 1), 1, .conflict),
            // A batch that ends before the position is not looked at, as nothing of it is taken.
            (10, batch(after: 5, 6, 9, of: 1), 1, .known),
        ] as [(UInt64, FleetBatch, UInt64, HubPlace.Verdict)])
    func verdicts(cursor: UInt64, batch: FleetBatch, log: UInt64, verdict: HubPlace.Verdict) {
        let place = HubPlace(cursor == 0 ? nil : Self.mark(cursor))
        let answer = place.judge(batch) { number in
            (batch.first...batch.last.sequence).contains(number) ? Self.id(number, log) : nil
        }
        #expect(answer == verdict)
    }

    @Test("where the record at the cursor was removed from a batch, the machine is told anew where the hub stands")
    func removed() {
        #expect(HubPlace(Self.mark(10)).judge(Self.batch(after: 5, 6, 14)) { _ in nil } == .gap)
    }
}
