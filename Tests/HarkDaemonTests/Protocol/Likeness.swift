import HarkWire

@testable import HarkDaemon
@testable import HarkServer

/// Compares a reply of the daemon with the documented one, by the rule of `Method.Example`.
struct Likeness {
    /// Which id of the daemon stands for which one of the documentation.
    private var ids: [String: String] = [:]
    private(set) var differences: [String] = []

    /// Adds how `actual` differs from `documented`, member by member.
    mutating func compare(_ actual: JSONValue, with documented: JSONValue, at path: String = "$") {
        switch (actual, documented) {
        case (.object(let actual), .object(let documented)): compare(actual, documented, path)
        case (.array(let actual), .array(let documented)):
            guard actual.count == documented.count else { return differ(path, .array(actual), .array(documented)) }
            for (index, pair) in zip(actual, documented).enumerated() {
                compare(pair.0, with: pair.1, at: "\(path)[\(index)]")
            }
        case (.string(let actual), .string(let documented)): compare(actual, documented, path)
        default: if actual != documented { differ(path, actual, documented) }
        }
    }

    private mutating func compare(_ actual: JSONObject, _ documented: JSONObject, _ path: String) {
        guard actual.keys.sorted() == documented.keys.sorted() else {
            differences.append("\(path) has the members \(actual.keys), documented are \(documented.keys)")
            return
        }
        func byName(_ object: JSONObject) -> [JSONObject.Member] { object.sorted { $0.key < $1.key } }
        for (member, expected) in zip(byName(actual), byName(documented)) {
            let path = "\(path).\(member.key)"
            if Method.Example.varying.contains(member.key) {
                if !Likeness.haveOneType(member.value, expected.value) { differ(path, member.value, expected.value) }
            } else {
                compare(member.value, with: expected.value, at: path)
            }
        }
    }

    private mutating func compare(_ actual: String, _ documented: String, _ path: String) {
        let isLike =
            if Identifier(documented) != nil {
                Identifier(actual) != nil && stands(actual, for: documented)
            } else if Timestamp(documented) != nil {
                Timestamp(actual) != nil
            } else if documented.hasPrefix("/") {
                actual.hasPrefix("/")
            } else {
                actual == documented
            }
        if !isLike { differ(path, .string(actual), .string(documented)) }
    }

    /// One id stands for one other, both ways.
    private mutating func stands(_ actual: String, for documented: String) -> Bool {
        if let known = ids[documented] { return known == actual }
        guard !ids.values.contains(actual) else { return false }
        ids[documented] = actual
        return true
    }

    private static func haveOneType(_ one: JSONValue, _ other: JSONValue) -> Bool {
        switch (one, other) {
        case (.null, .null), (.bool, .bool), (.int, .int), (.double, .double), (.string, .string), (.array, .array),
            (.object, .object):
            true
        default: false
        }
    }

    private mutating func differ(_ path: String, _ actual: JSONValue, _ documented: JSONValue) {
        differences.append("\(path) is \(actual), documented is \(documented)")
    }
}
