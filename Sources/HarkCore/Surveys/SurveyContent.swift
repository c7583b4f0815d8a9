package import HarkWire

/// The content of a survey, as a person sees it.
package struct SurveyContent: Sendable, Equatable {
    /// The kind of answer, which also gives the form of `survey_response`.
    package typealias ResponseType = HarkWire.ResponseType

    /// The ids of the questions in response types of one or two questions.
    package static let optionId = "option"
    package static let textId = "text"

    package var title: String
    package var message: String
    package let responseType: ResponseType
    package var submitLabel: String?
    package var thanks: SurveyThanks?
    package var questionnaire: Questionnaire
    package var translations: [SurveyTranslation]
    /// Wordings; each user gets one of them.
    package var variants: [SurveyVariant] = []
    /// Whether its texts have places for values (`PipedText`).
    package var isPiped = false

    package init(
        title: String, message: String, responseType: ResponseType, submitLabel: String? = nil,
        thanks: SurveyThanks? = nil, questionnaire: Questionnaire, translations: [SurveyTranslation] = []
    ) {
        self.title = title
        self.message = message
        self.responseType = responseType
        self.submitLabel = submitLabel
        self.thanks = thanks
        self.questionnaire = questionnaire
        self.translations = translations
    }

    /// Writes the content as members of an object that the caller has opened.
    package func writeMembers(to json: inout JSONWriter) {
        json.key("title")
        json.string(title)
        json.key("message")
        json.string(message)
        json.key("responseType")
        json.string(responseType.rawValue)
        if isPiped {
            json.key("piping")
            json.bool(true)
        }
        if let submitLabel {
            json.key("submitLabel")
            json.string(submitLabel)
        }
        if let thanks {
            json.key("thanks")
            thanks.write(to: &json)
        }
        writeResponse(to: &json)
        json.key("questions")
        json.beginArray()
        for question in questionnaire.questions { question.write(to: &json) }
        json.endArray()
    }
}
