internal import HarkClient
internal import HarkWire

/// A survey being shown to a person. Answer it, dismiss it, or put it off.
public struct Survey: Sendable, Identifiable {
    /// A question of a survey.
    public struct Question: Sendable, Hashable, Identifiable {
        /// How a question is answered.
        public enum Kind: String, Sendable {
            /// One of the options: its `value`.
            case single
            /// Several of the options: an array of their values.
            case multiple
            /// A text.
            case text
            /// A number on a scale, whose ends and labels are in `details`.
            case rating
            /// The likelihood of a recommendation: 0 to 10 (net promoter score).
            case nps
            /// How satisfied a person is, from 1 to 5. The words are the `labels` in `details`.
            case csat
            /// How much a person agrees that something was easy, from 1 to 7.
            case ces
            /// A number between `min` and `max`, in steps of `step`; all are in `details`.
            case scale
            /// A number that is typed; its limits are in `details`.
            case number
            /// A date as text, such as `2026-01-31`; `min` and `max` in `details` bound it.
            case date
            /// A time of day as text, such as `14:30`.
            case time
            /// One of the two options: `yes` or `no`.
            case yesNo = "yes-no"
            /// Whether a person agrees to the text: `yes` or `no`. Its `version` is in `details`.
            case consent
            /// The values of the best options in an order; how many is `top` in `details`.
            case ranking
            /// A text to read, without an answer.
            case note
        }

        /// An image of a question or an option.
        public struct Image: Sendable, Hashable {
            /// The path of a file, which may be missing or no image.
            public let path: String
            /// A text that says what the image shows, for people who do not see it.
            public let alternativeText: String
        }

        /// A choice and its presentation.
        public struct Option: Sendable, Hashable {
            /// The value of the answer.
            public let value: Value
            /// The text to show.
            public let label: String
            /// An emoji for labels and numbers of ratings; nil for others.
            public let emoji: String?
            /// An image next to the label.
            public let image: Image?
        }

        /// Unique within the survey; answers refer to it.
        public let id: String
        /// Empty if the survey's message is the question.
        public let prompt: String
        /// How it is answered.
        public let kind: Kind
        /// Whether the survey cannot be completed without it.
        public let isRequired: Bool
        /// An image below the prompt.
        public let image: Image?
        /// The choices of `single`, `multiple`, `yesNo`, `consent` and `ranking`.
        public let options: [Option]
        /// The complete question from the daemon: limits, placeholder, scale and labels. A row of a matrix has `matrix`, with the
        /// `id` of the matrix and the `question` that it asks of all rows.
        public let details: [String: Value]
    }

    /// The id of this presentation; a UUID.
    public let id: String
    /// The survey's id in the configuration.
    public let surveyID: String
    /// The title, in the requested language if there is a translation.
    public let title: String
    /// The text below the title.
    public let message: String
    /// The user who is asked; nil if the session is anonymous.
    public let userID: String?
    /// The questions. A survey of choices has one question, `option`; one with a text also has `text`.
    public let questions: [Question]
    /// The complete presentation from the daemon.
    public let details: [String: Value]

    private let link: Link

    init?(_ json: JSONText, _ link: Link) {
        let told = PresentationInfo(json)
        guard told.presentationId != PresentationInfo().presentationId else { return nil }
        id = told.presentationId.description
        self.link = link
        surveyID = told.surveyId
        title = told.content?.title ?? ""
        message = told.content?.message ?? ""
        userID = told.userId
        questions = (QuestionTexts(json).questions?.json.elements ?? []).compactMap { Question($0) }
        details = Value(json).object ?? [:]
    }

    /// Answers a survey with choices, a text, or both.
    public func answer(option: String? = nil, text: String? = nil) async throws(HarkError) {
        var request = SurveyAnswer(id)
        (request.option, request.text) = (option, text)
        try await call(request)
    }

    /// Answers question by question.
    /// - Parameter isPartial: Whether these answers are kept and more will follow.
    public func answer(_ answers: [String: Value], isPartial: Bool = false) async throws(HarkError) {
        var request = SurveyAnswer(id)
        (request.answers, request.partial) = (AnyJSON(answers), isPartial ? true : nil)
        try await call(request)
    }

    /// Dismisses the survey: the person does not want to answer.
    public func dismiss() async throws(HarkError) { try await call(SurveyDismiss(id)) }

    /// Dismisses the survey for good: no app asks it again, unless `hark unmute` reverts that.
    public func dismissForever() async throws(HarkError) {
        var request = SurveyDismiss(id)
        request.scope = .ever
        try await call(request)
    }

    /// Puts the survey off by a number of seconds, from 1 to a year.
    public func snooze(seconds: Int) async throws(HarkError) {
        var request = SurveySnooze(id)
        request.seconds = Int64(seconds)
        try await call(request)
    }

    private func call(_ request: some WireMethod) async throws(HarkError) { _ = try await link.call(request) }
}

extension Survey.Question {
    init?(_ json: JSONText) {
        let told = QuestionInfo(json)
        guard !told.id.isEmpty, let kind = Kind(rawValue: told.type) else { return nil }
        id = told.id
        self.kind = kind
        prompt = told.question
        isRequired = told.required
        image = Image(told.image)
        options = (told.options ?? []).map { option in
            Option(
                value: .string(option.value), label: option.label.isEmpty ? option.value : option.label,
                emoji: option.emoji, image: Image(option.image))
        }
        details = Value(json).object ?? [:]
    }
}

extension Survey.Question.Image {
    init?(_ told: ImageInfo) {
        guard let path = told.image else { return nil }
        self.path = path
        alternativeText = told.alt ?? ""
    }
}
