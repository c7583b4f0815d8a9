import HarkWire

/// Rows of a table for other programs (RFC 4180).
enum CSVTable {
    /// - Parameter visibly: with the line end of a terminal, and in each field escapes for what a terminal would obey.
    static func row(_ fields: [String], visibly: Bool) -> String {
        if visibly { return fields.map { field(VisibleText.make($0)) }.joined(separator: ",") + "\n" }
        return fields.map(field).joined(separator: ",") + "\r\n"
    }

    private static func field(_ text: String) -> String {
        let isPlain = !text.unicodeScalars.contains { $0 == "," || $0 == "\"" || $0 == "\r" || $0 == "\n" }
        return isPlain ? text : "\"\(text.replacing("\"", with: "\"\""))\""
    }
}
