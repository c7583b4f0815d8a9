internal import HarkCore
internal import HarkWire

enum CounterTable: StoredTable {
    static let name = "counter"

    static func map(_ column: inout Columns<Counter>) -> Counter {
        let (scope, name) = (column.scope { $0.scope }, column("name", .key) { $0.name })
        let lifetime = column("lifetime") { $0.lifetime } ?? .instance
        let (initial, changed) = (column("initial") { $0.initial } ?? .null, column("changed") { $0.changed })
        let (changedIn, registeredIn) = (
            column("changedIn") { $0.changedIn }, column("registeredIn") { $0.registeredIn }
        )
        let holders = column("holders") { $0.holders.map(CounterHolder.packed) }
        return column.written
            ?? Counter(
                scope: scope, name: name, initial: initial, lifetime: lifetime, changed: changed, changedIn: changedIn,
                registeredIn: registeredIn, holders: holders.flatMap(CounterHolder.read(packed:)))
    }
}

/// The executions of the settings in each scope.
enum ConfiguredTable: StoredTable {
    typealias Row = (key: ExecutionKey, state: ExecutionState)

    static let name = "configured"
    static let mendsTexts = true

    static func map(_ column: inout Columns<Row>) -> Row {
        (column.execution("id") { $0.key }, column.executionState { $0.state })
    }
}

/// The executions that were added over the socket.
enum ExecutionTable: StoredTable {
    static let name = "execution"
    /// The numbers of two columns, if `row` is selected after the others.
    static let (definition, row): (Int32, Int32) = (8, 9)

    static func map(_ column: inout Columns<AddedExecution>) throws(StoreError) -> AddedExecution {
        let (key, state) = (column.execution("id") { $0.key }, column.executionState { $0.state })
        let (addedAt, execution) = (column("added") { $0.addedAt }, column("definition") { Optional($0.execution) })
        guard let execution else { throw StoreError(.damaged, "an execution in the store cannot be read") }
        return AddedExecution(key: key, execution: execution, addedAt: addedAt, state: state)
    }
}

enum RunTable: NumberedTable {
    static let name = "run"
    static let kind = "a run of an execution"

    static func map(_ column: inout Columns<ExecutionRun>) throws(StoreError) -> ExecutionRun {
        let (key, id) = (column.execution("execution") { $0.key }, column("id") { $0.id })
        let (isConfigured, action) = (
            column("configured") { $0.isConfigured }, column("action") { Optional($0.action) }
        )
        let (counter, value) = (column("counter") { $0.counter }, column("value") { $0.value })
        let counters = column("counters") { .object($0.counters) } ?? JSONValue.null
        let (firedAt, state) = (column("fired") { $0.firedAt }, column("state") { $0.state } ?? .due)
        let (startedAt, endedAt) = (column("started", .kept) { $0.startedAt }, column("ended") { $0.endedAt })
        let (note, session) = (column("note") { $0.note }, column("session") { $0.session })
        guard let action else { throw StoreError(.damaged, "a run of an execution in the store cannot be read") }
        var run = ExecutionRun(
            id: id, key: key, action: action, isConfigured: isConfigured, counter: counter, value: value,
            firedAt: firedAt, state: state)
        run.counters = counters.objectValue ?? JSONObject()
        (run.startedAt, run.endedAt) = (startedAt, endedAt)
        (run.note, run.session) = (note, session)
        return run
    }
}

extension Columns {
    /// The columns `uid` and `app`, and one of an id.
    fileprivate mutating func execution(_ id: StaticString, _ value: (Row) -> ExecutionKey) -> ExecutionKey {
        ExecutionKey(scope: scope { value($0).scope }, id: self(id, .key) { value($0).id })
    }

    fileprivate mutating func executionState(_ value: (Row) -> ExecutionState) -> ExecutionState {
        ExecutionState(
            fired: self("fired") { value($0).fired }, lastFiredAt: self("lastFired") { value($0).lastFiredAt },
            pending: self("pending") { value($0).pending }, dropped: self("dropped") { value($0).dropped })
    }
}

extension CounterLifetime: StoredChoice {}
extension ExecutionRunState: StoredChoice {}

extension Execution: StoredBytes {
    static func unpacked(_ bytes: [UInt8]) -> Execution? { JSONValue(packed: bytes).flatMap(Execution.init(stored:)) }
    var packed: [UInt8] { document.packed }
}

extension Execution.Action: StoredBytes {
    static func unpacked(_ bytes: [UInt8]) -> Execution.Action? {
        JSONValue(packed: bytes).flatMap(Execution.Action.init(document:))
    }

    var packed: [UInt8] { document.packed }
}
