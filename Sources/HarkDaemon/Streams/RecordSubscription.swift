import HarkCore
import HarkDelivery
import HarkLedger
import HarkServer
import HarkStore
import HarkSystem
import HarkWire

/// A stream of records to one client: first the stored ones after a number, then those committed from then on, without
/// loss or duplicates.
@DaemonActor
final class RecordSubscription: ClientSubscription {
    let number: Int
    private let connection: ClientConnection
    private let hub: StreamHub
    private let filter: RecordQuery
    /// Everything up to this number was sent, or was not requested.
    private var reached: UInt64
    private var isCatchingUp: Bool
    private var isCancelled = false
    private var drained: CheckedContinuation<Void, Never>?

    /// The amount read from the store at a time, once the client has taken all earlier output.
    private nonisolated static let pageBytes = Method.pageBytes
    private nonisolated static let pageRecords = 2_000

    /// - Parameter after: The number to resume after; nil for new records only.
    init(number: Int, connection: ClientConnection, hub: StreamHub, filter: RecordQuery, after: UInt64?) {
        self.number = number
        self.connection = connection
        self.hub = hub
        self.filter = filter
        reached = after ?? hub.ledger.committedSequence
        isCatchingUp = reached < hub.ledger.committedSequence
    }

    var startsAfter: UInt64 { reached }

    func begin() {
        hub.add(self)
        if isCatchingUp { beginCatchingUp() }
    }

    private func beginCatchingUp() {
        isCatchingUp = true
        DaemonActor.task { [self] in await catchUp() }
    }

    func cancel() {
        isCancelled = true
        hub.remove(self)
        outputDrained()
    }

    /// Sends newly committed records.
    func publish(_ records: [Record]) {
        guard !isCatchingUp, !isCancelled else { return }
        if let condition = filter.condition, isLong(condition, for: records) { return beginCatchingUp() }
        var json = JSONWriter(reservingCapacity: 0)
        for record in records where record.sequence > reached {
            record.withView { write($0, of: record.session, to: &json) }
            reached = record.sequence
            if json.bytes.count >= RecordSubscription.pageBytes { break }
        }
        if !json.bytes.isEmpty { connection.enqueue(json.bytes) }
        // The rest is read from the store again, as fast as the client takes it.
        if let last = records.last, reached < last.sequence, !isCancelled { beginCatchingUp() }
    }

    /// The number of comparisons allowed on the loop; longer filtering is done by the store's reader, in turns.
    private static let quickComparisons = 10_000

    private func isLong(_ condition: EventCondition, for records: [Record]) -> Bool {
        var effort = 0
        for record in records {
            effort += condition.effort(bytes: record.properties.byteCount)
            if effort > RecordSubscription.quickComparisons { return true }
        }
        return false
    }

    /// Reads new records from the store, because there are too many to publish directly.
    func readFromStore() {
        if !isCatchingUp, !isCancelled { beginCatchingUp() }
    }

    func outputDrained() {
        drained?.resume()
        drained = nil
    }

    private func catchUp() async {
        while !isCancelled {
            if connection.queuedBytes > 0 {
                // The body may run a turn later, when the output may be drained already.
                await withCheckedContinuation {
                    if connection.queuedBytes > 0, !isCancelled {
                        drained = $0
                    } else {
                        $0.resume()
                    }
                }
                continue
            }
            let committed = hub.ledger.committedSequence
            if reached >= committed { break }
            do throws(StoreError) {
                let (bytes, last) = try await page(upTo: committed)
                guard !isCancelled else { return }
                reached = max(reached, last)
                if !bytes.isEmpty { connection.enqueue(bytes) }
            } catch {
                // The connection may be gone by now.
                if !isCancelled { end(connection.peer.told(WireError(error))) }
                return
            }
        }
        // Nothing newer was committed in this turn, so the next record comes through `publish`.
        isCatchingUp = false
    }

    /// The next page from the store as encoded notifications, and the last number in it.
    private func page(upTo committed: UInt64) async throws(StoreError) -> (bytes: [UInt8], last: UInt64) {
        var query = filter
        query.from = reached
        query.limit = RecordSubscription.pageRecords
        query.patience = RecordPages.patience
        let number = number
        return try await hub.ledger.store.read(for: connection.turnOwner) { [query] reader throws(StoreError) in
            var json = JSONWriter(reservingCapacity: 1 << 16)
            var last = committed
            let page = try reader.forEachRecord(query) { session, record in
                RecordSubscription.write(record, of: session, for: number, to: &json)
                last = max(last, record.sequence)
                return json.bytes.count < RecordSubscription.pageBytes
            }
            return (json.bytes, page.next ?? last)
        }
    }

    private func end(_ error: WireError) {
        var json = JSONWriter()
        json.subscriptionClosed(number, error)
        connection.enqueue(json.bytes)
        connection.end(subscription: number)
    }

    private func write(_ record: RecordView, of session: SessionIdentity, to json: inout JSONWriter) {
        guard filter.includes(session), filter.includes(record, of: session) else { return }
        RecordSubscription.write(record, of: session, for: number, to: &json)
    }

    /// Writes by hand for speed, as each event goes to each subscriber.
    private nonisolated static func write(
        _ record: RecordView, of session: SessionIdentity, for number: Int, to json: inout JSONWriter
    ) {
        switch record.kind {
        case .event: Envelope.begin(.eventRecorded, in: &json)
        case .sessionStarted: Envelope.begin(.sessionStarted, in: &json)
        case .sessionEnded: Envelope.begin(.sessionEnded, in: &json)
        case .log: Envelope.begin(.logWritten, in: &json)
        // No subscription's filter matches these.
        case .form, .profile, .presentation, .clear: return
        }
        json.beginObject()
        json.subscription(number)
        switch record.kind {
        case .event:
            json.key("event")
            record.write(of: session, to: &json)
        case .log:
            json.key("entry")
            RecordJSON.writeLog(Record(record, of: session), withSource: true, to: &json)
        case .sessionStarted, .sessionEnded, .form, .profile, .presentation, .clear:
            json.key("seq")
            json.uint(record.sequence)
            json.key("session")
            Session(session, endedAt: record.kind == .sessionEnded ? record.at : nil).write(to: &json)
        }
        json.endObject()
        Envelope.end(&json)
    }
}
