/// Visits the members of an object in order, to write, read or describe them.
///
/// There is one requirement for each kind of value, and each takes an optional value. Objects call the functions below
/// instead, which depend on the type of the property: a member is required unless its property is optional, an optional
/// one may be absent, and `orNull` is always present and may be null.
package protocol MemberMap {
    mutating func text(_ member: Member, _ type: () -> MemberType<String>, _ value: inout String?)
    mutating func flag(_ member: Member, _ value: inout Bool?)
    mutating func integer(_ member: Member, _ type: () -> MemberType<Int64>, _ value: inout Int64?)
    /// A duration: seconds in JSON, milliseconds in Swift.
    mutating func span(_ member: Member, _ type: () -> MemberType<Double>, _ value: inout Int64?)
    mutating func time(_ member: Member, _ value: inout Timestamp?)
    mutating func json(_ member: Member, _ type: () -> MemberType<JSONValue>, _ value: inout AnyJSON?)
    mutating func object<Object: WireObject>(_ member: Member, _ value: inout Object?)
    mutating func list<Object: WireObject>(_ member: Member, _ values: inout [Object]?)
    mutating func number(_ member: Member, _ type: () -> MemberType<Double>, _ value: inout Double?)
    mutating func strings(_ member: Member, _ type: () -> MemberType<[String]>, _ values: inout [String]?)
    /// Members that are present together or not at all, in the object they belong to.
    mutating func part<Object: WireObject>(_ value: inout Object?)
}

/// A member without its type and value.
package struct Member {
    /// `nullOrAbsent`: null, or absent if `isLeftOut` is set. `given`: it may be absent, and null is a value of its own.
    package enum Presence { case always, maybe, orNull, nullOrAbsent, given }

    package let name: StaticString
    package let presence: Presence
    /// The meaning in Markdown; empty if the name is enough.
    package let meaning: StaticString
    package var isLeftOut = false

    @inline(__always)
    init(_ name: StaticString, _ presence: Presence, _ meaning: StaticString) {
        self.name = name
        self.presence = presence
        self.meaning = meaning
    }
}

extension MemberMap {
    @inline(__always)
    mutating func callAsFunction(_ name: StaticString, _ value: inout String, _ meaning: StaticString = "") {
        var held: String? = value
        text(Member(name, .always, meaning), { .string }, &held)
        if let held { value = held }
    }

    @inline(__always)
    mutating func callAsFunction(_ name: StaticString, _ value: inout String?, _ meaning: StaticString = "") {
        text(Member(name, .maybe, meaning), { .string }, &value)
    }

    @inline(__always)
    mutating func callAsFunction(
        _ name: StaticString, _ value: inout String?, _ type: @autoclosure () -> MemberType<String>,
        _ meaning: StaticString = ""
    ) {
        text(Member(name, .maybe, meaning), type, &value)
    }

    @inline(__always)
    mutating func callAsFunction(_ name: StaticString, orNull value: inout String?, _ meaning: StaticString = "") {
        text(Member(name, .orNull, meaning), { .string }, &value)
    }

    @inline(__always)
    mutating func callAsFunction(_ name: StaticString, _ value: inout Bool, _ meaning: StaticString = "") {
        var held: Bool? = value
        flag(Member(name, .always, meaning), &held)
        if let held { value = held }
    }

    @inline(__always)
    mutating func callAsFunction(
        _ name: StaticString, _ value: inout Int64, _ type: @autoclosure () -> MemberType<Int64>,
        _ meaning: StaticString = ""
    ) {
        var held: Int64? = value
        integer(Member(name, .always, meaning), type, &held)
        if let held { value = held }
    }

    @inline(__always)
    mutating func callAsFunction(
        _ name: StaticString, _ value: inout Int64?, _ type: @autoclosure () -> MemberType<Int64>,
        _ meaning: StaticString = ""
    ) {
        integer(Member(name, .maybe, meaning), type, &value)
    }

    @inline(__always)
    mutating func callAsFunction(
        _ name: StaticString, orNull value: inout Int64?, _ type: @autoclosure () -> MemberType<Int64>,
        _ meaning: StaticString = ""
    ) {
        integer(Member(name, .orNull, meaning), type, &value)
    }

    @inline(__always)
    mutating func callAsFunction(
        _ name: StaticString, milliseconds value: inout Int64, _ type: @autoclosure () -> MemberType<Double>,
        _ meaning: StaticString = ""
    ) {
        var held: Int64? = value
        span(Member(name, .always, meaning), type, &held)
        if let held { value = held }
    }

    @inline(__always)
    mutating func callAsFunction(_ name: StaticString, _ value: inout Timestamp, _ meaning: StaticString = "") {
        var held: Timestamp? = value
        time(Member(name, .always, meaning), &held)
        if let held { value = held }
    }

    @inline(__always)
    mutating func callAsFunction(_ name: StaticString, orNull value: inout Timestamp?, _ meaning: StaticString = "") {
        time(Member(name, .orNull, meaning), &value)
    }

    @inline(__always)
    mutating func callAsFunction(
        _ name: StaticString, _ value: inout AnyJSON?, _ type: @autoclosure () -> MemberType<JSONValue>,
        _ meaning: StaticString = ""
    ) {
        json(Member(name, .maybe, meaning), type, &value)
    }

    @inline(__always)
    mutating func callAsFunction<Object: WireObject>(
        _ name: StaticString, _ value: inout Object, _ meaning: StaticString = ""
    ) {
        var held: Object? = value
        object(Member(name, .always, meaning), &held)
        if let held { value = held }
    }

    @inline(__always)
    mutating func callAsFunction<Object: WireObject>(
        _ name: StaticString, _ values: inout [Object], _ meaning: StaticString = ""
    ) {
        var held: [Object]? = values
        list(Member(name, .always, meaning), &held)
        if let held { values = held }
    }

    @inline(__always)
    mutating func callAsFunction<Object: WireObject>(
        _ name: StaticString, orNull values: inout [Object]?, _ meaning: StaticString = ""
    ) {
        list(Member(name, .orNull, meaning), &values)
    }

    /// The cursor after which a list continues.
    @inline(__always)
    mutating func after(_ value: inout String?) {
        self("after", &value, "go on after this cursor, the `next` of the page before")
    }

    /// The cursor of the next page.
    @inline(__always)
    mutating func next(_ value: inout String?) {
        self("next", orNull: &value, "the cursor of the next page; null on the last")
    }
}

/// Strings that represent other values, and similar members.
extension MemberMap {
    @inline(__always)
    mutating func callAsFunction<Word: RawRepresentable<String> & CaseIterable>(
        _ name: StaticString, _ value: inout Word, _ meaning: StaticString = ""
    ) {
        var held: String? = value.rawValue
        text(Member(name, .always, meaning), { .raw(Word.self) }, &held)
        if let word = held.flatMap(Word.init(rawValue:)) { value = word }
    }

    @inline(__always)
    mutating func callAsFunction<Word: RawRepresentable<String> & CaseIterable>(
        _ name: StaticString, _ value: inout Word?, _ meaning: StaticString = ""
    ) {
        var held = value?.rawValue
        text(Member(name, .maybe, meaning), { .raw(Word.self) }, &held)
        value = held.flatMap(Word.init(rawValue:))
    }

    @inline(__always)
    mutating func callAsFunction<Word: RawRepresentable<String> & CaseIterable>(
        _ name: StaticString, orNull value: inout Word?, _ meaning: StaticString = ""
    ) {
        var held = value?.rawValue
        text(Member(name, .orNull, meaning), { .raw(Word.self) }, &held)
        value = held.flatMap(Word.init(rawValue:))
    }

    @inline(__always)
    mutating func callAsFunction(_ name: StaticString, _ value: inout Identifier, _ meaning: StaticString = "") {
        var held: String? = value.description
        text(Member(name, .always, meaning), { .id }, &held)
        if let id = held.flatMap(Identifier.init) { value = id }
    }

    @inline(__always)
    mutating func callAsFunction(
        _ name: StaticString, orNull value: inout Identifier?, _ meaning: StaticString = ""
    ) {
        var held = value?.description
        text(Member(name, .orNull, meaning), { .id }, &held)
        value = held.flatMap(Identifier.init)
    }

    @inline(__always)
    mutating func callAsFunction(
        _ name: StaticString, orNull value: inout String?, leftOut: Bool, _ meaning: StaticString = ""
    ) {
        var member = Member(name, .nullOrAbsent, meaning)
        member.isLeftOut = leftOut
        text(member, { .string }, &value)
    }

    @inline(__always)
    mutating func callAsFunction(_ name: StaticString, _ value: inout Timestamp?, _ meaning: StaticString = "") {
        time(Member(name, .maybe, meaning), &value)
    }

    /// A number that may be a fraction.
    @inline(__always)
    mutating func callAsFunction(
        _ name: StaticString, orNull value: inout Double?, _ meaning: StaticString = ""
    ) {
        number(Member(name, .orNull, meaning), { .span }, &value)
    }

    @inline(__always)
    mutating func callAsFunction(_ name: StaticString, _ values: inout [String], _ meaning: StaticString = "") {
        var held: [String]? = values
        strings(Member(name, .always, meaning), { .strings }, &held)
        if let held { values = held }
    }

    @inline(__always)
    mutating func callAsFunction(_ name: StaticString, _ values: inout [String]?, _ meaning: StaticString = "") {
        strings(Member(name, .maybe, meaning), { .strings }, &values)
    }

    @inline(__always)
    mutating func callAsFunction(_ name: StaticString, _ value: inout Bool?, _ meaning: StaticString = "") {
        flag(Member(name, .maybe, meaning), &value)
    }
}
