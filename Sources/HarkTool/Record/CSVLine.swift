import HarkClient
import HarkWire

/// Turns rows of a table into events: the first row names the columns, and each other row is an event.
struct CSVLine: LineForm {
    private var rows = CSVRows()
    private var event: FieldEvent
    private var columns: [String]?

    init(_ event: FieldEvent) {
        self.event = event
    }

    var unfinished: String? { rows.isUnfinished ? "the quote that begins a field here is never closed" : nil }

    mutating func append(_ line: ArraySlice<UInt8>, to params: inout [UInt8]) throws(ToolError) -> RecordLine.Made {
        switch rows.take(line) {
        case .unfinished: return .empty
        case .wrong(let why):
            if columns == nil { throw ToolError(.data, "stdin:1: \(why)", hint: Self.hint) }
            return .wrong(why)
        case .row([""]): return .empty
        case .row(let fields):
            guard let columns else {
                try begin(fields)
                return .empty
            }
            guard fields.count <= columns.count else {
                return .wrong("it has \(fields.count) fields, and the first row names \(columns.count) columns")
            }
            let values = zip(columns, fields).compactMap { column, text -> FieldEvent.Field? in
                guard !column.isEmpty, let value = value(text) else { return nil }
                let isText = column == event.nameFrom || column == event.timeFrom
                return (FieldEvent.key(column), isText ? FieldEvent.string(text) : value)
            }
            return event.append(values, to: &params)
        }
    }

    private static let hint = "The first row names the columns, with commas, semicolons or tabs between them."

    private mutating func begin(_ names: [String]) throws(ToolError) {
        let columns = names.map { String($0.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed()) }
        let known = columns.filter { !$0.isEmpty }
        for name in Set(known) where known.count(where: { $0 == name }) > 1 {
            throw ToolError(.data, "two columns are called '\(VisibleText.make(name))'", hint: Self.hint)
        }
        if event.name == nil, event.nameFrom == nil { event.nameFrom = "name" }
        for (name, option) in [(event.nameFrom, "name-from"), (event.timeFrom, "time-from")] {
            guard let name, !columns.contains(name) else { continue }
            let nearest = Suggestion.question(for: name, among: known)
            throw ToolError(
                .data, "no column is called '\(VisibleText.make(name))'\(VisibleText.make(nearest))",
                hint: option == "name-from"
                    ? "--name-from COLUMN tells which one names the events, --name NAME gives all of them one name."
                    : "--time-from COLUMN tells which one has the time.")
        }
        if event.timeFrom == nil, columns.contains("timestamp") { event.timeFrom = "timestamp" }
        self.columns = columns
    }

    /// Returns a field as JSON: a number, true or false if it is spelled like one, otherwise a text; nil if it is
    /// empty.
    private func value(_ text: String) -> [UInt8]? {
        guard !text.isEmpty else { return nil }
        let word = text.lowercased()
        if (word == "true" || word == "false") && [word, word.uppercased(), word.capitalized].contains(text) {
            return Array(word.utf8)
        }
        var number = text
        // With semicolons as separators, a comma is a decimal point.
        if rows.separator == UInt8(ascii: ";"), !text.contains("."), text.count(where: { $0 == "," }) == 1 {
            number = text.replacing(",", with: ".")
        }
        let isNumber =
            number.utf8.first.map { $0 == UInt8(ascii: "-") || (0x30...0x39).contains($0) } == true
            && ScalarText.isValid(number.utf8)
        // A longer number is an identifier that would lose digits, and so is 1E5 without a point.
        guard isNumber, number.contains(".") || Int64(number) != nil, number.utf8.count <= 24 else {
            return FieldEvent.string(text)
        }
        return Array(number.utf8)
    }
}

extension String {
    fileprivate var capitalized: String { prefix(1).uppercased() + dropFirst() }
}
