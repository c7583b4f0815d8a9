import HarkSQL
import HarkWire

/// The resources for clients: the tables of `query`, and the help of each command.
enum MCPResources {
    private static let schema = "hark://sql/schema"
    private static let help = "hark://help/"

    /// Writes the list for `resources/list`.
    static func writeList(to json: inout JSONWriter) {
        json.beginArray()
        let meaning = "Tables and columns that SQL may ask."
        write(schema, "schema", "The tables of query", meaning, "text/markdown", to: &json)
        for member in CommandTable.hark.members {
            let command = member.make()
            write(help + command.name, command.name, "hark \(command.name)", command.summary, "text/plain", to: &json)
        }
        json.endArray()
    }

    private static func write(
        _ uri: String, _ name: String, _ title: String, _ description: String, _ type: String,
        to json: inout JSONWriter
    ) {
        json.beginObject()
        for (key, text) in [
            ("uri", uri), ("name", name), ("title", title), ("description", description), ("mimeType", type),
        ] {
            json.key(key)
            json.string(text)
        }
        json.endObject()
    }

    /// Returns the text of a resource and its media type; nil if there is no such resource.
    static func read(_ uri: String) -> (text: String, type: String)? {
        if uri == schema { return (tables, "text/markdown") }
        guard uri.hasPrefix(help), let command = CommandTable.hark.member(String(uri.dropFirst(help.count))) else {
            return nil
        }
        let pages = [HelpPage(path: ["hark", command.name], command: command)]
        let members = command.commands.map { HelpPage(path: ["hark", command.name, $0.name], command: $0) }
        return ((pages + members).map(\.text).joined(separator: "\n\n\n") + "\n", "text/plain")
    }

    private static var tables: String {
        let parts = LiveTable.all.map { table in
            let columns = table.columns.map { column in
                "- `\(column.name)` \(column.type == "BLOB" ? "any type" : column.type): \(column.meaning)"
            }
            return "## \(table.name)\n\n\(table.meaning)\n\n\(columns.joined(separator: "\n"))\n"
        }
        return """
            # Tables of `query`

            SQLite's SQL, for reading alone. Every property of an event, and all metadata, is a column too: `SELECT amount FROM events`; \
            other names than letters, digits and _ in double quotes. true and false are 1 and 0. Times are UTC, \
            `2026-11-21 11:08:00.123`: `time > datetime('now', '-1 day')`. Comparisons of seq, time, name (also GLOB), user, app, session \
            and level are quick; `ORDER BY seq DESC LIMIT 10` reads only the newest.

            \(parts.joined(separator: "\n"))
            """
    }
}
