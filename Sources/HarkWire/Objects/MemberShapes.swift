/// Describes members for the documentation and the schemas.
struct MemberShapes: MemberMap {
    private(set) var members: [Shape.Member] = []

    mutating func text(_ member: Member, _ type: () -> MemberType<String>, _ value: inout String?) {
        add(member, type().shape)
    }

    mutating func flag(_ member: Member, _ value: inout Bool?) { add(member, .bool) }

    mutating func integer(_ member: Member, _ type: () -> MemberType<Int64>, _ value: inout Int64?) {
        add(member, type().shape)
    }

    mutating func span(_ member: Member, _ type: () -> MemberType<Double>, _ value: inout Int64?) {
        add(member, type().shape)
    }

    mutating func time(_ member: Member, _ value: inout Timestamp?) { add(member, .time) }

    mutating func json(_ member: Member, _ type: () -> MemberType<JSONValue>, _ value: inout AnyJSON?) {
        add(member, type().shape)
    }

    mutating func object<Object: WireObject>(_ member: Member, _ value: inout Object?) { add(member, Object.shape) }

    mutating func list<Object: WireObject>(_ member: Member, _ values: inout [Object]?) {
        add(member, .array(Object.shape))
    }

    mutating func number(_ member: Member, _ type: () -> MemberType<Double>, _ value: inout Double?) {
        add(member, type().shape)
    }

    mutating func strings(_ member: Member, _ type: () -> MemberType<[String]>, _ values: inout [String]?) {
        add(member, type().shape)
    }

    mutating func part<Object: WireObject>(_ value: inout Object?) {
        members += Object.members.map { member in
            var member = member
            member.isOptional = true
            return member
        }
    }

    private mutating func add(_ member: Member, _ shape: Shape) {
        members.append(
            Shape.Member(
                name: member.name.description, type: member.presence.isNullable ? .orNull(shape) : shape,
                isOptional: member.presence.isOptional, meaning: member.meaning.description))
    }
}

extension Member.Presence {
    fileprivate var isNullable: Bool { self == .orNull || self == .nullOrAbsent }
    fileprivate var isOptional: Bool { self != .always && self != .orNull }
}

/// Types for members of results.
extension MemberType<Double> {
    package static var span: MemberType { MemberType("a number", .seconds, \.doubleValue) }
    package static var real: MemberType { MemberType("a number", .number, \.doubleValue) }
}

extension MemberType<Int64> {
    package static var count: MemberType { .integer(in: 0 ... .max) }
    package static var uid: MemberType { .integer(in: 0...Int64(UInt32.max)) }
    package static var whole: MemberType { .integer(in: .min ... .max) }
}

extension MemberType<JSONValue> {
    package static var objectValue: MemberType { shaped(.object) }

    /// A value that is passed on as it is.
    package static func shaped(_ shape: Shape) -> MemberType { MemberType(shape.withArticle, shape) { $0 } }
}

extension MemberType<String> {
    package static func oneOf(_ words: [String]) -> MemberType { .word(of: words.map { ($0, $0) }) }

    /// The words of a type, as strings.
    static func raw<Word: RawRepresentable<String> & CaseIterable>(_ type: Word.Type) -> MemberType {
        .word(of: Word.allCases.map { ($0.rawValue, $0.rawValue) })
    }

    /// A UUID, as a string.
    static var id: MemberType {
        let type = MemberType<Identifier>.identifier
        return MemberType(type.words, type.shape) { type.read($0)?.description }
    }
}
