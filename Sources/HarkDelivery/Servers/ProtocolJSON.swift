internal import HarkWire

/// The JSON mapping of protocol buffers, as senders may write it: a member has its name of JSON (`partialSuccess`) or the one of
/// its definition (`partial_success`), null is one that is not there, and a number may be a text.
extension JSONValue {
    /// - Parameter name: as JSON has it.
    func field(_ name: String) -> JSONValue? {
        for key in [name, JSONValue.nameInDefinition(name)] {
            if let value = self[key], !value.isNull { return value }
        }
        return nil
    }

    /// A whole number of 64 bits; nil for anything else.
    var wholeNumber: Int64? {
        exactInteger ?? stringValue.flatMap { text in Int64(text) ?? Double(text).flatMap { Int64(exactly: $0) } }
    }

    private static func nameInDefinition(_ name: String) -> String {
        name.reduce(into: "") { $0 += $1.isUppercase ? "_\($1.lowercased())" : String($1) }
    }
}
