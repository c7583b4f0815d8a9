import HarkCore
import HarkStore
import HarkSystem
import HarkWire

/// One request on its way through a handler.
@DaemonActor
struct Call {
    let daemon: Daemon
    let connection: ClientConnection
    let params: Params
    let warnings: CallWarnings

    var peer: Peer { connection.peer }
    var source: Source { Source(uid: peer.uid, pid: peer.credentials.pid) }

    /// The scope of this peer's application, by the `app` parameter.
    func scope() throws(WireError) -> Scope {
        Scope(uid: peer.uid, app: try params.read(.app) ?? Scope.defaultApp)
    }

    func requireAdministrator(for what: String) throws(WireError) {
        guard peer.isAdministrator else {
            throw WireError(
                .permissionDenied,
                "\(what) is for root and members of group '\(daemon.configuration.administratorGroup)'",
                path: "$.method")
        }
    }

    /// Writes where a document of the settings comes from and what is wrong with it: to administrators, as the places
    /// of files and servers, and what they say, are theirs to know.
    func writeSource(_ origin: String?, problems: [DocumentIssue], to json: inout JSONWriter) {
        guard peer.isAdministrator else { return }
        json.key("file")
        if let origin { json.string(origin) } else { json.null() }
        json.key("problems")
        json.beginArray()
        for issue in problems { issue.write(to: &json) }
        json.endArray()
    }

    /// Runs a query in this client's turn; not at all once the client is gone, as nobody waits for what it tells.
    func read<Value: Sendable>(
        _ query: @escaping @Sendable (StoreReader) throws(StoreError) -> Value
    ) async throws(WireError) -> Value {
        guard !connection.isClosed, !connection.isGone else { throw WireError(.internalError, "nobody waits for this") }
        let (value, met) = try await daemon.read(for: connection.turnOwner) { reader throws(StoreError) in
            _ = reader.takeMetDamage()
            return (try query(reader), reader.takeMetDamage())
        }
        if let met { warnings.damage += met }
        return value
    }

    /// Runs a query that something is to follow from, in this user's turn: what a client has asked to be done is done, also
    /// when it does not wait for the reply.
    func readToAct<Value: Sendable>(
        _ query: @escaping @Sendable (StoreReader) throws(StoreError) -> Value
    ) async throws(WireError) -> Value {
        try await daemon.read(for: TurnOwner(uid: peer.uid, client: 0), query)
    }

    /// The same as `read` over all that was decided before.
    func readSettled<Value: Sendable>(
        _ query: @escaping @Sendable (StoreReader) throws(StoreError) -> Value
    ) async throws(WireError) -> Value {
        await daemon.ledger.settleToRead()
        return try await read(query)
    }

    /// Lets the engine decide, with what it needs at hand; the member it finds fault with is one of the parameters.
    @discardableResult
    func decide<Value: Sendable>(
        needing need: Need, _ command: (inout Engine, inout Changes, Timestamp) throws(WireError) -> Value
    ) throws(WireError) -> Decided<Value> {
        do throws(WireError) {
            return try daemon.ledger.decide(needing: need, command)
        } catch {
            throw error.inParams
        }
    }
}

/// What is said in a result beside it: members that nobody reads.
@DaemonActor
final class CallWarnings {
    var texts: [String]
    /// What could not be read for it.
    var damage = MetDamage()

    var all: [String] { damage.isAny ? texts + [damage.text] : texts }

    init(_ texts: [String]) {
        self.texts = texts
    }
}

/// The parameters of a request, read with errors that name the member at fault.
struct Params: Sendable {
    let object: JSONObject
    /// What the method says it takes; nil for an object within the params, of which the method says nothing.
    var declared: [Method.Parameter]?

    static func path(_ name: String) -> String { "$.params.\(name)" }
    static func path<Value>(_ parameter: Parameter<Value>) -> String { path(parameter.name) }

    /// That the value of a parameter is not what it must be.
    static func wrong<Value>(_ parameter: Parameter<Value>) -> WireError { wrong(parameter.name, parameter.type.words) }

    /// The value of a parameter that was given.
    static func value<Value>(_ value: JSONValue, of parameter: Parameter<Value>) throws(WireError) -> Value {
        guard let converted = parameter.type.read(value) else {
            throw wrong(parameter.name, parameter.type.words(for: value))
        }
        return converted
    }

    private static func wrong(_ name: String, _ words: String) -> WireError {
        WireError(.invalidParams, "'\(name)' must be \(words)", path: path(name))
    }

    /// The value of a parameter; null, which is as good as none for most of them, is told.
    subscript(name: String) -> JSONValue? {
        assert(declared?.contains { $0.name == name } ?? true, "the parameter '\(name)' is read but not declared")
        return object[name]
    }

    func has(_ name: String) -> Bool { self[name] != nil }

    /// Whether there is one that counts: null does where any value will do.
    func has(_ parameter: Method.Parameter) -> Bool {
        self[parameter.name].map { !$0.isNull || parameter.type == .any } ?? false
    }

    /// The value of a parameter; nil if it is missing or null.
    func read<Value>(_ parameter: Parameter<Value>) throws(WireError) -> Value? {
        try read(parameter.name, parameter.type)
    }

    func required<Value>(_ parameter: Parameter<Value>) throws(WireError) -> Value {
        try required(parameter.name, parameter.type)
    }

    /// The value of one that takes whatever there is, null as well.
    func given(_ parameter: Parameter<JSONValue>) -> JSONValue? { self[parameter.name] }

    /// A parameter of some type; nil if it is missing or null.
    func read<Value>(_ name: String, _ type: MemberType<Value>) throws(WireError) -> Value? {
        guard let value = self[name], !value.isNull else { return nil }
        guard let converted = type.read(value) else {
            throw Params.wrong(name, type.words(for: value))
        }
        return converted
    }

    func required<Value>(_ name: String, _ type: MemberType<Value>) throws(WireError) -> Value {
        guard let value = try read(name, type) else { throw Params.missing(name, type.words) }
        return value
    }

    /// All of them, for what settings and documents hold as well.
    func reader(_ issues: IssueCollector) -> ObjectReader? {
        ObjectReader(.object(object), path: "$.params", issues: issues)
    }

    static func missing<Value>(_ parameter: Parameter<Value>) -> WireError {
        missing(parameter.name, parameter.type.words)
    }

    /// - Parameter words: what it must be.
    static func missing(_ name: String, _ words: String) -> WireError {
        WireError(.invalidParams, "the parameter '\(name)' is missing; it must be \(words)", path: path(name))
    }

    /// An object of primitive values, and the keys that were left out of it.
    ///
    /// - Parameter leavesOut: whether lists and objects are left out as well as null.
    func properties(
        _ parameter: Parameter<JSONObject>, leavesOut: Bool = false
    ) throws(WireError) -> (Properties, dropped: [String]) {
        guard let members = try read(parameter) else { return (.none, []) }
        var properties = Properties()
        var dropped: [String] = []
        for member in members {
            let path = "\(Params.path(parameter)).\(member.key)"
            if let value = try PropertyRules.value(member.value, key: member.key, path: path, leavesOut: leavesOut) {
                properties.append(member.key, value)
            } else {
                dropped.append(member.key)
            }
        }
        return (properties, dropped)
    }
}

extension DocumentIssues {
    /// Refuses a request for the first fault of what was read from its parameters.
    func check() throws(WireError) {
        if let fault = errors.first { throw WireError(.invalidParams, fault.message, path: fault.path) }
    }
}

/// What may be a property: a string, an integer, a double or a bool, under a key of bounded length.
///
/// A null is as good as no property: it is left out, and its key is told in the reply.
enum PropertyRules {
    /// - Returns: nil for what is to be left out.
    static func value(
        _ value: JSONValue, key: String, path: String, leavesOut: Bool = false
    ) throws(WireError) -> PropertyValue? {
        try check(keyLength: key.utf8.count, path: path)
        switch value {
        case .string(let text): return .string(text)
        case .int(let number): return .integer(number)
        case .double(let number): return .double(number)
        case .bool(let flag): return .bool(flag)
        case .null: return nil
        case .array, .object:
            if leavesOut { return nil }
            throw notPrimitive(key, path: path)
        }
    }

    static func check(keyLength: Int, path: String) throws(WireError) {
        guard keyLength <= Limits.propertyKeyBytes else {
            throw WireError(
                .tooLarge, "a property key has at most \(Limits.propertyKeyBytes) bytes, this one has \(keyLength)",
                path: String(path.prefix(80)) + "…")
        }
    }

    static func notPrimitive(_ key: String, path: String) -> WireError {
        WireError(
            .invalidParams,
            "the property '\(key)' must be a string, a number or a bool; put nested values in as text, or under "
                + "keys of their own ('hark record --stdin --flatten' makes them)",
            path: path)
    }
}

extension JSONWriter {
    /// Tells which keys were left out, if any were.
    mutating func dropped(_ member: Shape.Member, _ keys: [String]) {
        guard !keys.isEmpty else { return }
        key(member.name)
        beginArray()
        for key in keys { string(key) }
        endArray()
    }
}

extension WireError {
    /// An error about a parameter.
    init<Value>(_ reason: ErrorReason, _ message: String, path parameter: Parameter<Value>) {
        self.init(reason, message, path: Params.path(parameter))
    }
}
