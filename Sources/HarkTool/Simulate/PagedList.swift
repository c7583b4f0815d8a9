import HarkClient
import HarkWire

/// A list of the daemon, read element by element; the next page is on its way while one is dealt with.
final class PagedList {
    private var connection: Connection
    private let method: String
    private let list: StaticString
    private let next: StaticString
    private let following: (_ place: JSONText) -> [UInt8]
    private var request: Int64?
    private var page = JSONText("null")
    private var places: ArraySlice<Range<Int>> = []

    /// - Parameters:
    ///   - list: The member of a page that holds the elements; `next` the one that says how to go on.
    ///   - goOn: Puts a place in the list into the request.
    init<Request: WireMethod>(
        _ request: Request, _ list: StaticString, next: StaticString, goOn: @escaping (inout Request, JSONText) -> Void
    ) throws {
        connection = try Connection()
        (method, self.list, self.next) = (Request.name, list, next)
        following = { place in
            var request = request
            goOn(&request, place)
            return request.json
        }
        self.request = try connection.submit(request)
    }

    convenience init(_ request: some ListMethod, _ list: StaticString) throws {
        try self.init(request, list, next: "next") { request, place in request.after = place.string }
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
            request = try connection.submit(method, following(place))
        }
        return JSONText(page.bytes[places.removeFirst()])
    }
}
