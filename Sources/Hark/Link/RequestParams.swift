internal import HarkWire

/// Builds the params of a request member by member; nil values are left out.
struct RequestParams {
    private var writer = JSONWriter()

    init() { writer.beginObject() }

    /// The JSON object.
    var json: [UInt8] {
        var whole = writer
        whole.endObject()
        return whole.bytes
    }

    func with<Kind>(_ parameter: Parameter<Kind>, _ value: Value?) -> RequestParams { adding(parameter.name, value) }

    func with<Kind>(_ parameter: Parameter<Kind>, _ text: String?) -> RequestParams {
        adding(parameter.name, text.map { .string($0) })
    }

    func with(_ parameter: Parameter<Bool>, _ flag: Bool?) -> RequestParams {
        adding(parameter.name, flag.map { .bool($0) })
    }

    func with(_ parameter: Parameter<JSONObject>, _ value: [String: Value]?) -> RequestParams {
        adding(parameter.name, value.map { .object($0) })
    }

    private func adding(_ key: String, _ value: Value?) -> RequestParams {
        guard let value else { return self }
        var copy = self
        copy.writer.key(key)
        value.write(to: &copy.writer)
        return copy
    }
}
