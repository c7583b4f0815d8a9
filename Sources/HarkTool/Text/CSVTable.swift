import HarkClient
import HarkWire

/// Rows of a table for other programs (RFC 4180).
struct CSVTable {
    /// With the line end of a terminal, and in each field escapes for what a terminal would obey.
    var visibly = false
    /// For a program that takes a text which begins so for a formula, and one without a mark for a text of another encoding.
    var isForSpreadsheet = false
    /// Some programs for statistics take no other than a plain one.
    var lineEnd = "\r\n"

    init(visibly: Bool = false, isForSpreadsheet: Bool = false) {
        self.visibly = visibly
        self.isForSpreadsheet = isForSpreadsheet
    }

    /// Nil where no table is asked for.
    init?(_ arguments: Arguments, _ console: Console) {
        guard arguments.has(.csv) || arguments.has(.spreadsheet) else { return nil }
        self.init(visibly: console.outputIsTerminal, isForSpreadsheet: arguments.has(.spreadsheet))
    }

    /// What stands before the first row.
    var mark: String { isForSpreadsheet && !visibly ? "\u{FEFF}" : "" }

    /// All rows, and what stands before them.
    func lines(_ rows: [[String]]) -> String { mark + String(decoding: rows.flatMap(row), as: UTF8.self) }

    func row(_ fields: [String]) -> [UInt8] {
        var row: [UInt8] = []
        for field in fields { append(to: &row) { $0 += field.utf8 } }
        end(&row)
        return row
    }

    /// Appends a field and a comma.
    ///
    /// - Parameters:
    ///   - isText: whether others have recorded it.
    ///   - write: appends what stands in the field.
    func append(to row: inout [UInt8], isText: Bool = false, _ write: (inout [UInt8]) -> Void) {
        let start = row.count
        write(&row)
        if isText, isForSpreadsheet, isFormula(row[start...].first) { row.insert(Self.noFormula, at: start) }
        if visibly {
            row.replaceSubrange(start..., with: VisibleText.make(String(decoding: row[start...], as: UTF8.self)).utf8)
        }
        if row.withUnsafeBufferPointer({ $0[start...].contains(where: Self.needsQuotes) }) {
            Self.quote(&row, from: start)
        }
        row.append(.comma)
    }

    /// Ends a row; one without a field is an empty line.
    func end(_ row: inout [UInt8]) {
        if row.last == .comma { row.removeLast() }
        row += (visibly ? "\n" : lineEnd).utf8
    }

    /// A text that others have recorded, which is never a formula.
    func text(_ text: String) -> String { isForSpreadsheet && isFormula(text.utf8.first) ? "'" + text : text }

    private static let noFormula = UInt8(ascii: "'")

    /// - Parameter first: what a text begins with.
    private func isFormula(_ first: UInt8?) -> Bool {
        first.map { "=+-@\t\r\n".utf8.contains($0) } ?? false
    }

    private static func needsQuotes(_ byte: UInt8) -> Bool {
        byte == .comma || byte == .quote || byte.isJSONLineBreak
    }

    private static func quote(_ row: inout [UInt8], from start: Int) {
        let field = Array(row[start...])
        row.replaceSubrange(start..., with: CollectionOfOne(.quote))
        for byte in field {
            if byte == .quote { row.append(.quote) }
            row.append(byte)
        }
        row.append(.quote)
    }
}
