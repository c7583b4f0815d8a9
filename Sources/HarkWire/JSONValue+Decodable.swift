extension JSONValue: Decodable {
    /// Reads any JSON value. A decoder does not tell the order of an object's members, so they come sorted by key.
    ///
    /// A decoder that takes `1.0` for an integer (Foundation's does) makes an `int` of it.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        // A decoder can only be asked for a type and refuse; a refusal here is an answer, not a failure. The last
        // question is asked with `try`, so a value that is none of these ends in the decoder's own error.
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
