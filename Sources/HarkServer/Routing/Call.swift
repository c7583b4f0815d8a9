package import HarkCore
package import HarkLedger
package import HarkStore
package import HarkSystem
package import HarkWire

/// A request while a handler processes it.
@DaemonActor
package struct Call {
    package let desks: Desks
    /// All methods of the protocol, in the order of its document.
    package let methods: [Method]
    package let connection: ClientConnection
    package let params: Params
    package let warnings: CallWarnings

    package var ledger: Ledger { desks.ledger }
    package var loop: EventLoop { desks.loop }
    package var peer: Peer { connection.peer }
    package var source: Source { Source(uid: peer.uid, pid: peer.credentials.pid) }

    /// The desk of a family, the only access to the family's data.
    package func desk<Kind: Desk>(_ kind: Kind.Type) -> Kind { desks(kind) }

    /// The scope of this peer and an app; without one, the default app.
    package func scope(of app: String?) -> Scope { Scope(uid: peer.uid, app: app ?? Scope.defaultApp) }

    package func requireAdministrator(for what: String) throws(WireError) {
        guard peer.isAdministrator else {
            throw WireError(
                .permissionDenied,
                "\(what) is for root and members of group '\(desks.administratorGroup)'",
                path: "$.method")
        }
    }

    /// Writes the origin and the problems of a document of the settings. Only administrators may see them, because they
    /// reveal files and servers.
    package func writeSource(_ origin: String?, problems: [DocumentIssue], to json: inout JSONWriter) {
        guard peer.isAdministrator else { return }
        json.member("file", orNull: origin)
        json.member("problems", problems.map { IssueInfo($0) })
    }

    /// Runs a query in this client's turn; it fails if the client is gone, because nobody needs the result.
    package func read<Value: Sendable>(
        _ query: @escaping @Sendable (StoreReader) throws(StoreError) -> Value
    ) async throws(WireError) -> Value {
        guard !connection.isClosed, !connection.isGone else { throw WireError(.internalError, "nobody waits for this") }
        let (value, met) = try await ledger.read(for: connection.turnOwner) { reader throws(StoreError) in
            _ = reader.takeMetDamage()
            return (try query(reader), reader.takeMetDamage())
        }
        if let met { warnings.damage += met }
        return value
    }

    /// Runs a query for an action, in this user's turn: a requested action is carried out even if the client does not
    /// wait for the reply.
    package func readToAct<Value: Sendable>(
        _ query: @escaping @Sendable (StoreReader) throws(StoreError) -> Value
    ) async throws(WireError) -> Value {
        try await ledger.read(for: TurnOwner(uid: peer.uid, client: 0), query)
    }

    /// Runs a query after all earlier decisions are committed.
    package func readSettled<Value: Sendable>(
        _ query: @escaping @Sendable (StoreReader) throws(StoreError) -> Value
    ) async throws(WireError) -> Value {
        await ledger.settleToRead()
        return try await read(query)
    }

    /// Runs a command of the engine after its needs are loaded. A path in its error refers to the parameters.
    @discardableResult
    package func decide<Value: Sendable>(
        needing need: Need, _ command: (inout Engine, inout Changes, Timestamp) throws(WireError) -> Value
    ) throws(WireError) -> Decided<Value> {
        do throws(WireError) {
            return try ledger.decide(needing: need, command)
        } catch {
            throw error.inParams
        }
    }
}

/// The warnings of a result, for example about unknown members.
@DaemonActor
package final class CallWarnings {
    package var texts: [String]
    /// The damage met while reading the store.
    package var damage = MetDamage()

    package var all: [String] { damage.isAny ? texts + [damage.text] : texts }

    package init(_ texts: [String]) {
        self.texts = texts
    }
}

/// The parameters of a request; errors name the member at fault.
package struct Params: Sendable {
    package let object: JSONObject
    /// The declared parameters of the method; nil for a nested object, which has no declaration.
    var declared: [Shape.Member]?

    package init(object: JSONObject, declared: [Shape.Member]? = nil) {
        self.object = object
        self.declared = declared
    }

    package static func path(_ name: String) -> String { "$.params.\(name)" }

    /// The error for a parameter with a wrong value.
    ///
    /// - Parameter words: What the value must be.
    static func wrong(_ name: String, _ words: String) -> WireError {
        WireError(.invalidParams, "'\(name)' must be \(words)", path: path(name))
    }

    /// The value of a parameter, which may be null.
    package subscript(name: String) -> JSONValue? {
        assert(declared?.contains { $0.name == name } ?? true, "the parameter '\(name)' is read but not declared")
        return object[name]
    }

    package func has(_ name: String) -> Bool { self[name] != nil }

    /// Whether the parameter is given; null counts only for a parameter of any type.
    package func has(_ parameter: Shape.Member) -> Bool {
        self[parameter.name].map { !$0.isNull || parameter.type == .any } ?? false
    }

    /// A parameter of some type; nil if it is missing.
    ///
    /// - Parameter null: What null means; nil: the same as absence.
    package func read<Value>(
        _ name: String, _ type: MemberType<Value>, null: Value? = nil
    ) throws(WireError) -> Value? {
        guard let value = self[name] else { return nil }
        if value.isNull { return null }
        guard let converted = type.read(value) else {
            throw Params.wrong(name, type.words(for: value))
        }
        return converted
    }

    package func required<Value>(_ name: String, _ type: MemberType<Value>) throws(WireError) -> Value {
        guard let value = try read(name, type) else { throw Params.missing(name, type.words) }
        return value
    }

    /// - Parameter words: What the value must be.
    package static func missing(_ name: String, _ words: String) -> WireError {
        WireError(.invalidParams, "the parameter '\(name)' is missing; it must be \(words)", path: path(name))
    }

    /// Reads an object of primitive values, and the keys that were left out.
    package func properties(
        _ name: String, _ type: MemberType<JSONValue>
    ) throws(WireError) -> (Properties, dropped: [String]) {
        try PropertyRules.properties(read(name, type)?.objectValue, at: Params.path(name))
    }
}

extension DocumentIssues {
    /// Throws the first fault as the error of the request.
    package func check() throws(WireError) {
        if let fault = errors.first { throw WireError(.invalidParams, fault.message, path: fault.path) }
    }
}

/// The rules for properties: a string, an integer, a double or a bool, with a key of bounded length.
///
/// A null is left out, and the reply names its key.
package enum PropertyRules {
    /// Reads an object of primitive values, and the keys that were left out.
    ///
    /// - Parameter leavesOut: Whether lists and objects are left out as well as null.
    package static func properties(
        _ json: AnyJSON?, leavesOut: Bool = false
    ) throws(WireError) -> (Properties, dropped: [String]) {
        try properties(json?.object, at: json?.path ?? "$", leavesOut: leavesOut)
    }

    fileprivate static func properties(
        _ members: JSONObject?, at path: String, leavesOut: Bool = false
    ) throws(WireError) -> (Properties, dropped: [String]) {
        guard let members else { return (.none, []) }
        var properties = Properties()
        var dropped: [String] = []
        for member in members {
            let path = "\(path).\(member.key)"
            if let value = try value(member.value, key: member.key, path: path, leavesOut: leavesOut) {
                properties.append(member.key, value)
            } else {
                dropped.append(member.key)
            }
        }
        return (properties, dropped)
    }

    /// - Returns: nil for a value to leave out.
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
    /// Writes the keys that were left out, if any.
    package mutating func dropped(_ member: Shape.Member, _ keys: [String]) {
        guard !keys.isEmpty else { return }
        key(member.name)
        beginArray()
        for key in keys { string(key) }
        endArray()
    }
}
