import HarkWire

extension JSONValue {
    /// The string this is; anything else is an error.
    var text: String {
        get throws {
            guard let stringValue else { throw Failure("not a string: \(self)") }
            return stringValue
        }
    }
}
