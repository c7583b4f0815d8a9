package import HarkCore
import HarkDelivery
package import HarkFleet
package import HarkWire

/// Encodes records into batches for the hub. A pure value: the expensive work of a machine happens here.
package struct FleetEncoder: Sendable {
    package let machine: String
    package let group: String?
    package let log: Identifier
    /// The maximum compressed size of a batch. A larger batch is split, down to single records.
    package let mostBytes: Int

    /// The maximum size of a single record, which is what brokers accept: newer versions of NATS 1 MiB by default.
    static let mostBytesOfOne = 1_000_000
    /// The maximum number of records in a batch, and their maximum size as JSON before compression.
    private static let mostRecords = 512
    private static let mostText = 512 << 10

    package struct Batch: Sendable {
        package let mark: FleetAcknowledgement.Mark
        package let payload: [UInt8]
        /// The number of records.
        package let count: Int
    }

    /// A record is too long for any broker.
    package struct TooLong: Error {
        package let bytes: Int
    }

    package init(machine: String, group: String?, log: Identifier, mostBytes: Int) {
        self.machine = machine
        self.group = group
        self.log = log
        self.mostBytes = mostBytes
    }

    /// - Parameters:
    ///   - after: The last record that the hub has before these.
    ///   - pending: How many records wait behind these.
    package func batches(
        of records: [Record], after: FleetAcknowledgement.Mark?, pending: Int?
    ) throws(TooLong) -> [Batch] {
        var batches: [Batch] = []
        var rest = records[...]
        while !rest.isEmpty {
            let last = batches.last?.mark ?? after
            let batch = try next(of: &rest, after: last, pending: pending)
            batches.append(batch)
        }
        return batches
    }

    private func next(
        of rest: inout ArraySlice<Record>, after: FleetAcknowledgement.Mark?, pending: Int?
    ) throws(TooLong) -> Batch {
        var lines = JSONWriter(reservingCapacity: 64 << 10)
        var ends: [Int] = []
        var introduced: Set<Int64> = []
        for record in rest.prefix(FleetEncoder.mostRecords) {
            write(record, isFirst: introduced.insert(record.session.row).inserted, to: &lines)
            if lines.bytes.count > FleetEncoder.mostText, !ends.isEmpty { break }
            ends.append(lines.bytes.count)
        }
        var count = ends.count
        while true {
            let own = rest.prefix(count)
            guard let first = own.first, let last = own.last else { throw TooLong(bytes: lines.bytes.count) }
            let mark = FleetAcknowledgement.Mark(sequence: last.sequence, id: last.id)
            var head = FleetBatch(
                machine: machine, group: group, log: log, after: after, first: first.sequence, last: mark, count: count)
            head.pending = pending.map { UInt64($0 + rest.count - count) }
            let text = head.payload + [UInt8(ascii: "\n")] + lines.bytes[..<ends[count - 1]]
            // A record that compresses well may still exceed the hub's limit; this happens only with single records.
            guard text.count <= FleetBatch.mostBytes, let payload = Gzip.compress(text) else {
                throw TooLong(bytes: text.count)
            }
            if payload.count <= mostBytes || count == 1 && payload.count <= FleetEncoder.mostBytesOfOne {
                rest = rest.dropFirst(count)
                return Batch(mark: mark, payload: payload, count: count)
            }
            guard count > 1 else { throw TooLong(bytes: payload.count) }
            count /= 2
        }
    }

    /// Writes a record's line, preceded by the line of its session if the record is the first of it in the batch. It is
    /// written by hand, as there is one for each record.
    private func write(_ record: Record, isFirst: Bool, to json: inout JSONWriter) {
        if isFirst {
            json.beginObject()
            json.key("kind")
            json.string(FleetLine.session)
            json.key("implicit")
            json.int(record.session.isForLogs ? 2 : record.session.isImplicit ? 1 : 0)
            json.key("session")
            Session(record.session).write(to: &json)
            json.endObject()
            json.newline()
        }
        let start = json.bytes.count
        record.withView { $0.write(of: record.session, to: &json) }
        // The kind comes first, so that readers need not search for it.
        let kind = #"{"kind":"\#(RecordJSON.word(for: record.kind))","#
        json.bytes.replaceSubrange(start..<start + 1, with: kind.utf8)
        json.newline()
    }
}

/// The lines of a batch.
enum FleetLine {
    /// The kind of a line that describes a session.
    static let session = "session"
}
