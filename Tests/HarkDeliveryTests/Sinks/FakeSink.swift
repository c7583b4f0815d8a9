import HarkCore
import HarkSystem
import HarkWire

@testable import HarkDelivery

/// A sink that keeps rows by log and number, and fails on instruction.
@DaemonActor
final class FakeSink: Sink {
    nonisolated let kind = "fake"
    nonisolated let place = "the sink"
    nonisolated let needsBounds: Bool
    nonisolated let tellsWhatIsTaken: Bool
    nonisolated let tellsWhenLost = true
    var onLost: () -> Void = {}

    struct Key: Hashable {
        let log: Identifier
        let sequence: UInt64
    }

    var rows: [Key: Identifier] = [:]
    var positions: [Identifier: SinkMark] = [:]
    /// The bounds of each batch in order, failed ones included.
    private(set) var batches: [ClosedRange<UInt64>] = []
    /// How often it was asked.
    private(set) var asked = 0
    /// The failures of the next batches, before anything is done.
    var failures: [DeliveryFailure] = []
    /// Whether questions are in vain.
    var isAway = false
    /// Happens while it is asked.
    var onAsked: () -> Void = {}

    init(needsBounds: Bool = false, tellsWhatIsTaken: Bool = true) {
        self.needsBounds = needsBounds
        self.tellsWhatIsTaken = tellsWhatIsTaken
    }

    func position(of logs: [Identifier], near bounds: ClosedRange<UInt64>?) async throws(DeliveryFailure)
        -> SinkPosition?
    {
        asked += 1
        onAsked()
        if isAway { throw DeliveryFailure(.unreachable, "it is away") }
        for log in logs { if let mark = positions[log] { return SinkPosition(log: log, mark: mark) } }
        return nil
    }

    nonisolated func encode(_ batch: SinkBatch) -> [UInt8] { [] }

    func append(_ batch: SinkBatch, _ data: [UInt8]) async -> SinkOutcome {
        batches.append(batch.bounds)
        if !failures.isEmpty { return .failed(failures.removeFirst()) }
        var added = rows
        for record in batch.records {
            let key = Key(log: batch.log.id(of: record.sequence), sequence: record.sequence)
            if let known = added[key], known != record.id, tellsWhatIsTaken { return .taken(record.sequence) }
            added[key] = record.id
        }
        rows = added
        if let mark = batch.mark { positions[batch.log.current] = mark }
        return .appended
    }

    func remove(_ session: Identifier, of logs: [Identifier]) async throws(DeliveryFailure) {}
    func close() {}

    func sequences(of log: Identifier) -> [UInt64] { rows.keys.filter { $0.log == log }.map(\.sequence).sorted() }
}
