internal import HarkWire

extension Question {
    /// The word for a matrix as the type of a question.
    static let matrixType = "matrix"
    static let mostRows = 50
    static let mostColumns = 20

    /// Reads the questions for one question of a document: the rows of a matrix, or the question itself.
    static func readAll(_ value: JSONValue, path: String, issues: IssueCollector) -> [Question] {
        if value.objectValue?["type"]?.stringValue == matrixType {
            return readMatrix(value, path: path, issues: issues)
        }
        return read(value, path: path, issues: issues).map { [$0] } ?? []
    }

    private static func readMatrix(_ value: JSONValue, path: String, issues: IssueCollector) -> [Question] {
        guard var reader = ObjectReader(value, path: path, issues: issues) else { return [] }
        defer { reader.finish() }
        _ = reader.text("type")
        let id = readId(&reader)?.text
        let prompt = reader.name("question", isRequired: true)
        let isRequired = reader.flag("required") ?? true
        let rows = readRows(&reader)
        let columns = readColumns(&reader)
        let target = readWay(&reader)
        let when = QuestionCondition.read(&reader)
        guard let id, let prompt, let rows, let columns else { return [] }
        var questions = rows.map { row in
            var question = Question(
                id: "\(id).\(row.id)", prompt: row.label, kind: .single(columns),
                isRequired: row.isRequired ?? isRequired)
            question.matrix = Matrix(id: id, prompt: prompt)
            question.when = when
            return question
        }
        // The branch is at the last row.
        if let target, !questions.isEmpty { questions[questions.count - 1].branches = [Branch(nil, to: target)] }
        return questions
    }

    private struct Row {
        let id: String
        let label: String
        let isRequired: Bool?
    }

    /// Reads `rows`, which are texts or objects.
    private static func readRows(_ reader: inout ObjectReader) -> [Row]? {
        guard let elements = reader.elements("rows", isRequired: true) else { return nil }
        let issues = reader.issues
        guard (1...mostRows).contains(elements.count) else {
            issues.error(reader.path("rows"), "must hold from 1 to \(mostRows) rows")
            return nil
        }
        var known: Set<ExactName> = []
        let rows = elements.compactMap { element, path -> Row? in
            guard let row = readRow(element, path: path, issues: issues) else { return nil }
            if !known.insert(ExactName(row.id)).inserted { issues.error(path, "'\(row.id)' is there twice") }
            return row
        }
        return rows.isEmpty ? nil : rows
    }

    /// A string, or `{"id": "food", "label": "The food", "required": false}`.
    private static func readRow(_ value: JSONValue, path: String, issues: IssueCollector) -> Row? {
        if case .object = value {
            guard var reader = ObjectReader(value, path: path, issues: issues) else { return nil }
            defer { reader.finish() }
            let (label, isRequired) = (reader.name("label"), reader.flag("required"))
            return reader.name("id", isRequired: true).map { Row(id: $0, label: label ?? $0, isRequired: isRequired) }
        }
        guard let text = value.stringValue, !text.trimmed.isEmpty else {
            issues.error(path, "must be a string that is not empty, or an object with 'id'")
            return nil
        }
        return Row(id: text, label: text, isRequired: nil)
    }

    private static func readColumns(_ reader: inout ObjectReader) -> [Choice]? {
        guard let columns = readChoices(&reader, "columns", isRequired: true) else { return nil }
        guard (2...mostColumns).contains(columns.count) else {
            reader.issues.error(reader.path("columns"), "must hold from 2 to \(mostColumns) columns")
            return nil
        }
        return columns
    }

    /// Reads `next`, which is the same for all answers, because the answers of the rows may differ.
    private static func readWay(_ reader: inout ObjectReader) -> Target? {
        guard reader.has("next") else { return nil }
        guard let target = reader.value("next")?.stringValue else {
            reader.issues.error(
                reader.path("next"),
                "must be the id of a question, as a matrix has an answer for each row; put a 'when' on the questions after it, such "
                    + "as \"answer.MATRIX.ROW = 'bad'\"")
            return nil
        }
        return readTarget(target)
    }
}
