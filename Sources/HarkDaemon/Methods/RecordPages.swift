import HarkCore
import HarkStore
import HarkSystem
import HarkWire

/// The pages in which lists of records are read: what `event.list` and `log.list` have in common.
enum RecordPages {
    /// Writes one element of a list, in the form that is asked for.
    typealias Element = @Sendable (RecordView, SessionIdentity, RecordForm, inout JSONWriter) -> Void

    /// Reads the parameters but `limit`, and answers with the page that they and the query mean.
    /// - Parameter name: The member that holds the elements, unless they are asked for as `lines`.
    @DaemonActor
    static func answer(
        _ filters: RecordQuery, _ name: StaticString, _ call: Call, to json: inout JSONWriter,
        _ element: @escaping Element
    ) async throws(WireError) {
        let params = call.params
        var query = filters
        query.since = try params.read(.since)
        query.until = try params.read(.until)
        query.descending = try params.read(.recordOrder) == .desc
        query.from = try start(params, descending: query.descending)
        let form = try params.read(.recordForm) ?? .objects
        await call.daemon.ledger.settleToRead()
        query.patience = patience
        json.key(form == .lines ? "lines" : name)
        json.beginArray()
        let start = json.bytes.count
        while true {
            let part = try await call.read { [query] reader throws(StoreError) in
                try page(query, form, from: reader, element)
            }
            if !part.bytes.isEmpty { json.raw(part.bytes) }
            query.from = part.page.next
            query.limit -= part.page.count
            if !part.page.isCut || query.limit <= 0 || json.bytes.count - start >= Method.pageBytes { break }
        }
        json.endArray()
        json.key("nextAfterSeq")
        if let next = query.from { json.uint(next) } else { json.null() }
    }

    /// Microseconds that one client reads from the store at a time; then it is somebody else's turn.
    static let patience = 10_000

    private static func start(_ params: Params, descending: Bool) throws(WireError) -> UInt64? {
        let after = try params.read(.afterSeq).map(UInt64.init)
        let before = try params.read(.beforeSeq).map(UInt64.init)
        if let stray = descending ? after.map({ _ in Parameter<Int64>.afterSeq }) : before.map({ _ in .beforeSeq }) {
            throw WireError(
                .invalidParams,
                "'afterSeq' goes with the order 'asc', 'beforeSeq' with 'desc'; for both bounds, stop reading at one",
                path: stray)
        }
        return descending ? before : after
    }

    /// The elements of the array to be, ready written.
    private static func page(
        _ query: RecordQuery, _ form: RecordForm, from reader: StoreReader, _ element: Element
    ) throws(StoreError) -> (bytes: [UInt8], page: StoreReader.Page) {
        // Memory that is not written to costs nothing; what grows is copied.
        var json = JSONWriter(reservingCapacity: min(query.limit, 1 << 12) << 8)
        let page = try reader.forEachRecord(query) { session, record in
            element(record, session, form, &json)
            return json.bytes.count < Method.pageBytes
        }
        return (json.bytes, page)
    }
}
