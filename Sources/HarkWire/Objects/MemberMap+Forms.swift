/// Further forms of members: typed texts and numbers, JSON, and objects that may be absent or null.
extension MemberMap {
    @inline(__always)
    mutating func callAsFunction(
        _ name: StaticString, _ value: inout String, _ type: @autoclosure () -> MemberType<String>,
        _ meaning: StaticString = ""
    ) {
        var held: String? = value
        text(Member(name, .always, meaning), type, &held)
        if let held { value = held }
    }

    @inline(__always)
    mutating func callAsFunction(
        _ name: StaticString, orNull value: inout String?, _ type: @autoclosure () -> MemberType<String>,
        _ meaning: StaticString = ""
    ) {
        text(Member(name, .orNull, meaning), type, &value)
    }

    @inline(__always)
    mutating func callAsFunction(
        _ name: StaticString, _ value: inout Double, _ type: @autoclosure () -> MemberType<Double>,
        _ meaning: StaticString = ""
    ) {
        var held: Double? = value
        number(Member(name, .always, meaning), type, &held)
        if let held { value = held }
    }

    @inline(__always)
    mutating func callAsFunction(
        _ name: StaticString, _ value: inout Double?, _ type: @autoclosure () -> MemberType<Double>,
        _ meaning: StaticString = ""
    ) {
        number(Member(name, .maybe, meaning), type, &value)
    }

    @inline(__always)
    mutating func callAsFunction(
        _ name: StaticString, orNull value: inout Double?, _ type: @autoclosure () -> MemberType<Double>,
        _ meaning: StaticString = ""
    ) {
        number(Member(name, .orNull, meaning), type, &value)
    }

    @inline(__always)
    mutating func callAsFunction(
        _ name: StaticString, _ value: inout AnyJSON, _ type: @autoclosure () -> MemberType<JSONValue>,
        _ meaning: StaticString = ""
    ) {
        var held: AnyJSON? = value
        json(Member(name, .always, meaning), type, &held)
        if let held { value = held }
    }

    @inline(__always)
    mutating func callAsFunction(
        _ name: StaticString, orNull value: inout AnyJSON?, _ type: @autoclosure () -> MemberType<JSONValue>,
        _ meaning: StaticString = ""
    ) {
        json(Member(name, .orNull, meaning), type, &value)
    }

    @inline(__always)
    mutating func callAsFunction(
        _ name: StaticString, _ value: inout [String], _ type: @autoclosure () -> MemberType<[String]>,
        _ meaning: StaticString = ""
    ) {
        var held: [String]? = value
        strings(Member(name, .always, meaning), type, &held)
        if let held { value = held }
    }

    @inline(__always)
    mutating func callAsFunction(
        _ name: StaticString, _ value: inout [String]?, _ type: @autoclosure () -> MemberType<[String]>,
        _ meaning: StaticString = ""
    ) {
        strings(Member(name, .maybe, meaning), type, &value)
    }

    @inline(__always)
    mutating func callAsFunction<Object: WireObject>(
        _ name: StaticString, _ value: inout Object?, _ meaning: StaticString = ""
    ) {
        object(Member(name, .maybe, meaning), &value)
    }

    @inline(__always)
    mutating func callAsFunction<Object: WireObject>(
        _ name: StaticString, orNull value: inout Object?, _ meaning: StaticString = ""
    ) {
        object(Member(name, .orNull, meaning), &value)
    }

    @inline(__always)
    mutating func callAsFunction<Object: WireObject>(
        _ name: StaticString, _ values: inout [Object]?, _ meaning: StaticString = ""
    ) {
        list(Member(name, .maybe, meaning), &values)
    }

    @inline(__always)
    mutating func callAsFunction(_ name: StaticString, _ value: inout Identifier?, _ meaning: StaticString = "") {
        var held = value?.description
        text(Member(name, .maybe, meaning), { .id }, &held)
        value = held.flatMap(Identifier.init)
    }

    /// - Parameter leftOut: Whether the member is absent, rather than null, if it has no value.
    @inline(__always)
    mutating func callAsFunction(
        _ name: StaticString, orNull value: inout Timestamp?, leftOut: Bool, _ meaning: StaticString = ""
    ) {
        var member = Member(name, .nullOrAbsent, meaning)
        member.isLeftOut = leftOut
        time(member, &value)
    }

    @inline(__always)
    mutating func callAsFunction(
        _ name: StaticString, orNull value: inout Int64?, _ type: @autoclosure () -> MemberType<Int64>, leftOut: Bool,
        _ meaning: StaticString = ""
    ) {
        var member = Member(name, .nullOrAbsent, meaning)
        member.isLeftOut = leftOut
        integer(member, type, &value)
    }

    @inline(__always)
    mutating func callAsFunction<Object: WireObject>(
        _ name: StaticString, orNull value: inout Object?, leftOut: Bool, _ meaning: StaticString = ""
    ) {
        var member = Member(name, .nullOrAbsent, meaning)
        member.isLeftOut = leftOut
        object(member, &value)
    }
}
