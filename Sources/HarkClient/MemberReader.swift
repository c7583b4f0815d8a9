package import HarkWire

/// Reads the members of a protocol object from JSON. A member that is absent or of another type keeps its value,
/// because a daemon of another version may send more or fewer.
struct MemberReader: MemberMap {
    private let members: JSONText
    /// The position of the next member. Members usually come in the order of the object.
    private var place = 0
    private var places: [JSONText.Place]?

    init(_ object: JSONText) { members = object }

    /// The number of members found so far.
    private var count = 0

    private mutating func find(_ member: Member) -> JSONText? {
        let found = members.member(member.name, from: &place, or: &places)
        if found != nil { count += 1 }
        return found
    }

    mutating func text(_ member: Member, _ type: () -> MemberType<String>, _ value: inout String?) {
        value = find(member)?.string ?? value
    }

    mutating func flag(_ member: Member, _ value: inout Bool?) { value = find(member)?.bool ?? value }

    mutating func integer(_ member: Member, _ type: () -> MemberType<Int64>, _ value: inout Int64?) {
        value = find(member)?.int ?? value
    }

    mutating func span(_ member: Member, _ type: () -> MemberType<Double>, _ value: inout Int64?) {
        value = find(member)?.double.flatMap { Int64(exactly: ($0 * 1_000).rounded()) } ?? value
    }

    mutating func time(_ member: Member, _ value: inout Timestamp?) {
        value = find(member)?.string.flatMap { Timestamp($0) } ?? value
    }

    mutating func json(_ member: Member, _ type: () -> MemberType<JSONValue>, _ value: inout AnyJSON?) {
        guard let text = find(member), member.presence != .orNull || !text.isNull else { return }
        value = AnyJSON(text: Array(text.bytes))
    }

    mutating func object<Object: WireObject>(_ member: Member, _ value: inout Object?) {
        guard let text = find(member), text.isObject else { return }
        value = Object(text)
    }

    mutating func number(_ member: Member, _ type: () -> MemberType<Double>, _ value: inout Double?) {
        value = find(member)?.double ?? value
    }

    mutating func strings(_ member: Member, _ type: () -> MemberType<[String]>, _ values: inout [String]?) {
        guard let text = find(member), text.isArray else { return }
        values = text.elements.compactMap(\.string)
    }

    mutating func part<Object: WireObject>(_ value: inout Object?) {
        let before = count
        var object = value ?? Object()
        object.map(&self)
        if count > before { value = object }
    }

    mutating func list<Object: WireObject>(_ member: Member, _ values: inout [Object]?) {
        guard let text = find(member), text.isArray else { return }
        values = text.elements.map { Object($0) }
    }
}

extension WireObject {
    /// Parses an object.
    package init(_ text: JSONText) {
        self.init()
        var reader = MemberReader(text)
        map(&reader)
    }
}

/// The daemon's reply to a request: its text, and the object parsed from it on demand.
package struct Reply<Result: WireObject> {
    package let text: JSONText

    init(_ text: JSONText) { self.text = text }

    package var value: Result { Result(text) }
}

extension AnyJSON {
    /// The value as its text.
    package var json: JSONText {
        switch content {
        case .text(let text): JSONText(ArraySlice(text))
        case .value(let value): JSONText(value.description)
        }
    }
}

extension Connection {
    package mutating func call<Method: WireMethod>(_ request: Method) throws(ClientError) -> Reply<Method.Result> {
        Reply(try call(Method.name, request.json))
    }

    /// Sends a request without waiting; `result` has its reply.
    package mutating func submit(_ request: some WireMethod) throws(ClientError) -> Int64 {
        try submit(type(of: request).name, request.json)
    }

    /// Fetches the pages of a list, starting where the request does.
    ///
    /// - Parameter body: Returns whether another page is wanted.
    /// - Returns: Whether the list is complete.
    @discardableResult
    package mutating func pages<Method: ListMethod>(
        _ request: Method, _ body: (Reply<Method.Result>) throws -> Bool
    ) throws -> Bool {
        var request = request
        repeat {
            let reply = try call(request)
            request.after = reply.text.ending("next")?.string
            guard try body(reply) else { break }
        } while request.after != nil
        return request.after == nil
    }
}
