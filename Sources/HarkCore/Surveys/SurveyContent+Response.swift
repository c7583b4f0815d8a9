internal import HarkWire

extension SurveyContent {
    /// Writes the member `response` in the form of the configuration, for response types that have one.
    func writeResponse(to json: inout JSONWriter) {
        guard responseType != .questions else { return }
        json.key("response")
        json.beginObject()
        json.key("type")
        json.string(responseType.rawValue)
        if let question = questionnaire.question(SurveyContent.optionId), case .single(let choices) = question.kind {
            json.key("options")
            json.beginArray()
            for choice in choices { json.string(choice.value) }
            json.endArray()
            write("optionsLabel", question.prompt, to: &json)
        }
        if let question = questionnaire.question(SurveyContent.textId), case .text(let field) = question.kind {
            if responseType == .combined {
                json.key("textField")
                json.beginObject()
                write("label", question.prompt, to: &json)
                json.key("required")
                json.bool(question.isRequired)
                field.writeMembers(to: &json)
                json.endObject()
            } else {
                json.key("allowEmpty")
                json.bool(!question.isRequired)
                field.writeMembers(to: &json)
            }
        }
        write("submitLabel", submitLabel ?? "", to: &json)
        json.endObject()
    }

    private func write(_ name: StaticString, _ text: String, to json: inout JSONWriter) {
        guard !text.isEmpty else { return }
        json.key(name)
        json.string(text)
    }

    /// The options to choose from, if a choice is (part of) the answer of a survey without questions.
    package var optionValues: [String] {
        guard responseType != .questions,
            case .single(let choices)? = questionnaire.question(SurveyContent.optionId)?.kind
        else { return [] }
        return choices.map(\.value)
    }
}
