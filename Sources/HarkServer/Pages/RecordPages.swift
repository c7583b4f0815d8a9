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

    /// Answers with the requested page.
    ///
    /// - Parameter name: The member that holds the elements, unless they are requested as `lines`.
    @DaemonActor
    package static func answer(
        _ filters: RecordQuery, _ paging: RecordPaging, _ name: StaticString, _ call: Call, to json: inout JSONWriter,
        _ element: @escaping Element
    ) async throws(WireError) {
        var query = filters
        query.limit = Int(paging.limit ?? 1_000)
        (query.since, query.until) = (paging.since, paging.until)
        query.descending = paging.order == .desc
        query.from = try start(paging)
        let form = paging.form ?? .objects
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

    private static func start(_ paging: RecordPaging) throws(WireError) -> UInt64? {
        let isDescending = paging.order == .desc
        guard (isDescending ? paging.afterSeq : paging.beforeSeq) == nil else {
            throw WireError(
                .invalidParams,
                "'afterSeq' goes with the order 'asc', 'beforeSeq' with 'desc'; for both bounds, stop reading at one",
                path: Params.path(isDescending ? "afterSeq" : "beforeSeq"))
        }
        return (isDescending ? paging.beforeSeq : paging.afterSeq).map(UInt64.init)
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
