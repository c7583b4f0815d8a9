import HarkClient
import HarkWire

/// Events as a table for other programs: the columns that every event has, then one for each property that any event
/// has.
///
/// The properties are known only after all events are read, so events are read twice instead of being kept.
struct EventCSV {
    private let query: EventQuery
    private let console: Console
    private let table: CSVTable
    /// The property names as they appear in JSON, in order of appearance.
    private var keys: [[UInt8]] = []
    private var known: Set<[UInt8]> = []
    /// Whether some events come from machines, as on a hub, so that the table needs a column for the machine.
    private var hasMachines = false

    private var columns: [String] {
        ["seq", "timestamp", "name", "userId", "sessionId", "uid", "pid"] + (hasMachines ? ["machine"] : [])
    }
    /// The limit of programs that read tables.
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
        // Events recorded since the first pass may have properties without a column.
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
        // Fields are not escaped for display, because another program reads them.
        try console.print(lines: table.row(fields))
    }
}
