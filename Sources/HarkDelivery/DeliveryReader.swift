package import HarkCore
package import HarkStore
internal import HarkSystem

/// Reads the log for the couriers on a thread that stands back when the machine is busy.
package final class DeliveryReader: Sendable {
    package struct Batch: Sendable {
        package let records: [Record]
        /// Where to go on; nil when the log had nothing more.
        package let next: UInt64?
    }

    /// Content of a batch, at most, unless a single record is larger.
    private static let maxBytes = 1 << 20

    private let thread = WorkerThread(name: "hark-delivery", niceness: 19)
    private let box: Box

    // The reader is only touched by jobs of `thread`, and released after the thread has ended.
    private final class Box: @unchecked Sendable {
        var reader: StoreReader?
        init(_ reader: StoreReader) { self.reader = reader }
    }

    package init(_ reader: StoreReader) {
        box = Box(reader)
    }

    package func read(
        after cursor: UInt64, kinds: Set<Record.Kind>, limit: Int
    ) async throws(StoreError) -> Batch {
        try await thread.run { [box] () throws(StoreError) in
            guard let reader = box.reader else { throw StoreError(.internal, "delivery has stopped") }
            var query = RecordQuery(limit: limit)
            query.kinds = kinds
            query.from = cursor
            let (records, page) = try reader.records(query, maxBytes: DeliveryReader.maxBytes)
            return Batch(records: records, next: page.next)
        }
    }

    package func close() {
        thread.close()
        box.reader = nil
    }
}
