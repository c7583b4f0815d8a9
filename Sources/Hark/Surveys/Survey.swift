internal import HarkClient
internal import HarkWire

/// A survey that is shown to somebody now; answer it, dismiss it, or put it off.
public struct Survey: Sendable, Identifiable {
    /// One thing that is asked.
    public struct Question: Sendable, Hashable, Identifiable {
        /// How it is answered.
        public enum Kind: String, Sendable {
            /// One of the options: its `value`.
            case single
            /// Some of the options: an array of their values.
            case multiple
            /// A text.
            case text
            /// A number of a scale, whose ends and labels are in `details`.
            case rating
            /// How likely one is to recommend it: 0 to 10 (net promoter score).
            case nps
        }

        /// A choice and how it is shown.
        public struct Option: Sendable, Hashable {
            /// What is given as the answer.
            public let value: Value
            /// What is shown for it.
            public let label: String
            /// A face for labels and numbers of ratings; nil for others.
            public let emoji: String?
        }

        /// Unique in its survey; answers go by it.
        public let id: String
        /// Empty where the survey's message asks already.
        public let prompt: String
        /// How it is answered.
        public let kind: Kind
        /// Whether the survey cannot be completed without it.
        public let isRequired: Bool
        /// The choices of `single` and `multiple`.
        public let options: [Option]
        /// All there is to know, as the daemon tells it: bounds, placeholder, scale and labels.
        public let details: [String: Value]
    }

    /// This showing; a UUID.
    public let id: String
    /// The survey's id in the configuration.
    public let surveyID: String
    /// Its heading, in the language asked for where there is a translation.
    public let title: String
    /// What is said below it.
    public let message: String
    /// Whom it asks; nil for nobody in particular.
    public let userID: String?
    /// What is asked. A survey of choices asks one question, `option`; one with a text asks `text`, too.
    public let questions: [Question]
    /// The whole presentation, as the daemon tells it.
    public let details: [String: Value]

    private let link: Link

    init?(_ json: JSONText, _ link: Link) {
        guard let id = json.member("presentationId")?.string else { return nil }
        self.id = id
        self.link = link
        surveyID = json.member("surveyId")?.string ?? ""
        title = json.member("title")?.string ?? ""
        message = json.member("message")?.string ?? ""
        userID = json.member("userId")?.string
        questions = (json.member("questions")?.elements ?? []).compactMap { Question($0) }
        details = Value(json).object ?? [:]
    }

    /// Answers a survey of choices, of text, or of both.
    public func answer(option: String? = nil, text: String? = nil) async throws(HarkError) {
        try await call(.surveyAnswer, place.with(.chosenOption, option).with(.writtenText, text))
    }

    /// Answers question by question.
    /// - Parameter isPartial: More will follow; these are kept.
    public func answer(_ answers: [String: Value], isPartial: Bool = false) async throws(HarkError) {
        try await call(.surveyAnswer, place.with(.surveyAnswers, answers).with(.isPartial, isPartial ? true : nil))
    }

    /// The person does not want to answer.
    public func dismiss() async throws(HarkError) { try await call(.surveyDismiss, place) }

    /// The person does not want to be asked it again, by any app; `hark unmute` takes that back.
    public func dismissForever() async throws(HarkError) {
        try await call(.surveyDismiss, place.with(.dismissalScope, DismissalScope.ever.rawValue))
    }

    /// Shows it again in so many seconds, from 1 to a year.
    public func snooze(seconds: Int) async throws(HarkError) {
        try await call(.surveySnooze, place.with(.snoozeSeconds, seconds))
    }

    private var place: RequestParams { RequestParams().with(.presentation, id) }

    private func call(_ method: MethodShape, _ params: RequestParams) async throws(HarkError) {
        _ = try await link.call(method, params)
    }
}

extension Survey.Question {
    init?(_ json: JSONText) {
        guard let id = json.member("id")?.string, let kind = json.member("type")?.string.flatMap(Kind.init) else {
            return nil
        }
        self.id = id
        self.kind = kind
        prompt = json.member("question")?.string ?? ""
        isRequired = json.member("required")?.bool ?? true
        options = (json.member("options")?.elements ?? []).compactMap { option in
            guard let value = option.member("value").map({ Value($0) }) else { return nil }
            return Option(
                value: value, label: option.member("label")?.string ?? value.string ?? value.description,
                emoji: option.member("emoji")?.string)
        }
        details = Value(json).object ?? [:]
    }
}
