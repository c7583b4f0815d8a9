import HarkClient
import HarkSQL
import HarkWire

/// Runs the statements of a text, one after the other, and prints their rows.
struct StatementRun {
    let database: LiveDatabase
    let printer: any RowPrinter
    let console: Console
    /// The parameters of each statement.
    var parameters: Parameters?

    /// - Returns: how many rows the last statement had.
    @discardableResult
    func run(_ text: String) throws -> Int {
        var rest = Array(text.utf8)[...]
        var rows = 0
        while true {
            let (query, length): (Query?, Int)
            do {
                (query, length) = try database.prepare(rest)
            } catch {
                throw ToolError(error, in: rest)
            }
            // Nothing is left but comments and white space.
            guard let query else {
                if length >= rest.count { return rows }
                rest = rest.dropFirst(max(length, 1))
                continue
            }
            do {
                try query.bind(parameters)
                rows = try run(query)
            } catch let error as SQLError {
                throw ToolError(error, in: rest)
            }
            rest = rest.dropFirst(length)
            if rest.isEmpty { return rows }
        }
    }

    private func run(_ query: Query) throws -> Int {
        var rows = 0
        try printer.begin(query.columns, query.types)
        do {
            while try query.step() {
                rows += 1
                try printer.add(query.columns.indices.map { query.value($0) })
            }
        } catch {
            // The rows so far are shown.
            if rows > 0 { try printer.end() }
            throw error
        }
        try printer.end()
        noteMissing()
        return rows
    }

    /// A name that is a property's may have been meant otherwise.
    private func noteMissing() {
        for (name, column) in database.missingProperties.prefix(3) {
            let name = VisibleText.make(name)
            let meant = column.map { "did you mean the column '\($0)'?" } ?? "a text stands in single quotes: '\(name)'"
            console.say("hark: note: no row that was looked at has '\(name)'; \(meant)")
        }
    }
}

extension ToolError {
    /// - Parameter text: The statement, and the text after it.
    init(_ error: SQLError, in text: ArraySlice<UInt8>) {
        var message = error.message
        if let offset = error.offset, offset <= text.count {
            message += "\n" + Self.place(offset, in: text)
        }
        let exit: ExitCode =
            switch error.kind {
            case .text: .data
            case .forbidden: .noPermission
            case .interrupted: .temporary
            case .space: .temporary
            case .other: .software
            }
        self.init(exit, message, hint: error.hint)
    }

    /// The line of a position, or a part of it, and a mark below the position.
    private static func place(_ offset: Int, in text: ArraySlice<UInt8>) -> String {
        let place = text.startIndex + offset
        let start = text[..<place].lastIndex(of: .newline).map { $0 + 1 } ?? text.startIndex
        let end = text[place...].firstIndex(of: .newline) ?? text.endIndex
        var before = VisibleText.make(String(decoding: text[start..<place], as: UTF8.self))
        var after = VisibleText.make(String(decoding: text[place..<end], as: UTF8.self))
        if before.count > 40 { before = "…" + before.suffix(40) }
        if after.count > 30 { after = after.prefix(30) + "…" }
        return "  \(before)\(after)\n  \(String(repeating: " ", count: TextWidth.of(before)))^"
    }
}
