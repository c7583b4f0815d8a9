import HarkClient
import HarkWire

/// The elements of a list with a cursor, such as `session.list`.
final class ListPages: RowSource {
    private let feed: Feed
    private let method: MethodShape
    private let list: StaticString
    private let filters: (inout JSONWriter) -> Void
    private var elements: ArraySlice<JSONText> = []
    private var cursor: String?
    private var isOver = false

    /// The page size, the daemon's maximum.
    private static let page: Int64 = 1_000

    /// - Parameter filters: Writes the parameters other than cursor and limit.
    init(
        _ feed: Feed, _ method: MethodShape, _ list: StaticString, _ filters: @escaping (inout JSONWriter) -> Void
    ) {
        self.feed = feed
        self.method = method
        self.list = list
        self.filters = filters
    }

    convenience init<Request: PagedMethod>(_ feed: Feed, _ list: StaticString, _ request: Request) {
        self.init(feed, MethodShape(Request.self), list) { request.writeMembers(to: &$0) }
    }

    func next() throws -> JSONText? {
        while true {
            if let element = elements.popFirst() { return element }
            if isOver { return nil }
            let page = try feed.call(
                method,
                JSONWriter.object { params in
                    filters(&params)
                    params.member(.after, cursor)
                    params.member(.sessionLimit, Self.page)
                })
            elements = page.member(list)?.elements[...] ?? []
            cursor = page.member("next")?.string
            isOver = cursor == nil
        }
    }
}
