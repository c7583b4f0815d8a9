/// An object of the protocol: params, a result, or a nested object.
///
/// `map` declares each member once. Depending on the map, it writes, reads or describes the object.
package protocol WireObject: Sendable {
    /// Makes an object with default values.
    init()

    /// Visits each member in the order of the output. It must not depend on values: an object that is only described
    /// has none.
    mutating func map<Map: MemberMap>(_ m: inout Map)

    /// The name of its schema, if several shapes use the object.
    static var title: String? { get }

    /// The shape of the object: its members, unless it is one of several.
    static var shape: Shape { get }
}

/// A method of the protocol. The object is the params.
package protocol WireMethod: WireObject {
    associatedtype Result: WireObject

    /// The notifications that follow the reply, without end.
    static var notifications: [NotificationShape] { get }

    static var name: String { get }
}

/// A method without params.
package protocol BareMethod: WireMethod {}

extension BareMethod {
    package mutating func map<Map: MemberMap>(_ m: inout Map) {}
}

/// A method that gives a list piece by piece.
package protocol ListMethod: WireMethod {
    /// The cursor after which the list continues.
    var after: String? { get set }
}

/// A method that returns a list in pages.
package protocol PagedMethod: ListMethod where Result: WirePage {}

/// A page of a list.
package protocol WirePage: WireObject {
    associatedtype Item: WireObject

    var items: [Item] { get }
    /// The cursor of the next page; nil on the last.
    var next: String? { get }
}

extension WireObject {
    package static var title: String? { nil }

    /// Writes the object as a value.
    package func write(to json: inout JSONWriter) {
        json.beginObject()
        writeMembers(to: &json)
        json.endObject()
    }

    /// Writes the members into the open object.
    package func writeMembers(to json: inout JSONWriter) {
        var copy = self
        copy.map(&json)
    }

    /// The object as JSON text, such as the params of a request.
    package var json: [UInt8] { JSONWriter.object { writeMembers(to: &$0) } }

    package static var members: [Shape.Member] {
        var shapes = MemberShapes()
        var object = Self()
        object.map(&shapes)
        return shapes.members
    }

    package static var shape: Shape { title.map { .named($0, .members(members)) } ?? .members(members) }
}

extension Collection {
    /// Nil if it is empty: the value of a member that is left out then.
    package var nonEmpty: Self? { isEmpty ? nil : self }
}

extension JSONWriter {
    /// Writes a text beside what is written piece by piece, such as the cursor behind a list; null for none.
    package mutating func member(_ name: StaticString, orNull text: String?) {
        key(name)
        if let text { string(text) } else { null() }
    }

    package mutating func member(_ name: StaticString, _ object: some WireObject) {
        key(name)
        object.write(to: &self)
    }

    package mutating func member(_ name: StaticString, _ objects: [some WireObject]) {
        key(name)
        beginArray()
        for object in objects { object.write(to: &self) }
        endArray()
    }
}

extension WireMethod {
    package static var notifications: [NotificationShape] { [] }

    /// The members of the result.
    package static var result: [Shape.Member] { Result.members }
}
