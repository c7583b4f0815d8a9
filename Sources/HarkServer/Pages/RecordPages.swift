package import HarkCore
import HarkLedger
package import HarkStore
import HarkSystem
package import HarkWire

/// The pages of lists of records, shared by `event.list` and `log.list`. They are written by hand: there may be thousands of
/// records in one.
package enum RecordPages {
    /// Writes one element of a list in the requested form.
    package typealias Element = @Sendable (RecordView, SessionIdentity, RecordForm, inout JSONWriter) -> Void

    /// Reads all parameters but `limit`, and answers with the requested page.
    /// - Parameter name: The member that holds the elements, unless they are requested as `lines`.
    @DaemonActor
    package static func answer(
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
        await call.ledger.settleToRead()
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

    /// The microseconds that one client reads from the store before it is another client's turn.
    package static let patience = 10_000

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

    /// Returns the encoded elements of the array.
    private static func page(
        _ query: RecordQuery, _ form: RecordForm, from reader: StoreReader, _ element: Element
    ) throws(StoreError) -> (bytes: [UInt8], page: StoreReader.Page) {
        // Reserved memory costs nothing until it is used; growing would copy.
        var json = JSONWriter(reservingCapacity: min(query.limit, 1 << 12) << 8)
        let page = try reader.forEachRecord(query) { session, record in
            element(record, session, form, &json)
            return json.bytes.count < Method.pageBytes
        }
        return (json.bytes, page)
    }
}
