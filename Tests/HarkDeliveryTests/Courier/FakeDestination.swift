import HarkCore
import HarkSystem

@testable import HarkDelivery

/// A destination that acts on instructions and remembers its deliveries.
@DaemonActor
final class FakeDestination: Destination {
    nonisolated let name = "fake"
    nonisolated let kind = "fake"
    nonisolated let batch: BatchLimits
    nonisolated let forgetsWhatItHas = true
    nonisolated let lane: Lane

    /// The sequence numbers of each batch, refused ones too.
    private(set) var batches: [[UInt64]] = []
    /// The accepted records, in order of acceptance.
    private(set) var accepted: [UInt64] = []
    /// Rows of the sessions it was told to forget.
    private(set) var forgotten: [Int64] = []
    /// Why it cannot forget.
    var cannotForget: String?
    /// The outcome for a batch; nil for the next of `outcomes`.
    var answer: ([UInt64]) -> DeliveryOutcome? = { _ in nil }
    /// The outcomes of the next deliveries; accepted when none are left.
    var outcomes: [DeliveryOutcome] = []
    /// While true, a delivery does not end.
    var isHeld = false { didSet { if !isHeld { letGo { _ in true } } } }
    /// The batches under way, and the most there ever were.
    var underWay: [[UInt64]] { deliveries.map(\.batch) }
    private(set) var peak = 0
    /// How often a batch came while another of the same session was under way.
    private(set) var overlaps = 0
    private var deliveries: [Delivery] = []

    private final class Delivery {
        let batch: [UInt64]
        let sessions: Set<Int64>
        var held: CheckedContinuation<Void, Never>?

        init(_ records: [Record]) {
            batch = records.map(\.sequence)
            sessions = Set(records.map(\.session.row))
        }
    }

    nonisolated init(
        kinds: Record.Kinds = [.sessionStarted, .sessionEnded], events: DeliveryFilter.Events = .all,
        batchLimit: Int = 100, batchBytes: Int = 1 << 20, concurrency: Int = 1, gatherMilliseconds: UInt64 = 0,
        _ adjust: (inout Lane) -> Void = { _ in }
    ) {
        var batch = BatchLimits(entries: batchLimit, gatherMilliseconds: gatherMilliseconds)
        batch.bytes = batchBytes
        batch.concurrency = concurrency
        self.batch = batch
        var lane = Lane("fake", DeliveryFilter(kinds: kinds, events: events))
        adjust(&lane)
        self.lane = lane
    }

    var isDelivering: Bool { !deliveries.isEmpty }

    func deliver(_ records: ArraySlice<Record>, before next: ArraySlice<Record>) async -> DeliveryOutcome {
        let delivery = Delivery(Array(records))
        batches.append(delivery.batch)
        if deliveries.contains(where: { !$0.sessions.isDisjoint(with: delivery.sessions) }) { overlaps += 1 }
        deliveries.append(delivery)
        peak = max(peak, deliveries.count)
        if isHeld { await withCheckedContinuation { delivery.held = $0 } }
        deliveries.removeAll { $0 === delivery }
        let outcome = answer(delivery.batch) ?? (outcomes.isEmpty ? .accepted : outcomes.removeFirst())
        switch outcome {
        case .accepted, .partlyRefused: accepted += delivery.batch
        case .failed: break
        }
        return outcome
    }

    func forget(_ session: SessionIdentity) async -> String? {
        precondition(!isDelivering, "asked to forget in the middle of a delivery")
        forgotten.append(session.row)
        return cannotForget
    }

    /// Ends the held deliveries with a matching batch.
    func letGo(_ isMeant: ([UInt64]) -> Bool) {
        for delivery in deliveries where isMeant(delivery.batch) {
            delivery.held?.resume()
            delivery.held = nil
        }
    }
}

extension DeliveryOutcome {
    /// A failure, as the tests need it.
    static func failed(
        _ kind: DeliveryFailure.Kind, status: Int? = nil, retryAfter: Double? = nil
    ) -> DeliveryOutcome {
        .failed(DeliveryFailure(kind, status: status, retryAfter: retryAfter, "\(kind)"))
    }
}
