import HarkClient
import HarkWire

/// The elements of a list with a cursor, such as `session.list`.
final class ListPages: RowSource {
    private let list: StaticString
    private let page: (_ cursor: String?) throws -> JSONText
    private var elements: ArraySlice<JSONText> = []
    private var cursor: String?
    private var isOver = false

    /// The page size, the daemon's maximum.
    static let size: Int64 = 1_000

    init(_ feed: Feed, _ list: StaticString, _ request: some ListMethod) {
        self.list = list
        page = { cursor in
            var request = request
            request.after = cursor
            return try feed.call(request)
        }
    }

    func next() throws -> JSONText? {
        while true {
            if let element = elements.popFirst() { return element }
            if isOver { return nil }
            let page = try page(cursor)
            elements = page.member(list)?.elements[...] ?? []
            cursor = page.member("next")?.string
            isOver = cursor == nil
        }
    }
}
