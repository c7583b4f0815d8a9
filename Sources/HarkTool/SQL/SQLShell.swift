import Glibc
import HarkAsking
import HarkClient
import HarkSQL
import HarkWire

/// `hark sql` without a query: reads statements, possibly over several lines, and answers each.
///
/// Ctrl-C stops a statement or discards the input; Ctrl-D ends.
final class SQLShell {
    private let console: Console
    private let database: LiveDatabase
    private let interrupts: SignalQueue
    private var printer: any RowPrinter
    private var history = ShellHistory()
    /// The statement typed so far.
    private var typed = ""

    private static let prompt = "hark> "
    private static let continuation = " ...> "

    init(_ printer: any RowPrinter, _ console: Console) throws {
        self.printer = printer
        self.console = console
        // Reports a missing daemon at once rather than after the first statement.
        _ = try Connection()
        interrupts = SignalQueue(SignalQueue.endings)
        do {
            database = try LiveDatabase(interruption: interrupts.descriptor) { try Connection() }
        } catch {
            throw ToolError(error, in: [])
        }
    }

    func run() throws {
        if console.hasScreen {
            let first = "'.help' lists the commands, '.tables' the tables; a statement ends with ';', Ctrl-D ends."
            console.say(wrapped(first, indent: 0))
            var editor = LineEditor(console, endings: interrupts)
            while true {
                try console.flush()
                switch try editor.read(typed.isEmpty ? Self.prompt : Self.continuation, history) {
                case .entered(let line):
                    history.add(line)
                    if try !take(line) { return }
                case .abandoned: typed = ""
                case .ended: return
                }
            }
        }
        // A terminal that cannot move the cursor edits its lines itself.
        while true {
            try console.flush()
            console.put(typed.isEmpty ? Self.prompt : Self.continuation)
            guard let line = readLine() else { return }
            if try !take(line) { return }
        }
    }

    /// - Returns: False to end.
    private func take(_ line: String) throws -> Bool {
        if typed.isEmpty, let command = line.drop(while: \.isWhitespace).first, command == "." {
            return try obey(line)
        }
        if typed.isEmpty, ["quit", "exit"].contains(line.filter { !$0.isWhitespace && $0 != ";" }.lowercased()) {
            return false
        }
        typed += typed.isEmpty ? line : "\n" + line
        if typed.allSatisfy(\.isWhitespace) { typed = "" }
        guard LiveDatabase.isComplete(typed) else { return true }
        let text = typed
        typed = ""
        answer(text)
        return true
    }

    private func answer(_ text: String) {
        let start = MonotonicClock.now
        do {
            let rows = try StatementRun(database: database, printer: printer, console: console).run(text)
            try console.flush()
            let seconds = MonotonicClock.now - start
            let time = seconds < 1 ? "\(Int(seconds * 1000)) ms" : "\((seconds * 10).rounded() / 10) s"
            console.say(console.style.dim("\(Plural.count(rows, "row")), \(time)"))
        } catch let error as ToolError {
            say(error)
        } catch let error as ClientError {
            say(ToolError(error))
        } catch {
            console.say("\(error)")
        }
        // An interrupt has done its work; other signals still end the process.
        while let number = interrupts.next() {
            if number != SIGINT { SignalQueue.endProcess(by: number) }
        }
    }

    private func say(_ error: ToolError) {
        do { try console.flush() } catch { return }
        console.say(console.style.bad("error: ") + VisibleText.lines(error.message))
        if let hint = error.hint { console.say(hint) }
    }

    private func wrapped(_ text: String, indent: Int) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).flatMap {
            WordWrap.hanging("", String($0), indent: indent, columns: console.columns)
        }.joined(separator: "\n")
    }

    // MARK: Shell commands

    private func obey(_ line: String) throws -> Bool {
        let words = line.split(whereSeparator: \.isWhitespace).map(String.init)
        let name = words[0].dropFirst().filter { $0 != ";" }.lowercased()
        switch ShellCommand(rawValue: name) {
        case .help: try console.print(wrapped(Self.help, indent: 2))
        case .tables:
            try console.print(
                TextTable.text(
                    [["table", "rows"]] + LiveTable.all.map { [$0.name, $0.meaning] }, console.style,
                    columns: console.columns))
        case .schema: try showSchema(words.dropFirst().first)
        case .mode: setMode(words.dropFirst().first)
        case .quit, .exit: return false
        case nil:
            let nearest = Suggestion.nearest(to: name, among: ShellCommand.allCases.map(\.rawValue))
            console.say(
                "there is no command .\(VisibleText.make(name))"
                    + (nearest.map { "; did you mean .\($0)?" } ?? "; .help lists the commands"))
        }
        return true
    }

    private func showSchema(_ name: String?) throws {
        let tables = LiveTable.all.filter { name == nil || $0.name == name?.filter { $0 != ";" }.lowercased() }
        if tables.isEmpty { return console.say("there is no such table; .tables lists the tables") }
        for table in tables {
            try console.print(wrapped(console.style.bold(table.name) + ": " + table.meaning, indent: 2))
            let rows = table.columns.map { [$0.name, $0.type == "BLOB" ? "" : $0.type, $0.meaning] }
            try console.print(
                TextTable.text([["column", "type", "meaning"]] + rows, console.style, columns: console.columns))
            try console.print("")
        }
    }

    private func setMode(_ name: String?) {
        switch name {
        case "table": printer = TableRowPrinter(console, parting: false)
        case "csv": printer = CSVRowPrinter(CSVTable(visibly: console.outputIsTerminal), console)
        case "json": printer = JSONRowPrinter(console)
        default: console.say(".mode takes table, csv or json")
        }
    }

    private static let help = """
        Statements are SQL as SQLite has it; they end with ';' and may stand on several lines. Nothing can be changed.

        .tables            the tables
        .schema [TABLE]    their columns
        .mode table        how rows are shown: table, csv or json
        .quit              ends, as Ctrl-D does

        Tab completes names, up and down go through what was typed, Ctrl-C stops a statement or gives up a line.
        Every property is a column: SELECT amount FROM events; "cart.total" where its name has other signs.
        Times are UTC; datetime(time, 'localtime') is by the clocks here.
        'hark sql --help' tells more.
        """
}
