import HarkClient
import HarkSQL
import HarkWire

extension Command {
    static let sql: Command = Command(
        name: "sql",
        summary: "Ask events, sessions and what else there is in SQL.",
        usage: ["[QUERY]"],
        about: """
            Runs a query in SQLite's SQL over what the daemon has now, without an import: joins, groups, windows, dates and \
            JSON included. Nothing can be changed by it, and it sees what you may see. Without QUERY it is a shell, in which \
            '.help' tells what there is; statements are read from standard input where that is no terminal.

            The tables:

            \(tables)

            Every property of an event is a column too, and so is all metadata: SELECT amount FROM events. It has the type \
            that it was recorded with; true and false are 1 and 0; it is NULL where an event does not have it. A name with \
            other signs than letters, digits and _ stands in double quotes, "cart.total"; one that is a column's already is in \
            the JSON, properties ->> 'name'.

            Times are in UTC and as SQLite's date functions have them, 2026-11-21 11:08:00.123: \
            time > datetime('now', '-1 day') finds the last 24 hours, datetime(time, 'localtime') is by the clocks here. The \
            daemon itself looks for seq, time, name (also with GLOB), user, app, session and level, so a query that compares \
            these is quick however much there is; ORDER BY seq DESC LIMIT 10 reads only the newest.

            What a script was given has its place in --params and not in the text: SELECT * FROM events WHERE user = ? with \
            --params '["ada"]', or user = :user with --params '{"user": "ada"}'. --params-file reads them from a file, so that no other \
            user of the machine sees them in the list of processes.
            """,
        options: [.csv, .spreadsheet, json, arrays, params, paramsFile],
        examples: [
            .init("hark sql \"SELECT name, count(*) FROM events GROUP BY name\"", "How often what happened."),
            .init(
                "hark sql \"SELECT date(time), sum(amount) FROM events GROUP BY 1\"", "What was sold each day."),
            .init(
                "hark sql \"SELECT max(time) FROM events WHERE name = ?\" --params '[\"checkout\"]'",
                "A value that a script was given."),
            .init("hark sql --csv < report.sql > report.csv", "Statements of a file, for a spreadsheet."),
            .init("hark sql", "Ask one question after the other."),
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
        "arrays", "Print for a program the columns and their types, then each row as an array, in JSON.")
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
