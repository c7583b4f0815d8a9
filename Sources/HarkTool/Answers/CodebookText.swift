import HarkWire

/// A codebook for people, in Markdown.
struct CodebookText {
    private let book: Codebook

    init(_ book: Codebook) { self.book = book }

    var text: String {
        let survey = book.survey
        var lines = [
            "# \(plain(survey.title.isEmpty ? survey.id : survey.title))", "",
            "The answers to the survey `\(plain(survey.id))`: a row for each showing, \(book.count) in all. Times are in UTC. In "
                + "columns of numbers, -77 means that the question was not asked, -99 that it was passed over.", "",
        ]
        if !survey.versions.isEmpty {
            lines += ["## Versions", "", "| version | shown | first | last | language |", "|---|---|---|---|---|"]
            lines += survey.versions.map { version in
                "| \(version.name) | \(version.count) | \(version.first) | \(version.last) | \(plain(version.locale ?? "")) |"
            }
            lines.append("")
        }
        lines += ["## Questions", ""]
        for (place, question) in survey.questions.enumerated() { lines += section(place, question) }
        lines += ["## Columns", "", "| column | in other tables | is |", "|---|---|---|"]
        lines += book.variables.map { "| \($0.name) | \(plain($0.column.name)) | \(plain($0.column.meaning)) |" }
        return (lines + [""]).joined(separator: "\n")
    }

    private func section(_ place: Int, _ question: AskedQuestion) -> [String] {
        let own = book.variables.filter { $0.column.question == place && $0.column.isAnswer }
        let must = question.isRequired ? "needs an answer" : "may be passed over"
        var lines = [
            "### \(plain(question.id))", "", plain(question.prompt), "",
            "`\(question.type.rawValue)`, \(must). Column\(own.count == 1 ? "" : "s"): \(own.map(\.name).joined(separator: ", ")).",
            "",
        ]
        for earlier in question.prompts.dropFirst() { lines += ["It was also asked as: \(plain(earlier))", ""] }
        if let condition = question.condition { lines += ["It is asked if: \(plain(condition))", ""] }
        if let span = question.span { lines += [span, ""] }
        guard !question.choices.isEmpty else { return lines }
        lines += ["| code | value | shown as |", "|---|---|---|"]
        for choice in question.choices {
            let code =
                question.isMultiple || question.isRanking
                ? own.first { $0.column.name.hasSuffix(".\(choice.value)") }?.name ?? ""
                : own.first?.codes.first { $0.value.utf8.elementsEqual(choice.value.utf8) }.map { String($0.code) }
                    ?? ""
            lines.append("| \(code) | \(plain(choice.value)) | \(choice.labels.map(plain).joined(separator: "; ")) |")
        }
        return lines + [""]
    }

    /// Escapes a text for a table cell.
    private func plain(_ text: String) -> String {
        Codebook.oneLine(text).replacing("\\", with: "\\\\").replacing("|", with: "\\|").replacing("`", with: "\\`")
    }
}
