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

    func row(_ fields: [String]) -> String {
        if visibly { return fields.map { Self.field(VisibleText.make($0)) }.joined(separator: ",") + "\n" }
        return fields.map(Self.field).joined(separator: ",") + lineEnd
    }

    /// A text that others have recorded, which is never a formula.
    func text(_ text: String) -> String {
        guard isForSpreadsheet, let first = text.utf8.first, "=+-@\t\r\n".utf8.contains(first) else { return text }
        return "'" + text
    }

    private static func field(_ text: String) -> String {
        let isPlain = !text.utf8.contains { $0 == UInt8(ascii: ",") || $0 == .quote || $0.isJSONLineBreak }
        return isPlain ? text : "\"\(text.replacing("\"", with: "\"\""))\""
    }
}
