import HarkClient
import HarkWire

/// The answers of a survey for statistics programs: a table with names and codes that all of them accept, and the
/// scripts each needs to read it.
///
/// Choices are numbered from 1: first in the order of the current survey, then those of earlier versions. In numeric
/// columns, a code says why an answer is missing (`AnswerRow.Missing`); in texts the cell is empty. Line breaks in
/// texts become spaces, as SPSS and PSPP accept no others.
struct Codebook {
    struct Variable {
        let column: AnswerColumn
        /// A name that every program accepts: letters, digits and underscores, a letter first, at most 32, unique
        /// regardless of case.
        let name: String
        /// Each code, the value it stands for, and all labels shown for that value.
        var codes: [(code: Int, value: String, labels: [String])] = []
        /// The length of the longest text, in bytes.
        fileprivate(set) var width = 1

        var isNumber: Bool {
            switch column.kind {
            case .text, .word, .time, .date, .clock: false
            case .number, .integer, .flag, .choice, .score, .measure: true
            }
        }
        /// Whether codes say why an answer is missing.
        var hasMissingCodes: Bool {
            if case .measure(_, let hasCodes) = column.kind { return hasCodes }
            return column.isAnswer && isNumber
        }
        /// The current labels, each unique.
        var labels: [(code: Int, label: String)] {
            var names = UniqueNames()
            return codes.map { code in
                let label = code.labels.first { !$0.isEmpty } ?? code.value
                let isShared = codes.contains { $0.code != code.code && $0.labels.first == label }
                return (code.code, names.add(isShared ? "\(label) (\(code.value))" : label))
            }
        }
    }

    static let missing: [(code: Int, label: String)] = [
        (AnswerRow.Missing.notAsked.rawValue, "not asked"), (AnswerRow.Missing.passedOver.rawValue, "passed over"),
    ]

    let survey: SurveyVersions
    private(set) var variables: [Variable]
    private(set) var count: Int64 = 0

    init(_ survey: SurveyVersions) {
        self.survey = survey
        var names = UniqueNames(ignoringCase: true)
        variables = AnswerColumn.all(of: survey).map { column in
            var variable = Variable(column: column, name: names.add(Self.name(column.name), most: Self.longestName))
            if column.kind == .flag { variable.codes = [(0, "0", ["not chosen"]), (1, "1", ["chosen"])] }
            if let place = column.question, column.isAnswer {
                variable.codes += Self.codes(of: survey.questions[place], column)
            }
            return variable
        }
    }

    private static func codes(
        of question: AskedQuestion, _ column: AnswerColumn
    ) -> [(code: Int, value: String, labels: [String])] {
        switch column.kind {
        case .choice: question.choices.enumerated().map { ($0 + 1, $1.value, $1.labels) }
        case .score, .measure:
            question.choices.compactMap { choice in Int(choice.value).map { ($0, choice.value, choice.labels) } }
        default: []
        }
    }

    // MARK: Names

    /// The limit of Stata; SPSS takes 64 bytes.
    private static let longestName = 32
    /// Reserved words of SPSS or Stata.
    private static let reserved: Set<String> = [
        "all", "and", "by", "eq", "ge", "gt", "le", "lt", "ne", "not", "or", "to", "with", "byte", "double", "float",
        "if", "in",
        "int", "long", "using", "strl",
    ]

    static func name(_ text: String) -> String {
        var name = String(
            text.unicodeScalars.map { scalar in
                scalar.isASCII && (Character(scalar).isLetter || Character(scalar).isNumber) ? Character(scalar) : "_"
            })
        while name.last == "_" { name.removeLast() }
        if name.first.map({ !$0.isLetter }) ?? true { name = "q" + name }
        let word = name.lowercased()
        let isType = word.hasPrefix("str") && Int(word.dropFirst(3)) != nil
        if reserved.contains(word) || isType { name += "_q" }
        return name.cut(atBytes: longestName)
    }

    // MARK: Files

    mutating func write(to folder: ExportFolder, _ query: AnswerQuery, _ connection: inout Connection) throws {
        // The table comes first, because the width of texts is known only after it.
        var table = CSVTable()
        table.lineEnd = "\n"
        try folder.replace("answers.csv") { file in
            try file.write(table.row(variables.map(\.name)))
            var line: [UInt8] = []
            try query.forEach(survey, &connection) { row, _ in
                line.removeAll(keepingCapacity: true)
                append(row, to: &line, table)
                try file.write(line)
            }
        }
        for (name, text) in [
            ("datapackage.json", DataPackage(self).text), ("labels.sps", StatisticsScripts(self).spss),
            ("labels.do", StatisticsScripts(self).stata), ("read.R", StatisticsScripts(self).r),
            ("codebook.md", CodebookText(self).text),
        ] {
            try folder.replace(name) { try $0.write(text.utf8) }
        }
    }

    private mutating func append(_ row: AnswerRow, to line: inout [UInt8], _ table: CSVTable) {
        count += 1
        for place in variables.indices {
            var width = 0
            table.append(to: &line) { text in
                let start = text.count
                append(variables[place], row, to: &text)
                width = text.count - start
            }
            variables[place].width = max(variables[place].width, width)
        }
        table.end(&line)
    }

    private func append(_ variable: Variable, _ row: AnswerRow, to text: inout [UInt8]) {
        if variable.hasMissingCodes, let place = variable.column.question,
            let missing = row.missing(place, in: survey)
        {
            text += "\(missing.rawValue)".utf8
            return
        }
        let start = text.count
        variable.column.content.append(row, to: &text)
        switch variable.column.kind {
        case .choice:
            let code = variable.codes.first { $0.value.utf8.elementsEqual(text[start...]) }?.code
            text.replaceSubrange(start..., with: code.map { "\($0)" }?.utf8 ?? "".utf8)
        case .text, .word:
            guard text[start...].contains(where: \.isJSONLineBreak) else { return }
            text.replaceSubrange(start..., with: Self.oneLine(String(decoding: text[start...], as: UTF8.self)).utf8)
        default: break
        }
    }

    static func oneLine(_ text: String) -> String {
        text.replacing("\r\n", with: " ").replacing("\n", with: " ").replacing("\r", with: " ")
    }
}
