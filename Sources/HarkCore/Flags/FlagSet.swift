package import HarkWire

/// Flags and settings from a server or a file, by name, with typed access that never fails.
package struct FlagSet: Sendable, Equatable {
    package static let none = FlagSet(JSONObject())

    package let members: JSONObject

    package init(_ members: JSONObject) {
        self.members = members
    }

    /// The value of a flag if it has the type; nil for any other flag, an unknown one, or null.
    ///
    /// Any number is a double; only a whole number is an integer: 2 and 2.0 are, 2.5 is not.
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
    /// Reads a document of flags: one object. Nested values are allowed, but only `raw` returns them.
    package static func read(_ document: JSONValue) -> (FlagSet?, DocumentIssues) {
        guard let members = document.objectValue else {
            return (
                nil, DocumentIssues(error: DocumentIssue(path: "$", message: "must be an object: { \"name\": value }"))
            )
        }
        return (FlagSet(members), DocumentIssues())
    }
}
