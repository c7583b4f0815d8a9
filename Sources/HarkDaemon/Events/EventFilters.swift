import HarkCore
import HarkLedger
import HarkServer
import HarkStore
import HarkSystem
import HarkWire

extension RecordQuery {
    /// The filters that lists and streams share.
    @DaemonActor
    init(_ filter: EventFilter, _ machines: MachineChoice, _ call: Call) throws(WireError) {
        self.init(limit: .max)
        uid = call.peer.visibleUID
        session = filter.session.flatMap(Identifier.init)
        user = filter.user.filter
        app = filter.app
        self.machines = try machines.filter()
        name = try MachineChoice.pattern("name", filter.name)
        condition = try filter.condition.map { json throws(WireError) in try EventCondition(json) }
    }

    /// The filters of a list, which may be restricted to the app's current session.
    @DaemonActor
    static func list(
        _ filter: EventFilter, _ machines: MachineChoice, _ call: Call
    ) async throws(WireError) -> RecordQuery {
        var query = try RecordQuery(filter, machines, call)
        guard filter.current == true else { return query }
        // Without a current session nothing matches: no session has this id.
        let session = try await call.ledger.currentSession(of: call.scope(of: filter.app)).stored().value
        query.session = session?.identity.id ?? Identifier(high: 0, low: 0)
        return query
    }
}

extension UserChoice {
    /// The filter of a query: unsaid means all users.
    var filter: UserFilter? {
        switch self {
        case .unsaid: nil
        case .anonymous: .user(nil)
        case .named(let name): .user(name)
        }
    }
}

extension MachineChoice {
    /// The filter of a query: without both, all machines and the hub.
    func filter() throws(WireError) -> MachineFilter? {
        let group = try MachineChoice.pattern("group", group)
        guard machine?.value?.isNull == true else {
            let name = try MachineChoice.pattern("machine", machine?.value?.stringValue)
            return name == nil && group == nil ? nil : .of(machine: name, group: group)
        }
        guard group == nil else {
            throw WireError(
                .invalidParams,
                "'machine': null means the hub's own records, which have no group; leave one of them out",
                path: Params.path("group"))
        }
        return .own
    }

    static func pattern(_ member: String, _ text: String?) throws(WireError) -> NamePattern? {
        guard let text else { return nil }
        guard text.utf8.count <= Limits.patternBytes else {
            throw WireError(
                .tooLarge, "'\(member)' has at most \(Limits.patternBytes) bytes of UTF-8", path: Params.path(member))
        }
        return NamePattern(text)
    }
}

extension EventCondition {
    /// Reads a condition of a request, as text or as JSON.
    init(_ json: AnyJSON) throws(WireError) { try self.init(json.value ?? .null, json.path) }

    /// Reads a condition of a request, as text or as JSON.
    init(_ value: JSONValue, _ path: String) throws(WireError) {
        let (condition, issues) = Condition.read(value, path: path)
        try issues.check()
        do throws(ConditionFault) {
            try self.init(condition ?? .always)
        } catch {
            throw WireError(.invalidParams, error.message, path: path)
        }
    }
}

extension EventField {
    /// Reads the field that a member names.
    init(_ text: String, of member: String) throws(WireError) {
        guard !text.isEmpty, text.utf8.count <= Limits.propertyKeyBytes else {
            throw WireError(
                .invalidParams, "'\(member)' names a property, of 1 to \(Limits.propertyKeyBytes) bytes",
                path: Params.path(member))
        }
        do throws(ConditionFault) {
            try self.init(text)
        } catch {
            throw WireError(.invalidParams, error.message, path: Params.path(member))
        }
    }
}
