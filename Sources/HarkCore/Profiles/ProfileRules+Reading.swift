internal import HarkWire

extension ProfileRules {
    /// The members of a profile in addition to the derived values.
    package static let ownKeys = ["answers", "completed", "completedAt"]

    /// - Parameter forms: the forms that the rules may refer to; nil when they are not known.
    static func read(_ document: inout ObjectReader, of forms: [Form]?) -> ProfileRules? {
        guard var reader = document.object("profile") else { return nil }
        defer { reader.finish() }
        let issues = reader.issues
        let form = readForm(&reader, of: forms)
        guard var members = reader.object("values", isRequired: true) else { return nil }
        let about = form.flatMap { id in forms?.first { $0.id.hasSameBytes(as: id) } }
        let questionnaire = about?.questions == nil ? about?.questionnaire : nil
        let rules = ProfileRuleReader(questionnaire: questionnaire, issues: issues)
        var values: [Value] = []
        for (key, value, path) in members.members() {
            if key.isEmpty || key.contains(where: { "{|}".contains($0) }) {
                issues.error(path, "a key must not be empty nor hold braces or bars")
            } else if ownKeys.contains(key) {
                issues.error(path, "'\(key)' is what a profile has by itself; take another name")
            } else if let rule = rules.read(value, path: path) {
                values.append(Value(key, rule))
            }
        }
        let summary = readSummary(&reader, keys: members.members().map(\.key))
        return form.map { ProfileRules(form: $0, values: values, summary: summary) }
    }

    private static func readForm(_ reader: inout ObjectReader, of forms: [Form]?) -> String? {
        let named = reader.name("form")
        guard let forms else { return named ?? "" }
        if let named {
            guard !forms.contains(where: { $0.id.hasSameBytes(as: named) }) else { return named }
            reader.issues.error(reader.path("form"), "there is no form '\(named)'")
        } else if forms.count == 1 {
            return forms[0].id
        } else if !reader.has("form") {
            reader.issues.error(reader.path, "the member 'form' must name the form whose answers count")
        }
        return nil
    }

    private static func readSummary(_ reader: inout ObjectReader, keys: [String]) -> ProfileSummary? {
        guard let elements = reader.elements("summary") else { return nil }
        let known = Set(keys.map(ExactName.init))
        var lines: [[ProfileSummary.Piece]] = []
        for (value, path) in elements {
            guard let line = value.stringValue, !line.contains(where: \.isNewline) else {
                reader.issues.error(path, "must be a string of one line")
                continue
            }
            switch ProfileSummary.read(line: line) {
            case .failure(let fault): reader.issues.error(path, fault.message)
            case .success(let pieces):
                for case .value(let key, _) in pieces where !known.contains(ExactName(key)) {
                    reader.issues.error(path, "there is no value '\(key)'; there are: \(keys.joined(separator: ", "))")
                }
                lines.append(pieces)
            }
        }
        return ProfileSummary(lines: lines)
    }
}

/// Reads the rules of single values, and checks them against the questions.
struct ProfileRuleReader {
    /// nil when the questions are not known, so that references to them cannot be checked.
    let questionnaire: Questionnaire?
    let issues: IssueCollector

    func read(_ value: JSONValue, path: String) -> ProfileRule? {
        guard case .object = value, var reader = ObjectReader(value, path: path, issues: issues) else {
            return readValue(value, path: path).map(ProfileRule.constant)
        }
        defer { reader.finish() }
        let words = ["append", "daily", "question", "cases"].filter { reader.has($0) }
        switch words {
        case ["append"]:
            return .append((reader.elements("append") ?? []).compactMap { read($0.value, path: $0.path) })
        case ["daily"]:
            guard let list = reader.value("daily") else { return nil }
            return read(list, path: reader.path("daily")).map(ProfileRule.daily)
        case ["question"]:
            return readQuestion(&reader).map { .answer(question: $0.id) }
        case ["question", "cases"]:
            return readTable(&reader)
        case ["cases"]:
            return readCases(&reader)
        default:
            issues.error(
                path, "must be a value, or have 'question' (with 'cases' or without), 'cases', 'append' or 'daily'")
            return nil
        }
    }

    private func readQuestion(_ reader: inout ObjectReader) -> (id: String, question: Question?)? {
        guard let id = reader.value("question").flatMap({ $0.exactInteger.map(String.init) }) ?? reader.name("question")
        else { return nil }
        guard let questionnaire else { return (id, nil) }
        guard let question = questionnaire.question(id) else {
            tellMissing(id, path: reader.path("question"), questionnaire)
            return nil
        }
        return (id, question)
    }

    private func tellMissing(_ id: String, path: String, _ questionnaire: Questionnaire) {
        let ids = questionnaire.questions.map(\.id).joined(separator: ", ")
        issues.error(path, "there is no question '\(id)' in the form; there are: \(ids)")
    }

    private func readTable(_ reader: inout ObjectReader) -> ProfileRule? {
        let asked = readQuestion(&reader)
        let otherwise = readDefault(&reader)
        guard var table = reader.object("cases") else { return nil }
        let known = asked?.question?.possibleAnswers.map { Set($0.map(ExactName.init)) }
        var rows: [ProfileRule.Row] = []
        for (answer, value, path) in table.members() {
            if let known, !known.contains(ExactName(answer)) {
                let words = (asked?.question?.possibleAnswers ?? []).prefix(20).map { "'\($0)'" }.joined(
                    separator: ", ")
                issues.error(path, "'\(answer)' is no answer to '\(asked?.id ?? "")'; there are: \(words)")
            }
            if let value = readValue(value, path: path) { rows.append(ProfileRule.Row(answer, value)) }
        }
        if otherwise == nil, let possible = asked?.question?.possibleAnswers {
            let told = Set(rows.map { ExactName($0.answer) })
            for answer in possible where !told.contains(ExactName(answer)) {
                issues.warning(table.path, "has no value for the answer '\(answer)', and there is no default")
            }
        }
        return asked.map { .table(question: $0.id, rows, otherwise: otherwise) }
    }

    private func readCases(_ reader: inout ObjectReader) -> ProfileRule? {
        let otherwise = readDefault(&reader)
        guard let elements = reader.elements("cases") else { return nil }
        let cases = elements.compactMap { element -> ProfileRule.Case? in
            guard var member = ObjectReader(element.value, path: element.path, issues: issues) else { return nil }
            defer { member.finish() }
            let path = member.path("when")
            let condition = member.value("when", isRequired: true).flatMap {
                Condition.read($0, path: path, issues: issues)
            }
            if let condition, let questionnaire {
                for id in condition.names.sorted().map(\.text) where questionnaire.question(id) == nil {
                    tellMissing(id, path: path, questionnaire)
                }
            }
            let value = member.value("value", isRequired: true).flatMap { readValue($0, path: member.path("value")) }
            guard let condition, let value else { return nil }
            return ProfileRule.Case(condition, value)
        }
        return .cases(cases, otherwise: otherwise)
    }

    private func readDefault(_ reader: inout ObjectReader) -> JSONValue? {
        guard let value = reader.value("default") else { return nil }
        return readValue(value, path: reader.path("default"))
    }

    /// A text, a number, a bool, or a list of these.
    private func readValue(_ value: JSONValue, path: String) -> JSONValue? {
        if value.isPrimitive || value.arrayValue?.allSatisfy(\.isPrimitive) == true { return value }
        issues.error(path, "must be a string, a number, true, false, or an array of these")
        return nil
    }
}
