import HarkCore
import HarkStore
import HarkSystem
import HarkWire

/// The pages in which lists of records are read: what `event.list` and `log.list` have in common.
enum RecordPages {
    /// Writes one element of a list.
    typealias Element = @Sendable (RecordView, SessionIdentity, inout JSONWriter) -> Void

    /// Reads `since`, `until`, `order`, `afterSeq`, `beforeSeq` and `as`, and answers with the page that they and the
    /// query mean.
    /// - Parameter name: The member that holds the elements, unless they are asked for as `lines`.
    @DaemonActor
    static func answer(
        _ filters: RecordQuery, _ name: StaticString, _ call: Call, to json: inout JSONWriter,
        _ element: @escaping Element
    ) async throws(WireError) {
        let params = call.params
        var query = filters
        query.since = try params.time("since")
        query.until = try params.time("until")
        query.descending = try params.choice("order", of: ["asc", "desc"]) == "desc"
        query.from = try start(params, descending: query.descending)
        let asLines = try params.choice("as", of: ["objects", "lines"]) == "lines"
        let (elements, next) = try await call.daemon.readSettled { [query] reader throws(StoreError) in
            try page(query, asLines: asLines, from: reader, element)
        }
        json.key(asLines ? "lines" : name)
        json.beginArray()
        if !elements.isEmpty { json.raw(elements) }
        json.endArray()
        json.key("nextAfterSeq")
        if let next { json.uint(next) } else { json.null() }
    }

    private static func start(_ params: Params, descending: Bool) throws(WireError) -> UInt64? {
        let after = try params.sequence("afterSeq")
        let before = try params.sequence("beforeSeq")
        if let stray = descending ? after.map({ _ in "afterSeq" }) : before.map({ _ in "beforeSeq" }) {
            throw WireError(
                .invalidParams,
                "'afterSeq' goes with the order 'asc', 'beforeSeq' with 'desc'; for both bounds, stop reading at one",
                path: Params.path(stray))
        }
        return descending ? before : after
    }

    /// The elements of the array to be, ready written.
    private static func page(
        _ query: RecordQuery, asLines: Bool, from reader: StoreReader, _ element: Element
    ) throws(StoreError) -> (bytes: [UInt8], next: UInt64?) {
        var json = JSONWriter(reservingCapacity: 1 << 14)
        var line = JSONWriter()
        let page = try reader.forEachRecord(query) { session, record in
            if asLines {
                line.bytes.removeAll(keepingCapacity: true)
                element(record, session, &line)
                line.bytes.withUnsafeBufferPointer { json.string(utf8: $0) }
            } else {
                element(record, session, &json)
            }
            return json.bytes.count < Method.pageBytes
        }
        return (json.bytes, page.next)
    }
}
