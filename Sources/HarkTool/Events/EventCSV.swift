import HarkClient
import HarkWire

/// Events as a table for other programs: what every event has, and then a column for each property that one of them has.
///
/// The properties are known once all events were looked at, so these are read twice and never kept.
struct EventCSV {
    private let query: EventQuery
    private let console: Console
    private let table: CSVTable
    /// The properties as they stand in JSON, in the order in which they came.
    private var keys: [[UInt8]] = []
    private var known: Set<[UInt8]> = []
    /// Whether some come from machines, as on a hub: then a column tells from which.
    private var hasMachines = false

    private var columns: [String] {
        ["seq", "timestamp", "name", "userId", "sessionId", "uid", "pid"] + (hasMachines ? ["machine"] : [])
    }
    /// Programs that read tables take no more.
    private static let mostProperties = 10_000

    init(_ query: EventQuery, _ table: CSVTable, _ console: Console) {
        self.query = query
        self.table = table
        self.console = console
    }

    mutating func print(_ limit: Int64?, _ connection: inout Connection) throws {
        if let limit, query.after == nil {
            let lines = try query.newest(limit, &connection)
            for line in lines { try collect(JSONText(line)) }
            try printHeader()
            for line in lines { try print(JSONText(line)) }
            return
        }
        var last: Int64 = 0
        var count: Int64 = 0
        try query.forEachLine(&connection, limit: limit) { line in
            let event = JSONText(line)
            try collect(event)
            last = event.member("seq")?.int ?? last
            count += 1
        }
        try printHeader()
        guard count > 0 else { return }
        // What came meanwhile may have properties without a column.
        try query.forEachLine(&connection, limit: count) { line in
            let event = JSONText(line)
            if let seq = event.member("seq")?.int, seq <= last { try print(event) }
        }
    }

    private mutating func collect(_ event: JSONText) throws(ToolError) {
        if event.member("origin") != nil { hasMachines = true }
        var found: [[UInt8]] = []
        event.member("properties")?.forEachMember { key, _ in
            let key = Array(key)
            if !known.contains(key) { found.append(key) }
            return true
        }
        for key in found where known.insert(key).inserted {
            guard keys.count < Self.mostProperties else {
                throw ToolError(
                    .data, "these events have more than \(Self.mostProperties) different properties",
                    hint: "Ask for fewer with --name or --where, or take --json.")
            }
            keys.append(key)
        }
    }

    private func printHeader() throws(ToolError) {
        let properties = keys.map { key in
            let name = JSONText(ArraySlice([.quote] + key + [.quote])).string ?? ""
            return columns.contains(name) ? "properties.\(name)" : name
        }
        try console.print(lines: Array(table.mark.utf8))
        try write(columns + properties.map(table.text))
    }

    private func print(_ event: JSONText) throws(ToolError) {
        let source = event.member("source")
        let fixed = [
            event.member("seq"), event.member("timestamp"), event.member("name"), event.member("userId"),
            event.member("sessionId"), source?.member("uid"), source?.member("pid"),
        ]
        let machine = hasMachines ? [event.member("origin")?.member("machine")] : []
        var values: [[UInt8]: String] = [:]
        event.member("properties")?.forEachMember { key, value in
            let key = Array(key)
            if values[key] == nil { values[key] = text(value) }
            return true
        }
        try write((fixed + machine).map(text) + keys.map { values[$0] ?? "" })
    }

    private func text(_ value: JSONText?) -> String {
        guard let value, !value.isNull else { return "" }
        return value.string.map(table.text) ?? value.text
    }

    private func write(_ fields: [String]) throws(ToolError) {
        // As it was recorded, for what reads it.
        try console.print(lines: table.row(fields))
    }
}
