import HarkClient
import HarkWire

/// The answers of a survey as they are printed: a table for people, one for programs, wide or long, or lines of JSON.
struct AnswerPrinter {
    private let survey: SurveyVersions
    private let console: Console
    private let table: CSVTable?
    private let isLong: Bool
    private let columns: [AnswerColumn]
    private(set) var count = 0
    private var hasUnknown = false

    private static let widest = 20

    init(
        _ survey: SurveyVersions, _ table: CSVTable?, isLong: Bool, withVersions: Bool = false, _ console: Console
    ) {
        (self.survey, self.table, self.isLong, self.console) = (survey, table, isLong, console)
        columns = AnswerColumn.all(of: survey, withVersions: withVersions)
    }

    mutating func print(_ query: AnswerQuery, _ connection: inout Connection) throws {
        if let table { try console.print(lines: Array(table.mark.utf8)) }
        if table != nil { try write(isLong ? Self.longNames : columns.map(\.name)) } else { try write(shortNames) }
        try query.forEach(survey, &connection) { row, _ in
            count += 1
            hasUnknown = hasUnknown || row.hasUnknown
            if isLong {
                for line in lines(of: row) { try write(line) }
            } else if let table {
                try write(columns.map { $0.isTextOfOthers ? table.text($0.value(row)) : $0.value(row) })
            } else {
                try write(short(row))
            }
        }
        if hasUnknown {
            console.say("hark: warning: the survey has changed meanwhile, and new questions have no column; ask again")
        }
        if count == 0, console.outputIsTerminal { console.say("hark: no such showings") }
    }

    private func write(_ fields: [String]) throws(ToolError) {
        if let table { return try console.print(lines: Array(table.row(fields).utf8)) }
        let line = zip(fields, widths).map { TextWidth.padded(Self.clipped($0, $1), $1) }.joined(separator: "  ")
        try console.print(String(line.reversed().drop { $0 == " " }.reversed()))
    }

    // MARK: Long

    private static let longNames = [
        "showing", "survey", "version", "state", "participant", "app", "session", "machine", "group", "opened",
        "answered",
        "question", "answer", "seconds", "changes",
    ]

    /// A row for each answer, and of several choices one for each.
    private func lines(of row: AnswerRow) -> [[String]] {
        let head = Self.longNames.prefix(11).map { name in
            columns.first { $0.name == name }.map { text($0, row) } ?? ""
        }
        var lines: [[String]] = []
        for (place, item) in row.items.enumerated() {
            guard let answer = item.answer else { continue }
            for one in answer.isArray ? answer.elements : [answer] {
                let value = one.string ?? one.text
                let text = table.map { $0.text(value) } ?? VisibleText.make(value)
                lines.append(
                    head + [survey.questions[place].id, text, item.seconds?.text ?? "", item.changes?.text ?? ""])
            }
        }
        return table != nil ? lines : lines.map { [$0[9], $0[3], $0[4], $0[11], $0[12]] }
    }

    private func text(_ column: AnswerColumn, _ row: AnswerRow) -> String {
        let value = column.value(row)
        guard let table else { return column.kind == .time ? localTime(value) : VisibleText.make(value) }
        return column.isTextOfOthers ? table.text(value) : value
    }

    private func localTime(_ text: String) -> String { Timestamp(text).map { LocalTime.secondText($0) } ?? "-" }

    // MARK: For people

    private var shortNames: [String] {
        isLong
            ? ["opened", "state", "user", "question", "answer"]
            : ["shown", "state", "user"] + survey.questions.map { VisibleText.make($0.id) }
    }

    private var widths: [Int] {
        isLong ? [19, 9, 12, Self.widest, 60] : [19, 9, 12] + survey.questions.map { _ in Self.widest }
    }

    private func short(_ row: AnswerRow) -> [String] {
        let answers = row.items.map { item -> String in
            guard let answer = item.answer else { return "-" }
            let values = answer.isArray ? answer.elements : [answer]
            return VisibleText.make(values.map { $0.string ?? $0.text }.joined(separator: "; "))
        }
        let user = row.user.flatMap { $0.string.map { VisibleText.value($0) } } ?? "-"
        return [row.time.map { LocalTime.secondText($0) } ?? "-", row.state?.string ?? "", user] + answers
    }

    private static func clipped(_ text: String, _ width: Int) -> String {
        TextWidth.of(text) > width ? StyledLine(text).clipped(to: width - 1).text + "…" : text
    }
}
