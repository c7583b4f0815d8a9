internal import HarkWire

extension SurveyContent {
    /// The answer in the form of the configuration, for response types that have one.
    var response: ResponseInfo? {
        guard responseType != .questions else { return nil }
        var info = ResponseInfo()
        info.type = responseType.rawValue
        if let question = questionnaire.question(SurveyContent.optionId), case .single(let choices) = question.kind {
            info.options = choices.map(\.value)
            info.optionsLabel = question.prompt.nonEmpty
        }
        if let question = questionnaire.question(SurveyContent.textId), case .text(let field) = question.kind {
            if responseType == .combined {
                var text = ResponseTextInfo()
                (text.label, text.required, text.rules) = (question.prompt.nonEmpty, question.isRequired, field.info)
                info.textField = text
            } else {
                (info.allowEmpty, info.text) = (!question.isRequired, field.info)
            }
        }
        info.submitLabel = submitLabel?.nonEmpty
        return info
    }

    /// The options to choose from, if a choice is (part of) the answer of a survey without questions.
    package var optionValues: [String] {
        guard responseType != .questions,
            case .single(let choices)? = questionnaire.question(SurveyContent.optionId)?.kind
        else { return [] }
        return choices.map(\.value)
    }
}
