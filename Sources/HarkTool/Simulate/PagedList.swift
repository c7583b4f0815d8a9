import HarkClient
import HarkWire

/// A list of the daemon, read element by element; the next page is on its way while one is dealt with.
final class PagedList {
    private var connection: Connection
    private let method: MethodShape
    private let list: StaticString
    private let next: StaticString
    private let write: (inout JSONWriter) -> Void
    private let cursor: (inout JSONWriter, JSONText) -> Void
    private var request: Int64?
    private var page = JSONText("null")
    private var places: ArraySlice<Range<Int>> = []

    /// - Parameters:
    ///   - list: The member of a page that holds the elements; `next` the one that says how to go on.
    ///   - write: Writes the parameters, but for the place in the list, which `cursor` writes.
    init(
        _ method: MethodShape, _ list: StaticString, next: StaticString = "next",
        write: @escaping (inout JSONWriter) -> Void, cursor: @escaping (inout JSONWriter, JSONText) -> Void
    ) throws {
        connection = try Connection()
        (self.method, self.list, self.next, self.write, self.cursor) = (method, list, next, write, cursor)
        request = try connection.submit(method.name, JSONWriter.object(write))
    }

    /// Returns the next element; nil at the end.
    func element() throws -> JSONText? {
        while places.isEmpty {
            guard let pending = request else { return nil }
            request = nil
            page = try connection.result(of: pending)
            let (elements, place) = page.page(of: list, next: next)
            places = elements[...]
            guard let place, !place.isNull else { continue }
            request = try connection.submit(
                method.name,
                JSONWriter.object { params in
                    write(&params)
                    cursor(&params, place)
                })
        }
        return JSONText(page.bytes[places.removeFirst()])
    }
}
