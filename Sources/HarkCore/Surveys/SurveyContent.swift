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
    /// Whether its texts have placeholders for values (`PipedText`).
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

    package var info: SurveyContentInfo {
        var info = SurveyContentInfo()
        info.title = title
        info.message = message
        info.responseType = responseType.rawValue
        info.piping = isPiped ? true : nil
        info.submitLabel = submitLabel
        info.thanks = thanks?.info
        info.response = response
        info.questions = questionnaire.questions.map { $0.info() }
        return info
    }
}
