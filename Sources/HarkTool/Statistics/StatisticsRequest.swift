import HarkClient
import HarkWire

extension Option {
    static let by = Option(
        "by", "b", value: "FIELDS",
        "Group by these, with commas: properties, or @name, @user, @app, @session, @uid, @pid, @machine, @group.")
    static let every = Option(
        "every", "e", value: "SPAN", "Divide time into buckets of this length: \(TimeStep.forms).")
    static let percentiles = Option(
        "percentiles", "p", value: "NUMBERS", "Which percentiles of VALUE. Default: 50,95.")
    static let distinct = Option(
        "distinct", "d", value: "FIELD", "Count the different values of a property, or of @user and so on.")
}

/// The request of `hark stats` and `hark chart`.
struct StatisticsRequest {
    /// The name of the events; nil for all.
    var name: String? { didSet { query.name = name } }
    var value: String?
    var by: [String] = []
    var percentiles: [Double] = []
    var distinct: String?
    var step: TimeStep?
    private var query = EventQuery()
    /// The maximum number of groups; by default the daemon's.
    var limit: Int64 = 10_000

    /// Requests all events, as one group or grouped by these fields.
    init(by: [String] = []) { self.by = by }

    /// Requests the events of a query, as one group.
    init(_ query: EventQuery) {
        self.query = query
        name = query.name
    }

    init(_ arguments: Arguments, _ connection: inout Connection) throws {
        name = arguments.operands.first
        value = arguments.operands.dropFirst().first
        by = try Self.fields(arguments)
        distinct = arguments[.distinct]
        if value != nil { percentiles = try Self.percentiles(arguments) }
        step = try arguments[.every].map { text throws(ToolError) in try TimeStep.parse(text) }
        query.name = name
        query.app = arguments[.app]
        query.machines = MachineScope(arguments)
        query.condition = try arguments[.where].map { text throws(ToolError) in try ConditionArgument.json(text) }
        (query.since, query.until) = try TimeArgument.range(arguments)
        query.scope = try RecordScope(arguments, &connection)
    }

    private static func fields(_ arguments: Arguments) throws(ToolError) -> [String] {
        guard let text = arguments[.by] else { return [] }
        let names = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        guard !names.contains(where: \.isEmpty) else {
            throw .usage("'--by \(text)' names nothing in one place", hint: "Write it like --by plan,@user.")
        }
        return names
    }

    private static func percentiles(_ arguments: Arguments) throws(ToolError) -> [Double] {
        let text = arguments[.percentiles] ?? "50,95"
        let words = text.split(separator: ",", omittingEmptySubsequences: false)
        let numbers = words.compactMap { Double($0.hasPrefix("p") ? $0.dropFirst() : $0) }.filter {
            (0...100).contains($0)
        }
        guard numbers.count == words.count, numbers.count <= 16 else {
            throw .usage(
                "'--percentiles \(text)' are no percentiles",
                hint: "Write numbers from 0 to 100, like --percentiles 50,95.")
        }
        return numbers
    }

    /// Asks about another time.
    mutating func set(_ range: Range<Timestamp>) { (query.since, query.until) = (range.lowerBound, range.upperBound) }

    /// Fetches statistics in time buckets of `--every`.
    mutating func ask(_ connection: inout Connection) throws -> Statistics {
        var boundaries: [Timestamp] = []
        if let step { boundaries = try step.boundaries(try range(&connection) ?? LocalTime.now...LocalTime.now) }
        return try ask(&connection, boundaries)
    }

    /// Fetches statistics in time buckets with these boundaries.
    func ask(_ connection: inout Connection, _ boundaries: [Timestamp]) throws -> Statistics {
        Statistics(try call(&connection, boundaries), self, boundaries)
    }

    /// Returns the period to ask about, taken from the events for any end that was not given; nil if there are no
    /// events.
    func range(_ connection: inout Connection) throws -> ClosedRange<Timestamp>? {
        if let since = query.since { return since...max(since, last(LocalTime.now)) }
        var all = self
        (all.value, all.by, all.percentiles, all.distinct) = (nil, [], [], nil)
        return range(of: try all.call(&connection, []))
    }

    /// Returns the same period, from a reply that is already there.
    func range(of found: JSONText) -> ClosedRange<Timestamp>? {
        if let since = query.since { return since...max(since, last(LocalTime.now)) }
        let found = StatisticsResult(found)
        guard let earliest = found.earliest, let latest = found.latest else { return nil }
        return earliest...max(earliest, last(latest))
    }

    /// Returns the end of the period, which excludes `--until`.
    private func last(_ time: Timestamp) -> Timestamp { query.until?.adding(milliseconds: -1) ?? time }

    private func call(_ connection: inout Connection, _ boundaries: [Timestamp]) throws(ClientError) -> JSONText {
        var request = EventStats()
        (request.filter, request.machines) = (query.events, query.machines.choice)
        (request.since, request.until) = (query.since, query.until)
        (request.by, request.value, request.distinct) = (by.nonEmpty, value, distinct)
        (request.percentiles, request.boundaries, request.limit) = (percentiles.nonEmpty, boundaries.nonEmpty, limit)
        // The daemon reads the whole log, possibly for several clients, so there is no timeout.
        connection.patience = nil
        return try connection.call(request).text
    }
}
