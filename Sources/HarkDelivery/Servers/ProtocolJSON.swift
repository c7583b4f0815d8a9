internal import HarkWire

/// The JSON mapping of protocol buffers, as senders may write it: a member has its JSON name (`partialSuccess`) or its
/// defined name (`partial_success`), null means absence, and a number may be a string.
extension JSONValue {
    /// - Parameter name: The JSON name.
    func field(_ name: String) -> JSONValue? {
        for key in [name, JSONValue.nameInDefinition(name)] {
            if let value = self[key], !value.isNull { return value }
        }
        return nil
    }

    /// A 64-bit integer; nil for anything else.
    var wholeNumber: Int64? {
        exactInteger ?? stringValue.flatMap { text in Int64(text) ?? Double(text).flatMap { Int64(exactly: $0) } }
    }

    private static func nameInDefinition(_ name: String) -> String {
        name.reduce(into: "") { $0 += $1.isUppercase ? "_\($1.lowercased())" : String($1) }
    }
}
