import HarkClient
import HarkSQL
import HarkWire

extension Command {
    static let sql: Command = Command(
        name: "sql",
        summary: "Query events, sessions and other records in SQL.",
        usage: ["[QUERY]"],
        about: """
            Runs a query in SQLite's SQL on the daemon's present data, without an import: joins, groups, windows, dates and JSON \
            included. A query can change nothing, and sees what you may see. Without QUERY, hark sql is a shell, in which \
            '.help' lists the commands. If standard input is no terminal, statements are read from it.

            The tables:

            \(tables)

            Every property of an event is a column too, and so is all metadata: SELECT amount FROM events. It has the type that \
            it was recorded with; true and false are 1 and 0; it is NULL for an event without it. Write a name with signs other \
            than letters, digits and _ in double quotes: "cart.total". A property with the name of another column is in the \
            JSON: properties ->> 'name'.

            Times are in UTC and in the form of SQLite's date functions, 2026-11-21 11:08:00.123: time > datetime('now', '-1 \
            day') finds the last 24 hours, datetime(time, 'localtime') is local time. The daemon itself searches by seq, time, \
            name (also with GLOB), user, app, session and level, so a query that compares these is quick in a large store, too; \
            ORDER BY seq DESC LIMIT 10 reads only the newest.

            Pass values from elsewhere in --params, and not in the text of the query: SELECT * FROM events WHERE user = ? with \
            --params '["ada"]', or user = :user with --params '{"user": "ada"}'. --params-file reads the values from a file, so \
            that no other user of the machine sees them in the list of processes.
            """,
        options: [.csv, .spreadsheet, json, arrays, params, paramsFile],
        examples: [
            .init("hark sql \"SELECT name, count(*) FROM events GROUP BY name\"", "The number of events of each name."),
            .init(
                "hark sql \"SELECT date(time), sum(amount) FROM events GROUP BY 1\"", "What was sold each day."),
            .init(
                "hark sql \"SELECT max(time) FROM events WHERE name = ?\" --params '[\"checkout\"]'",
                "A value from a script."),
            .init("hark sql --csv < report.sql > report.csv", "Statements from a file, as a table."),
            .init("hark sql", "One query after the other."),
        ],
        operands: 0...Int.max,
        run: { arguments, console in
            try arguments.atMostOne(of: .csv, .spreadsheet, json, arrays)
            let parameters = try Self.parameters(arguments)
            guard arguments.operands.count <= 1 else {
                throw ToolError.usage(
                    "a query is one argument", hint: "Put it in quotes: hark sql \"SELECT count(*) FROM events\".")
            }
            let isShell = arguments.operands.isEmpty && console.inputIsTerminal
            let printer: any RowPrinter =
                if let table = CSVTable(arguments, console) {
                    CSVRowPrinter(table, console)
                } else if arguments.has(json) {
                    JSONRowPrinter(console)
                } else if arguments.has(arrays) {
                    ArrayRowPrinter(console)
                } else {
                    TableRowPrinter(console, parting: !isShell)
                }
            if isShell {
                guard parameters == nil else { throw ToolError.usage("parameters go with a query") }
                return try SQLShell(printer, console).run()
            }
            var text = arguments.operands.first ?? "-"
            if text == "-" { text = try Self.standardInput() }
            let database: LiveDatabase
            do throws(SQLError) {
                database = try LiveDatabase { try Connection() }
            } catch {
                throw ToolError(error, in: [])
            }
            let rows = try StatementRun(
                database: database, printer: printer, console: console, parameters: parameters
            ).run(text)
            if rows == 0, console.outputIsTerminal { console.say("hark: no rows") }
        })

    /// One below the other, each with its columns.
    private static let tables = LiveTable.all.map { table in
        let text = "\(table.name)(\(table.columns.map(\.name).joined(separator: ", ")))"
        let lines = WordWrap.lines(text, width: 72)
        return lines.enumerated().map { ($0 == 0 ? "  " : "      ") + $1 }.joined(separator: "\n")
    }.joined(separator: "\n")

    private static let json = Option("json", "j", "Print each row as a line of JSON.")
    private static let arrays = Option(
        "arrays", "For programs: print the columns and their types, then each row as an array, in JSON.")
    private static let params = Option(
        "params", value: "JSON", "The values of the parameters: an array for ?, an object for :name.")
    private static let paramsFile = Option("params-file", value: "FILE", values: .files, "The same from a file.")

    private static func parameters(_ arguments: Arguments) throws(ToolError) -> Parameters? {
        try arguments.atMostOne(of: params, paramsFile)
        let bytes: [UInt8]
        if let path = arguments[paramsFile] {
            bytes = try InputFile.read(path)
        } else if let text = arguments[params] {
            bytes = Array(text.utf8)
        } else {
            return nil
        }
        let json: JSONValue
        do {
            json = try JSONDocument(bytes, .json).value
        } catch {
            throw ToolError(.data, "the parameters are not JSON: \(error.problem)", hint: "Like '[1, \"text\"]'.")
        }
        do {
            return try Parameters(json)
        } catch {
            throw ToolError(.data, error.message, hint: "Like '[1, \"text\"]' or '{\"name\": 1}'.")
        }
    }

    private static func standardInput() throws -> String {
        let bytes = try InputFile.standardInput()
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw ToolError(.data, "standard input is not UTF-8 text", hint: "Convert it, for example with iconv.")
        }
        return text
    }
}
