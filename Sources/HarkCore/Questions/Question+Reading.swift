internal import HarkWire

extension Question {
    /// The word for the end as the target of a branch.
    private static let end = "end"

    static func read(_ value: JSONValue, path: String, issues: IssueCollector) -> Question? {
        guard var reader = ObjectReader(value, path: path, issues: issues) else { return nil }
        defer { reader.finish() }
        let id = readId(&reader)
        let prompt = reader.name("question", isRequired: true)
        let image = Image.read(&reader)
        let isRequired = reader.flag("required")
        let kind = readKind(&reader, beside: [matrixType])
        let ends = kind?.isScale == true ? ScaleEnds.read(&reader) : ScaleEnds()
        let order = kind?.hasOrder == true ? OptionOrder.read(&reader) : nil
        let branches = readBranches(&reader)
        let when = QuestionCondition.read(&reader)
        guard let id, let prompt, let kind else { return nil }
        var question = Question(
            id: id.text, numericId: id.number, prompt: prompt, kind: kind, image: image, ends: ends,
            isRequired: kind == .note ? false : isRequired ?? true, branches: branches)
        question.when = when
        question.order = order
        return question
    }

    /// Reads the type of a question, with the members that go with it.
    static func read(
        kind value: JSONValue, path: String, issues: IssueCollector
    ) -> (kind: Kind, ends: ScaleEnds, order: OptionOrder?)? {
        guard var reader = ObjectReader(value, path: path, issues: issues) else { return nil }
        defer { reader.finish() }
        guard let kind = readKind(&reader) else { return nil }
        let ends = kind.isScale ? ScaleEnds.read(&reader) : ScaleEnds()
        return (kind, ends, kind.hasOrder ? OptionOrder.read(&reader) : nil)
    }

    /// Reads a string, or a whole number as in remote forms.
    static func readId(_ reader: inout ObjectReader) -> (text: String, number: Int64?)? {
        guard let value = reader.value("id", isRequired: true) else { return nil }
        if let number = value.exactInteger { return (String(number), number) }
        guard let id = reader.name("id") else { return nil }
        if id == end {
            reader.issues.error(reader.path("id"), "'\(end)' stands for the end; take another id")
            return nil
        }
        return (id, nil)
    }

    /// - Parameter others: further types that are valid here, and are read elsewhere.
    static func readKind(_ reader: inout ObjectReader, beside others: [String] = []) -> Kind? {
        let type = QuestionType(rawValue: reader.text("type") ?? "text")
        switch type {
        case .single: return readChoices(&reader, isRequired: true).map { .single(readOther(&reader, $0)) }
        case .multiple:
            guard let named = readChoices(&reader, isRequired: true) else { return nil }
            let choices = readOther(&reader, named)
            let count = max(choices.count, 1)
            let least = reader.integer("minSelections", in: 1...count) ?? 1
            let most = reader.integer("maxSelections", in: 1...count) ?? count
            guard least <= most else {
                reader.issues.error(reader.path("maxSelections"), "is less than minSelections")
                return nil
            }
            return .multiple(readExclusive(&reader, choices), least...most)
        case .text: return .text(TextField.read(&reader))
        case .yesNo: return .yesNo(readYesNo(&reader, UsualLabels.yesNo))
        case .consent: return .consent(readYesNo(&reader, UsualLabels.consent), version: reader.name("version"))
        case .ranking:
            guard let choices = readChoices(&reader) else { return nil }
            if choices.count < 2 { reader.issues.error(reader.path("options"), "must hold two options or more") }
            return .ranking(choices, top: reader.integer("top", in: 1...choices.count) ?? choices.count)
        case .csat, .ces: return readPreset(&reader, type)
        case .scale: return .scale(Scale.read(&reader))
        case .number: return .number(NumberRule.read(&reader))
        case .date, .time: return .moment(MomentRule.read(&reader, isDate: type == .date))
        case .note: return .note
        case .rating:
            let shape = readShape(&reader) ?? .faces
            let scale = reader.integer("scale", in: 2...10) ?? (shape == .thumbs ? 2 : 5)
            if shape == .thumbs, scale != 2 {
                reader.issues.error(reader.path("scale"), "must be 2, as 'thumbs' are down and up")
            }
            let labels = reader.choices("labels") ?? []
            if !labels.isEmpty, labels.count != scale {
                reader.issues.error(reader.path("labels"), "must hold a label for each of the \(scale) ratings")
            }
            return .rating(Rating(scale: scale, labels: labels, shape: shape))
        case .nps: return .nps
        case nil:
            reader.issues.error(
                reader.path("type"),
                "must be \((QuestionType.allCases.map(\.rawValue) + others).joined(separator: ", "))")
            // The other members depend on the type and cannot be checked.
            _ = reader.members()
            return nil
        }
    }

    /// Reads `shape`, or the older `"emoji": false` for numbers.
    private static func readShape(_ reader: inout ObjectReader) -> ScaleShape? {
        let isWithout = reader.flag("emoji") == false
        guard let word = reader.text("shape") else { return isWithout ? .numbers : nil }
        guard let shape = ScaleShape(rawValue: word) else {
            reader.issues.error(
                reader.path("shape"), "must be \(ScaleShape.allCases.map(\.rawValue).joined(separator: ", "))")
            return nil
        }
        if isWithout, shape != .numbers {
            reader.issues.error(reader.path("emoji"), "cannot be false with the shape '\(word)'")
        }
        return shape
    }

    /// The choices yes and no, with labels that the document may replace.
    private static func readYesNo(_ reader: inout ObjectReader, _ usual: [String]) -> [Choice] {
        let labels = reader.choices("labels") ?? usual
        if labels.count != YesNo.allCases.count {
            reader.issues.error(reader.path("labels"), "must hold two texts, for yes and for no")
        }
        return zip(YesNo.allCases, labels).map { Choice($0.rawValue, label: $1) }
    }

    /// A rating with usual words, which the document may replace.
    private static func readPreset(_ reader: inout ObjectReader, _ type: QuestionType?) -> Kind? {
        guard let preset = type.flatMap(RatingPreset.init) else { return nil }
        let shape = readShape(&reader) ?? preset.shape
        if shape == .thumbs { reader.issues.error(reader.path("shape"), "cannot be 'thumbs', which are two") }
        let labels = reader.choices("labels") ?? preset.labels
        if labels.count != preset.labels.count {
            reader.issues.error(
                reader.path("labels"), "must hold a label for each of the \(preset.labels.count) ratings")
        }
        return .rating(Rating(scale: preset.labels.count, labels: labels, shape: shape, preset: preset))
    }

    /// Reads `options`, or those of another name, which are texts or objects.
    static func readChoices(
        _ reader: inout ObjectReader, _ key: String = "options", isRequired: Bool = false
    ) -> [Choice]? {
        guard let elements = reader.elements(key, isRequired: isRequired) else { return nil }
        let issues = reader.issues
        if elements.isEmpty { issues.error(reader.path(key), "must hold at least one option") }
        var choices: [Choice] = []
        var known: Set<ExactName> = []
        for (element, path) in elements {
            guard let choice = readChoice(element, path: path, issues: issues) else { continue }
            if !known.insert(ExactName(choice.value)).inserted {
                issues.error(path, "'\(choice.value)' is there twice")
            }
            choices.append(choice)
        }
        return choices.isEmpty ? nil : choices
    }

    /// Reads `"exclusive": ["None of these"]`: the choices that exclude all others.
    private static func readExclusive(_ reader: inout ObjectReader, _ choices: [Choice]) -> [Choice] {
        guard reader.has("exclusive") else { return choices }
        var choices = choices
        let places = Dictionary(choices.indices.map { (ExactName(choices[$0].value), $0) }) { first, _ in first }
        for (element, path) in reader.elements("exclusive") ?? [] {
            guard let value = element.stringValue, let place = places[ExactName(value)] else {
                reader.issues.error(path, "must be one of the 'options', as its value")
                continue
            }
            choices[place].isExclusive = true
        }
        return choices
    }

    /// A string, or `{"value": "sleep", "label": "Sleep better", "emoji": "🌙", "image": "moon.svg", "alt": "A moon"}`.
    private static func readChoice(_ value: JSONValue, path: String, issues: IssueCollector) -> Choice? {
        if case .object = value {
            guard var reader = ObjectReader(value, path: path, issues: issues) else { return nil }
            defer { reader.finish() }
            let (label, emoji) = (reader.name("label"), reader.name("emoji"))
            let image = Image.read(&reader)
            return reader.name("value", isRequired: true).map { Choice($0, label: label, emoji: emoji, image: image) }
        }
        guard let text = value.stringValue, !text.trimmed.isEmpty else {
            issues.error(path, "must be a string that is not empty, or an object with 'value'")
            return nil
        }
        return Choice(text)
    }

    /// Reads `"next": "id"`, or `"next": [{"when": matcher, "to": "id"}, …]`.
    private static func readBranches(_ reader: inout ObjectReader) -> [Branch] {
        guard reader.has("next") else { return [] }
        if let target = reader.value("next")?.stringValue { return [Branch(nil, to: readTarget(target))] }
        let issues = reader.issues
        return (reader.elements("next") ?? []).compactMap { element in
            guard var branch = ObjectReader(element.value, path: element.path, issues: issues) else { return nil }
            defer { branch.finish() }
            let condition = branch.value("when").flatMap {
                Matcher.read($0, path: branch.path("when"), issues: issues)
            }
            return branch.name("to", isRequired: true).map { Branch(condition, to: readTarget($0)) }
        }
    }

    static func readTarget(_ word: String) -> Target { word == end ? .end : .question(word) }
}
