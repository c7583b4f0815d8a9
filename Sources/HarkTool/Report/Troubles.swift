import HarkClient
import HarkWire

/// Programs that failed, and watches that were missed.
struct Troubles {
    struct Trouble {
        /// The time, as the daemon writes it.
        let at: String
        let name: String
        let details: String
    }

    /// The newest, oldest first, of those counted.
    private(set) var failures: [Trouble] = []
    private(set) var failureCount: Int64 = 0
    private(set) var missed: [Trouble] = []
    private(set) var missedCount: Int64 = 0

    private static let most: Int64 = 10
    private static let missedName = "watch.missed"

    init() {}

    init(failures: [Trouble], _ failureCount: Int64, missed: [Trouble], _ missedCount: Int64) {
        (self.failures, self.failureCount) = (failures, failureCount)
        (self.missed, self.missedCount) = (missed, missedCount)
    }

    init(_ arguments: Arguments, _ connection: inout Connection) throws {
        // Failures are counted by their own condition, and another condition does not change that.
        let condition = try ConditionArgument.json("ok = false")
        (failures, failureCount) = try Self.ask(nil, condition, arguments, &connection) { Self.failure($0) }
        (missed, missedCount) = try Self.ask(Self.missedName, nil, arguments, &connection) { Self.miss($0) }
    }

    private static func ask(
        _ name: String?, _ condition: [UInt8]?, _ arguments: Arguments, _ connection: inout Connection,
        _ trouble: (EventInfo) -> Trouble
    ) throws -> ([Trouble], Int64) {
        var query = EventQuery()
        (query.name, query.condition, query.app) = (name, condition, arguments[.app])
        query.machines = MachineScope(arguments)
        query.scope = try RecordScope(arguments, &connection)
        (query.since, query.until) = try TimeArgument.range(arguments)
        let count = try StatisticsRequest(query).ask(&connection, []).total.all.count
        guard count > 0 else { return ([], 0) }
        // The newest are the ones that were recorded last, independent of their own times.
        let found = try query.newest(most, &connection).map { trouble(EventInfo(JSONText($0))) }
        return (found.sorted { $0.at < $1.at }, count)
    }

    static func failure(_ event: EventInfo) -> Trouble {
        let failure = RunFailure(event.properties.json)
        let signal = failure.signal.flatMap { $0.json.string ?? $0.json.int.map { String($0) } }
        return Trouble(
            at: event.timestamp.description, name: event.name,
            details: signal.map { "ended by signal \($0)" } ?? failure.exitCode.map { "exit code \($0)" } ?? "")
    }

    static func miss(_ event: EventInfo) -> Trouble {
        let miss = WatchMiss(event.properties.json)
        return Trouble(
            at: event.timestamp.description, name: miss.watch ?? "", details: miss.event.map { "no \($0) came" } ?? "")
    }
}
