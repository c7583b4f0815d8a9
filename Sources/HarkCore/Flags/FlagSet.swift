package import HarkWire

/// Flags and settings that a server or a file hands out, by name, with typed access that never fails.
package struct FlagSet: Sendable, Equatable {
    package static let none = FlagSet(JSONObject())

    package let members: JSONObject

    package init(_ members: JSONObject) {
        self.members = members
    }

    /// The value of a flag if it is of that type; nil for all other flags, unknown ones, and null.
    ///
    /// A number is a double however it is written, and an integer only if it is one: 2 and 2.0 are, 2.5 is not.
    package func value(_ name: String, as type: FlagType = .raw) -> JSONValue? {
        guard let value = members[name] else { return nil }
        switch (type, value) {
        case (_, .null): return nil
        case (.raw, _), (.bool, .bool), (.string, .string), (.int, .int), (.double, .double): return value
        case (.double, .int(let number)): return .double(Double(number))
        case (.int, .double(let number)): return Int64(exactly: number).map(JSONValue.int)
        default: return nil
        }
    }
}

extension FlagSet {
    /// Reads a document of flags: one object. Values may be nested; those are there for `raw` only.
    package static func read(_ document: JSONValue) -> (FlagSet?, DocumentIssues) {
        guard let members = document.objectValue else {
            return (
                nil, DocumentIssues(error: DocumentIssue(path: "$", message: "must be an object: { \"name\": value }"))
            )
        }
        return (FlagSet(members), DocumentIssues())
    }
}
