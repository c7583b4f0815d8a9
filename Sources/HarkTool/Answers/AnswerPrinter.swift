import HarkClient
import HarkWire

/// Prints the answers of a survey: as a table for people, as a wide or long table for programs, or as JSON lines.
struct AnswerPrinter {
    private let survey: SurveyVersions
    private let console: Console
    private let table: CSVTable?
    private let isLong: Bool
    private let columns: [AnswerColumn]
    /// The columns of a showing that are repeated in each of its rows in a long table.
    private let head: [AnswerColumn]
    /// The line being built.
    private var line: [UInt8] = []
    private(set) var count = 0
    private var hasUnknown = false

    private static let widest = 20

    init(
        _ survey: SurveyVersions, _ table: CSVTable?, isLong: Bool, withVersions: Bool = false, _ console: Console
    ) {
        (self.survey, self.table, self.isLong, self.console) = (survey, table, isLong, console)
        let columns = AnswerColumn.all(of: survey, withVersions: withVersions)
        self.columns = columns
        head = Self.longNames.prefix(11).compactMap { name in columns.first { $0.name == name } }
    }

    mutating func print(_ query: AnswerQuery, _ connection: inout Connection) throws {
        if let table {
            let names = isLong ? Self.longNames : columns.map { table.text($0.name) }
            try console.print(lines: Array(table.mark.utf8) + table.row(names))
        } else {
            try write(shortNames)
        }
        try query.forEach(survey, &connection) { row, _ in
            count += 1
            hasUnknown = hasUnknown || row.hasUnknown
            if let table {
                line.removeAll(keepingCapacity: true)
                if isLong { appendLong(row, table) } else { appendWide(row, table) }
                try console.print(lines: line)
            } else if isLong {
                for answer in answers(of: row) { try write(answer) }
            } else {
                try write(short(row))
            }
        }
        if hasUnknown {
            console.say("hark: warning: the survey has changed meanwhile, and new questions have no column; ask again")
        }
        if count == 0, console.outputIsTerminal { console.say("hark: no such showings") }
    }

    // MARK: For programs

    private static let longNames = [
        "showing", "survey", "version", "state", "participant", "app", "session", "machine", "group", "opened",
        "answered",
        "question", "answer", "seconds", "changes",
    ]

    private mutating func appendWide(_ row: AnswerRow, _ table: CSVTable) {
        append(columns, of: row, table)
        table.end(&line)
    }

    private mutating func append(_ columns: [AnswerColumn], of row: AnswerRow, _ table: CSVTable) {
        for place in columns.indices {
            table.append(to: &line, isText: columns[place].isTextOfOthers) {
                columns[place].content.append(row, to: &$0)
            }
        }
    }

    /// Appends a row for each answer, and one for each choice of a multiple choice.
    private mutating func appendLong(_ row: AnswerRow, _ table: CSVTable) {
        append(head, of: row, table)
        let head = line
        line.removeAll(keepingCapacity: true)
        for (place, question) in survey.questions.enumerated() {
            row.forEachAnswer(to: place) { answer in
                line += head
                table.append(to: &line, isText: true) { $0 += question.id.utf8 }
                table.append(to: &line, isText: true) { row.append(answer, to: &$0) }
                table.append(to: &line) { row.append(AnswerRow.place(place, .seconds), to: &$0) }
                table.append(to: &line) { row.append(AnswerRow.place(place, .changes), to: &$0) }
                table.end(&line)
            }
        }
    }

    // MARK: For people

    private func write(_ fields: [String]) throws(ToolError) {
        let line = zip(fields, widths).map { TextWidth.padded(Self.clipped($0, $1), $1) }.joined(separator: "  ")
        try console.print(String(line.reversed().drop { $0 == " " }.reversed()))
    }

    private var shortNames: [String] {
        isLong
            ? ["opened", "state", "user", "question", "answer"]
            : ["shown", "state", "user"] + survey.questions.map { VisibleText.make($0.id) }
    }

    private var widths: [Int] {
        isLong ? [19, 9, 12, Self.widest, 60] : [19, 9, 12] + survey.questions.map { _ in Self.widest }
    }

    private func short(_ row: AnswerRow) -> [String] {
        let answers = survey.questions.indices.map { place in
            var values: [String] = []
            row.forEachAnswer(to: place) { values.append(text($0, row)) }
            return values.isEmpty ? "-" : VisibleText.make(values.joined(separator: "; "))
        }
        let user = row[.userId].flatMap { $0.string.map { VisibleText.value($0) } } ?? "-"
        return [row.time.map { LocalTime.secondText($0) } ?? "-", row[.state]?.string ?? "", user] + answers
    }

    private func answers(of row: AnswerRow) -> [[String]] {
        let opened = row.time(.openedAt).map { LocalTime.secondText($0) } ?? "-"
        let showing = [opened] + [.state, .userId].map { VisibleText.make(row[$0]?.string ?? "") }
        return survey.questions.indices.flatMap { place in
            var lines: [[String]] = []
            row.forEachAnswer(to: place) {
                lines.append(showing + [survey.questions[place].id, VisibleText.make(text($0, row))])
            }
            return lines
        }
    }

    private func text(_ answer: Range<Int>, _ row: AnswerRow) -> String {
        let json = row.json(answer)
        return json.string ?? json.text
    }

    private static func clipped(_ text: String, _ width: Int) -> String {
        TextWidth.of(text) > width ? StyledLine(text).clipped(to: width - 1).text + "…" : text
    }
}
