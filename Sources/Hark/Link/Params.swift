internal import HarkWire

/// The parameters of a request, put together member by member; what is nil is left out.
struct Params {
    private var writer = JSONWriter()

    init() { writer.beginObject() }

    /// The JSON object.
    var json: [UInt8] {
        var whole = writer
        whole.endObject()
        return whole.bytes
    }

    func with(_ key: String, _ value: String?) -> Params { adding(key, value.map { Value.string($0) }) }
    func with(_ key: String, _ value: Int?) -> Params { adding(key, value.map { Value.integer(Int64($0)) }) }
    func with(_ key: String, _ value: UInt64?) -> Params { adding(key, value.map { Value.integer(Int64($0)) }) }
    func with(_ key: String, _ value: Bool?) -> Params { adding(key, value.map { Value.bool($0) }) }
    func with(_ key: String, _ value: Value?) -> Params { adding(key, value) }
    func with(_ key: String, _ value: [String: Value]?) -> Params { adding(key, value.map { Value.object($0) }) }

    func with<Kind>(_ parameter: Parameter<Kind>, _ value: Value?) -> Params { adding(parameter.name, value) }
    func with<Kind>(_ parameter: Parameter<Kind>, _ text: String?) -> Params { with(parameter.name, text) }

    func with(_ parameter: Parameter<Int64>, _ number: Int?) -> Params { with(parameter.name, number) }
    func with(_ parameter: Parameter<Bool>, _ flag: Bool?) -> Params { with(parameter.name, flag) }

    func with(_ parameter: Parameter<JSONObject>, _ value: [String: Value]?) -> Params { with(parameter.name, value) }

    private func adding(_ key: String, _ value: Value?) -> Params {
        guard let value else { return self }
        var copy = self
        copy.writer.key(key)
        value.write(to: &copy.writer)
        return copy
    }
}
