internal import HarkWire

/// The properties of the triggering event that a showing keeps, so that results can be split by them after the event is
/// gone.
///
/// They are few, because they are stored with each showing, and useful if many showings share a value.
extension Properties {
    static let mostKept = 16
    package static let mostKeptBytes = 1_024
    /// The greatest size of one property with its name, in bytes.
    static let mostKeptMemberBytes = 256

    var kept: Properties { kept(first: []) }

    /// The first members that fit, those of some names before all others. Longer ones are left out and not cut, because a part of
    /// a text would be another value.
    func kept(first names: [String]) -> Properties {
        var kept = Properties()
        var count = 0
        func take(_ member: Member) {
            var size = member.key.count
            if case .string(let text) = member.value { size += text.count }
            guard count < Properties.mostKept, size < Properties.mostKeptMemberBytes else { return }
            let key = String(decoding: member.key, as: UTF8.self)
            let one = Properties([(key, PropertyValue(member.value))])
            guard one.byteCount <= Properties.mostKeptMemberBytes,
                kept.byteCount + one.byteCount <= Properties.mostKeptBytes, kept[key] == nil
            else { return }
            kept.append(one)
            count += 1
        }
        if !names.isEmpty {
            forEachMember { member in
                if names.contains(where: { $0.utf8.elementsEqual(member.key) }) { take(member) }
            }
        }
        forEachMember { take($0) }
        return kept
    }

    /// The properties without the members whose names match `isLeftOut`.
    func without(_ isLeftOut: (String) -> Bool) -> Properties { Properties(members.filter { !isLeftOut($0.key) }) }

    /// The value of a member of packed bytes.
    static func value(of key: String, in packed: UnsafeBufferPointer<UInt8>) -> Member.View? {
        var found: Member.View?
        var key = key
        key.withUTF8 { wanted in
            forEachMember(in: packed) { member in
                if found == nil, member.key.elementsEqual(wanted) { found = member.value }
            }
        }
        return found
    }
}

/// Property values as texts that are equal for values that count as equal: 3 and 3.0 do, 3 and `"3"` do not.
enum PropertyText {
    private static let mark = "\""

    static func make(_ text: String) -> String { mark + text }

    static func make(_ value: Properties.Member.View) -> String {
        switch value {
        case .string(let text): make(text.text)
        case .integer(let number): String(number)
        case .double(let number): Int64(exactly: number).map { String($0) } ?? String(number)
        case .bool(let flag): String(flag)
        }
    }

    /// The value that a text represents.
    static func value(_ text: String) -> JSONValue {
        if text.utf8.first == UInt8(ascii: "\"") {
            return .string(String(decoding: text.utf8.dropFirst(), as: UTF8.self))
        }
        return Bool(text).map { .bool($0) } ?? Int64(text).map { .int($0) } ?? Double(text).map { .double($0) } ?? .null
    }
}
