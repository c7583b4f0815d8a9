/// The user that a request is about.
package enum UserChoice: Sendable, Equatable {
    /// Nobody is named.
    case unsaid
    /// Everybody without a name.
    case anonymous
    case named(String)

    /// - Parameter name: nil: everybody without a name.
    package init(_ name: String?) { self = name.map(UserChoice.named) ?? .anonymous }

    /// The user's name.
    ///
    /// - Parameter other: The name if nobody is named.
    package func name(else other: String?) -> String? {
        switch self {
        case .unsaid: other
        case .anonymous: nil
        case .named(let name): name
        }
    }

    fileprivate init(_ json: AnyJSON?) {
        self = json.map { UserChoice($0.value?.stringValue) } ?? .unsaid
    }

    fileprivate var json: AnyJSON? {
        switch self {
        case .unsaid: nil
        case .anonymous: AnyJSON(.null)
        case .named(let name): AnyJSON(.string(name))
        }
    }
}

extension MemberType<JSONValue> {
    /// A string, or null.
    static var textOrNull: MemberType {
        MemberType("a string", .orNull(.string)) { $0.stringValue.map(JSONValue.string) }
    }

    /// An object; what is in it is checked where it is used.
    package static func anObject(_ shape: Shape, _ words: String = "an object") -> MemberType {
        // A plain 'nil' would be a null of JSON, and a value.
        MemberType(words, shape) { value in value.objectValue.map { _ in value } }
    }
}

/// Forms of members that only requests have.
extension MemberMap {
    /// A user; null: everybody without a name.
    @inline(__always)
    mutating func callAsFunction(_ name: StaticString, _ value: inout UserChoice, _ meaning: StaticString = "") {
        var held = value.json
        json(Member(name, .given, meaning), { .textOrNull }, &held)
        value = UserChoice(held)
    }

    /// JSON of which null is a value.
    @inline(__always)
    mutating func callAsFunction(
        _ name: StaticString, given value: inout AnyJSON?, _ type: @autoclosure () -> MemberType<JSONValue>,
        _ meaning: StaticString = ""
    ) {
        json(Member(name, .given, meaning), type, &value)
    }
    /// A value of a type of its own.
    ///
    /// - Parameter write: The JSON of a value.
    @inline(__always)
    mutating func callAsFunction<Value>(
        _ name: StaticString, _ value: inout Value?, _ type: @autoclosure () -> MemberType<Value>,
        _ meaning: StaticString,
        write: (Value) -> JSONValue
    ) {
        var held = value.map { AnyJSON(write($0)) }
        json(Member(name, .maybe, meaning), { type().json }, &held)
        value = held?.value.flatMap { type().read($0) }
    }
}

/// The machines whose records are meant, on a hub.
package struct MachineChoice: WireObject, Equatable {
    /// A pattern of names; null: the hub itself.
    package var machine: AnyJSON?
    package var group: String?

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m(
            "machine", given: &machine, .textOrNull,
            "on a hub, only records of machines of this name; `*` stands for any characters; null: only the hub's own"
        )
        m("group", &group, "on a hub, only records of machines of this group; `*` as in `machine`")
    }
}

/// Members that many requests share.
extension MemberMap {
    /// The application that is asked about.
    @inline(__always)
    mutating func whichApp(_ app: inout String?) { self("app", &app, "the application; `default` without it") }

    /// The application that a list or a stream is restricted to.
    @inline(__always)
    mutating func onlyApp(_ app: inout String?) { self("app", &app, "only this application's") }

    /// The user that a list or a stream is restricted to.
    @inline(__always)
    mutating func onlyUser(_ user: inout UserChoice) {
        self("userId", &user, "only this user's; null: only anonymous ones")
    }
}
