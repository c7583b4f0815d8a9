import HarkClient
import HarkWire

/// Rows of a table for other programs (RFC 4180).
struct CSVTable {
    /// Whether to escape control characters in fields and end lines as on a terminal.
    var visibly = false
    /// Whether the table is for a spreadsheet, which would take some texts for formulas and needs a byte order mark.
    var isForSpreadsheet = false
    /// Some statistics programs accept only a plain line feed.
    var lineEnd = "\r\n"

    init(visibly: Bool = false, isForSpreadsheet: Bool = false) {
        self.visibly = visibly
        self.isForSpreadsheet = isForSpreadsheet
    }

    /// Nil if no table is requested.
    init?(_ arguments: Arguments, _ console: Console) {
        guard arguments.has(.csv) || arguments.has(.spreadsheet) else { return nil }
        self.init(visibly: console.outputIsTerminal, isForSpreadsheet: arguments.has(.spreadsheet))
    }

    /// The byte order mark before the first row, if any.
    var mark: String { isForSpreadsheet && !visibly ? "\u{FEFF}" : "" }

    /// Returns all rows, with the byte order mark.
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
    ///   - isText: Whether the field is recorded text.
    ///   - write: Appends the content of the field.
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

    /// Ends a row. A row without fields is an empty line.
    func end(_ row: inout [UInt8]) {
        if row.last == .comma { row.removeLast() }
        row += (visibly ? "\n" : lineEnd).utf8
    }

    /// Returns a recorded text so that a spreadsheet never takes it for a formula.
    func text(_ text: String) -> String { isForSpreadsheet && isFormula(text.utf8.first) ? "'" + text : text }

    private static let noFormula = UInt8(ascii: "'")

    /// - Parameter first: The first byte of a text.
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
