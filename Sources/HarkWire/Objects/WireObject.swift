/// An object of the protocol: what a method takes or gives, or what lies within.
///
/// `map` declares each member once. The object is written, read and described by it; the map that is handed in decides which.
package protocol WireObject: Sendable {
    /// An object whose members are not known yet.
    init()

    /// Hands over every member, in the order in which they are written. It must not branch on their values: an object that is
    /// described has none.
    mutating func map<Map: MemberMap>(_ m: inout Map)

    /// The name of its schema, where the object stands in several places.
    static var title: String? { get }
}

/// A method of the protocol: the object is what the method takes.
package protocol WireMethod: WireObject {
    associatedtype Result: WireObject

    static var name: String { get }
}

/// A method that gives a list, a page at a time.
package protocol PagedMethod: WireMethod where Result: WirePage {
    /// The cursor after which the list goes on.
    var after: String? { get set }
}

/// A page of a list.
package protocol WirePage: WireObject {
    associatedtype Item: WireObject

    var items: [Item] { get }
    /// The cursor of the next page; nil on the last.
    var next: String? { get }
}

extension WireObject {
    package static var title: String? { nil }

    /// Writes it as a value.
    package func write(to json: inout JSONWriter) {
        json.beginObject()
        writeMembers(to: &json)
        json.endObject()
    }

    /// Writes its members into the object that is open.
    package func writeMembers(to json: inout JSONWriter) {
        var copy = self
        copy.map(&json)
    }

    /// As text in JSON: the params of a request, say.
    package var json: [UInt8] { JSONWriter.object { writeMembers(to: &$0) } }

    package static var members: [Shape.Member] {
        var shapes = MemberShapes()
        var object = Self()
        object.map(&shapes)
        return shapes.members
    }

    package static var shape: Shape { title.map { .named($0, .members(members)) } ?? .members(members) }
}

extension MethodShape {
    package init<Method: WireMethod>(_ method: Method.Type) {
        self.init(
            Method.name,
            Method.members.map { member in
                Parameter(
                    name: member.name, type: member.type, isRequired: !member.isOptional, meaning: member.meaning)
            },
            result: Method.Result.members)
    }
}
