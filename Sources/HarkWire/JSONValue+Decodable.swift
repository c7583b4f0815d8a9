extension JSONValue: Decodable {
    /// Decodes any JSON value. Decoders do not preserve the order of an object's members, so they are sorted by key.
    ///
    /// A decoder that accepts `1.0` as an integer, like Foundation's, produces an `int`.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        // A decoder can only be asked for a type, so an error here is an answer rather than a failure. The last attempt
        // uses `try`, so that a value of no known type ends in the decoder's own error.
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int64.self) {
            self = .int(value)
        } else if let value = try? container.decode(Double.self) {
            self = .double(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([JSONValue].self) {
            self = .array(value)
        } else {
            let members = try container.decode([String: JSONValue].self)
            self = .object(JSONObject(members.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }))
        }
    }
}
