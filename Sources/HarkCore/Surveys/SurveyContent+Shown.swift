internal import HarkPattern
internal import HarkWire

extension SurveyContent {
    /// Reads content from the object stored with a presentation: title, message and questions with the rules for
    /// answers. Branches are not in it.
    ///
    /// - Returns: nil for bytes that `writeMembers` has not written.
    init?(shown bytes: [UInt8]) {
        guard let object = try? JSONDocument(bytes, .json).value.objectValue,
            let type = object["responseType"]?.stringValue.flatMap({ ResponseType(rawValue: $0) }),
            let elements = object["questions"]?.arrayValue
        else { return nil }
        let asked = elements.compactMap(\.objectValue)
        // The question for a text of "Other" is created anew from its option.
        let own = asked.filter { $0["of"] == nil }
        let questions = own.compactMap(Question.init(shown:))
        guard asked.count == elements.count, questions.count == own.count, !questions.isEmpty else { return nil }
        self.init(
            title: object["title"]?.stringValue ?? "", message: object["message"]?.stringValue ?? "",
            responseType: type,
            submitLabel: object["submitLabel"]?.stringValue, questionnaire: Questionnaire(questions.withOthers))
        isPiped = object["piping"]?.boolValue ?? false
    }
}

extension Question {
    fileprivate init?(shown object: JSONObject) {
        guard let id = object["id"]?.stringValue,
            let type = object["type"]?.stringValue.flatMap({ QuestionType(rawValue: $0) }),
            let kind = Kind(type, object)
        else { return nil }
        self.init(
            id: id, prompt: object["question"]?.stringValue ?? "", kind: kind,
            isRequired: object["required"]?.boolValue ?? true)
        order = OptionOrder(shown: object["shuffle"])
        matrix = object["matrix"]?.objectValue.flatMap { matrix in
            matrix["id"]?.stringValue.map { Matrix(id: $0, prompt: matrix["question"]?.stringValue ?? "") }
        }
    }
}

extension Question.Kind {
    fileprivate init?(_ type: QuestionType, _ object: JSONObject) {
        func number(_ key: String) -> Int? { object[key]?.intValue.flatMap { Int(exactly: $0) } }
        let choices = (object["options"]?.arrayValue ?? []).compactMap { option in
            option.objectValue.flatMap { option in
                option["value"]?.stringValue.map { value in
                    var choice = Question.Choice(value, label: option["label"]?.stringValue)
                    choice.isExclusive = option["exclusive"]?.boolValue ?? false
                    choice.isOther = option["other"]?.boolValue ?? false
                    return choice
                }
            }
        }
        switch type {
        case .single: self = .single(choices)
        case .multiple:
            let (least, most) = (number("minSelections") ?? 1, number("maxSelections") ?? choices.count)
            guard least <= most else { return nil }
            self = .multiple(choices, least...most)
        case .text:
            self = .text(
                Question.TextField(
                    minLength: number("minLength"), maxLength: number("maxLength"),
                    pattern: object["pattern"]?.stringValue.map { AnswerPattern(checked: $0) },
                    patternMessage: object["patternMessage"]?.stringValue))
        case .rating:
            guard let scale = number("scale"), scale > 0 else { return nil }
            self = .rating(Question.Rating(scale: scale))
        case .yesNo: self = .yesNo(choices)
        case .consent: self = .consent(choices, version: object["version"]?.stringValue)
        case .ranking: self = .ranking(choices, top: min(max(number("top") ?? choices.count, 1), max(choices.count, 1)))
        case .csat, .ces:
            guard let scale = number("scale"), scale > 0 else { return nil }
            self = .rating(Question.Rating(scale: scale, preset: RatingPreset(type)))
        default:
            // The others are written as they are read.
            let issues = IssueCollector()
            guard var reader = ObjectReader(.object(object), path: "$", issues: issues),
                let kind = Question.readKind(&reader), issues.issues.errors.isEmpty
            else { return nil }
            self = kind
        }
    }
}
