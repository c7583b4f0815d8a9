internal import HarkWire

extension SurveyContent {
    /// Reads the members of a survey that a person sees: `questions`, or `response`, or the older `options`.
    static func read(_ survey: inout ObjectReader) -> SurveyContent? {
        let title = survey.text("title", isRequired: true)
        let message = survey.text("message", isRequired: true)
        let response = readResponse(&survey)
        let thanks = SurveyThanks.read(&survey)
        let isPiped = survey.flag("piping") ?? false
        guard let title, let message, let response else { return nil }
        var content = SurveyContent(
            title: title, message: message, responseType: response.type, submitLabel: response.submitLabel,
            thanks: thanks, questionnaire: response.questionnaire,
            translations: SurveyTranslation.read(&survey, of: response.questionnaire, type: response.form))
        content.isPiped = isPiped
        content.variants = SurveyVariant.read(
            &survey, of: response.questionnaire, type: response.form, translated: content.translations.map(\.locale))
        return content
    }

    private struct Response {
        var type: ResponseType
        var submitLabel: String?
        var questionnaire: Questionnaire
        /// The type whose members translations have; nil for `type`.
        var shortForm: ResponseType?
        var form: ResponseType { shortForm ?? type }
    }

    private static func readResponse(_ survey: inout ObjectReader) -> Response? {
        if survey.has("questions") {
            for other in ["response", "options"] where survey.has(other) {
                survey.issues.error(survey.path(other), "cannot be combined with 'questions'")
            }
            let submitLabel = survey.text("submitLabel")
            return Questionnaire.read("questions", in: &survey, hasValues: true).map {
                Response(type: .questions, submitLabel: submitLabel, questionnaire: $0)
            }
        }
        let hasOptions = survey.has("options")
        if survey.has("response") {
            // Then the older `options` does not count, even if it is valid.
            guard var response = survey.object("response") else { return nil }
            defer { response.finish() }
            return read(response: &response)
        }
        guard hasOptions else {
            survey.issues.error(survey.path, "one of the members 'response', 'options' and 'questions' is missing")
            return nil
        }
        return Question.readChoices(&survey).map {
            Response(type: .options, questionnaire: Questionnaire([.option($0, image: nil)]))
        }
    }

    private static func read(response: inout ObjectReader) -> Response? {
        switch response.text("type", isRequired: true) {
        case nil: return nil
        case "options":
            let image = Question.Image.read(&response)
            guard let named = Question.readChoices(&response, isRequired: true) else { return nil }
            let choices = Question.readOther(&response, named)
            let questions = [Question.option(choices, image: image, OptionOrder.read(&response))].withOthers
            guard questions.count > 1 else { return Response(type: .options, questionnaire: Questionnaire(questions)) }
            // One press cannot answer both the option and its text.
            let submitLabel = response.text("submitLabel")
            return Response(
                type: .questions, submitLabel: submitLabel, questionnaire: Questionnaire(questions), shortForm: .options
            )
        case "text":
            let submitLabel = response.text("submitLabel")
            let allowsEmpty = response.flag("allowEmpty") ?? false
            let question = Question(
                id: textId, kind: .text(.read(&response)), image: .read(&response), isRequired: !allowsEmpty)
            return Response(type: .text, submitLabel: submitLabel, questionnaire: Questionnaire([question]))
        case "combined":
            let submitLabel = response.text("submitLabel")
            let prompt = response.text("optionsLabel") ?? ""
            let image = Question.Image.read(&response)
            let choices = Question.readChoices(&response, isRequired: true)
            for value in (choices ?? []).map(\.value) where value.hasDoubleBar {
                response.issues.error(
                    response.path("options"), "'\(value)' holds '||', which parts option and text in the response")
            }
            let text = readTextField(&response)
            let order = OptionOrder.read(&response)
            return choices.map {
                let option = Question.option($0, prompt: prompt, image: image, order)
                return Response(
                    type: .combined, submitLabel: submitLabel,
                    questionnaire: Questionnaire([option] + (text.map { [$0] } ?? [])))
            }
        default:
            response.issues.error(response.path("type"), "must be options, text or combined")
            return nil
        }
    }

    private static func readTextField(_ response: inout ObjectReader) -> Question? {
        guard var field = response.object("textField") else { return nil }
        defer { field.finish() }
        return Question(
            id: textId, prompt: field.text("label") ?? "", kind: .text(.read(&field)),
            isRequired: field.flag("required") ?? false)
    }
}

extension Question {
    fileprivate static func option(
        _ choices: [Choice], prompt: String = "", image: Image?, _ order: OptionOrder? = nil
    ) -> Question {
        var question = Question(id: SurveyContent.optionId, prompt: prompt, kind: .single(choices), image: image)
        question.order = order
        return question
    }
}
