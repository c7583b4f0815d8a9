import HarkCore
import HarkLedger
import HarkServer
import HarkStore
import HarkSystem
import HarkWire

extension RecordQuery {
    /// The filters that lists and streams share.
    @DaemonActor
    mutating func readFilters(_ call: Call) throws(WireError) {
        uid = call.peer.visibleUID
        session = try call.params.read(.onlySession)
        user = try call.params.userFilter()
        app = try call.params.read(.onlyApp)
        machines = try call.params.machineFilter()
        name = try call.params.read(.onlyEvents).map(NamePattern.init)
        if let value = try call.params.read(.onlyWhere) {
            condition = try EventCondition(value, Params.path(.onlyWhere))
        }
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

    private static func pattern(_ member: String, _ text: String?) throws(WireError) -> NamePattern? {
        guard let text else { return nil }
        guard text.utf8.count <= Limits.machinePatternBytes else {
            throw WireError(
                .tooLarge, "'\(member)' has at most \(Limits.machinePatternBytes) bytes of UTF-8",
                path: Params.path(member))
        }
        return NamePattern(text)
    }
}

extension Params {
    /// The `machine` and `group` of a query: absent means all machines and the hub; a null machine means the hub alone.
    func machineFilter() throws(WireError) -> MachineFilter? {
        let group = try pattern(.onlyGroup)
        guard self[Parameter<String>.onlyMachine.name]?.isNull == true else {
            let name = try pattern(.onlyMachine)
            return name == nil && group == nil ? nil : .of(machine: name, group: group)
        }
        guard group == nil else {
            throw WireError(
                .invalidParams,
                "'machine': null means the hub's own records, which have no group; leave one of them out",
                path: .onlyGroup)
        }
        return .own
    }

    func pattern(_ parameter: Parameter<String>) throws(WireError) -> NamePattern? {
        guard let text = try read(parameter) else { return nil }
        guard text.utf8.count <= Limits.machinePatternBytes else {
            throw WireError(
                .tooLarge, "'\(parameter.name)' has at most \(Limits.machinePatternBytes) bytes of UTF-8",
                path: parameter)
        }
        return NamePattern(text)
    }
}

extension RecordQuery {
    /// Reads the filters, and the filter for the app's current session.
    @DaemonActor
    mutating func readFiltersOfList(_ call: Call) async throws(WireError) {
        try readFilters(call)
        guard try call.params.read(.onlyCurrentSession) == true else { return }
        // Without a current session nothing matches: no session has this id.
        let session = try await call.ledger.currentSession(of: try call.scope()).stored().value
        self.session = session?.identity.id ?? Identifier(high: 0, low: 0)
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
    /// Reads the field that a parameter names.
    init<Value>(_ text: String, _ parameter: Parameter<Value>) throws(WireError) {
        guard !text.isEmpty, text.utf8.count <= Limits.propertyKeyBytes else {
            throw WireError(
                .invalidParams, "'\(parameter.name)' names a property, of 1 to \(Limits.propertyKeyBytes) bytes",
                path: parameter)
        }
        do throws(ConditionFault) {
            try self.init(text)
        } catch {
            throw WireError(.invalidParams, error.message, path: parameter)
        }
    }
}
