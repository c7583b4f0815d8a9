import HarkClient
import HarkWire

/// Texts that name earlier answers change while a survey is answered.
extension AskOutcome {
    /// The outcome of a reply to partial answers.
    static func kept(_ reply: JSONText) -> AskOutcome {
        let survey = ShownSurvey(PresentationResult(reply).survey.json)
        return .kept(route: survey?.route, questions: survey?.questions ?? [])
    }
}

extension SurveyForm {
    /// Takes the texts that questions have now. Answers stay.
    mutating func retell(_ questions: [SurveyQuestion]) {
        for question in questions {
            guard let place = fields.firstIndex(where: { $0.id == question.id }) else { continue }
            fields[place].retell(question)
        }
    }
}

extension FormField {
    /// The texts of a question, by which two of its tellings are told apart.
    package var texts: [String] {
        let own: [String?] =
            switch input {
            case .choice(let field): field.choices.map(\.label)
            case .text(let field): [field.rules.placeholder, field.rules.patternMessage]
            case .slider(let field): field.labels.map(\.text)
            case .note: []
            }
        return ([matrix?.prompt, prompt, ends.low, ends.high] + own).map { $0 ?? "" }
    }

    /// Takes the texts that the question has now. The answer stays.
    fileprivate mutating func retell(_ question: SurveyQuestion) {
        var told = FormField(question)
        guard told.texts != texts else { return }
        if let draft { told.restore(draft) }
        self = told
    }
}
