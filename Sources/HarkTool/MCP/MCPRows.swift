import HarkClient
import HarkWire

/// The rows of a query, formatted for a model.
enum MCPRows {
    /// - Parameters:
    ///   - most: The maximum number of rows.
    ///   - seconds: The timeout that the query had.
    static func result(_ outcome: ProgramRun.Outcome, most: Int64, seconds: Int64) -> MCPToolResult {
        switch outcome {
        case .absent(let why): return .fault("hark cannot be run: \(why)")
        case .tookTooLong:
            return .fault(
                "the query took longer than \(seconds) s and was ended; compare time, seq or name, which the daemon itself looks for, "
                    + "or ask for less")
        case .ended(let code, _, let errors, false) where code != 0:
            return .fault(errors.isEmpty ? "the query failed with \(code)" : errors)
        case .ended(_, let output, let errors, let isCut): return rows(output, errors, isCut: isCut, most: most)
        }
    }

    private static func rows(_ output: [UInt8], _ errors: String, isCut: Bool, most: Int64) -> MCPToolResult {
        var lines = output.split(separator: .newline, omittingEmptySubsequences: true)
        // The last line of a cut output is not a whole row.
        if isCut, output.last != .newline { lines = lines.dropLast() }
        let shown = lines.prefix(Int(most))
        let isTruncated = isCut || shown.count < lines.count
        var notes = [MCPNote.data]
        if isTruncated {
            notes.append(
                shown.isEmpty
                    ? "One row alone is longer than \(MCPLimits.rowBytes) bytes: ask for fewer columns, or for parts (substr)."
                    : "Only the first \(shown.count) rows are here: aggregate, ask for fewer columns, or use LIMIT and OFFSET."
            )
        }
        let said = errors.split(separator: "\n").map(String.init)
        notes += said.map { $0.hasPrefix("hark: ") ? String($0.dropFirst(6)) : $0 }.prefix(5)
        return .object { json in
            json.key("rows")
            json.beginArray()
            for line in shown { json.raw(line) }
            json.endArray()
            json.key("count")
            json.int(shown.count)
            json.key("truncated")
            json.bool(isTruncated)
            json.key("note")
            json.string(notes.joined(separator: " "))
        }
    }
}
