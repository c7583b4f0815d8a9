import HarkCore
import HarkSystem

@testable import HarkDelivery

/// A destination that does as it is told and remembers what it was given.
@DaemonActor
final class FakeDestination: Destination {
    nonisolated let name = "fake"
    nonisolated let kind = "fake"
    nonisolated let batch: BatchLimits
    nonisolated let forgetsWhatItHas = true
    nonisolated let lane: Lane

    /// The sequence numbers of each batch, refused ones too.
    private(set) var batches: [[UInt64]] = []
    /// Rows of the sessions it was told to forget.
    private(set) var forgotten: [Int64] = []
    /// What the next deliveries come to; accepted when nothing is left.
    var outcomes: [DeliveryOutcome] = []
    /// While true, a delivery does not end.
    var isHeld = false { didSet { if !isHeld { letGo() } } }
    private(set) var isDelivering = false
    private var held: CheckedContinuation<Void, Never>?

    nonisolated init(
        kinds: Set<Record.Kind> = [.sessionStarted, .sessionEnded], events: DeliveryFilter.Events = .all,
        batchLimit: Int = 100, gatherMilliseconds: UInt64 = 0
    ) {
        batch = BatchLimits(entries: batchLimit, gatherMilliseconds: gatherMilliseconds)
        lane = Lane("fake", DeliveryFilter(kinds: kinds, events: events))
    }

    func deliver(_ records: [Record]) async -> DeliveryOutcome {
        batches.append(records.map(\.sequence))
        isDelivering = true
        if isHeld { await withCheckedContinuation { held = $0 } }
        isDelivering = false
        return outcomes.isEmpty ? .accepted : outcomes.removeFirst()
    }

    func forget(_ session: SessionIdentity) async -> String? {
        precondition(!isDelivering, "asked to forget in the middle of a delivery")
        forgotten.append(session.row)
        return nil
    }

    private func letGo() {
        held?.resume()
        held = nil
    }
}
