package import HarkWire

/// The question of a prompt, checked against the limits.
package struct PromptQuestion: Sendable, Equatable {
    package enum Kind: Sendable, Equatable {
        /// One of the options.
        case options([String])
        /// Any number of the options.
        case multiple([String])
        case text
        /// One of the options and, optionally, a text.
        case combined([String])
        /// A number from 1 to `scale`, the best.
        case rating(scale: Int)
        /// A question of another kind, as a document has it.
        case other(Question.Kind, ScaleEnds, OptionOrder?, document: JSONValue)
    }

    /// The ids of a question with several options, and of a rating; other kinds use those of `SurveyContent`.
    static let optionsId = "options"
    static let ratingId = "rating"
    static let otherId = "answer"

    /// The name under which answers are recorded and counted.
    package let name: String
    package let title: String
    package let message: String
    package let kind: Kind
    /// The answers that count if no person answers in time.
    package let fallback: Answers

    /// - Parameter fallback: an answer to the question: a text, an option, several options, or a number.
    /// - Throws: an error when something is too long, too much or not an answer; paths are parameters of `prompt.ask`.
    package init(
        name: String, title: String, message: String = "", kind: Kind, fallback: JSONValue? = nil
    ) throws(WireError) {
        try PromptQuestion.check(name, "name", PromptLimits.nameBytes)
        try PromptQuestion.check(title, "question", PromptLimits.questionBytes)
        if !message.isEmpty { try PromptQuestion.check(message, "message", PromptLimits.messageBytes) }
        try PromptQuestion.check(kind)
        self.name = name
        self.title = title
        self.message = message
        self.kind = kind
        guard let fallback, !fallback.isNull else {
            self.fallback = Answers()
            return
        }
        // An empty text cannot be answered, but may be the default of a text question: it means no answer.
        if kind == .text, fallback.stringValue?.isEmpty == true {
            var empty = Answers()
            empty[SurveyContent.textId] = .text("")
            self.fallback = empty
            return
        }
        let questionnaire = Questionnaire(PromptQuestion.questions(kind))
        let path = "default"
        self.fallback = try questionnaire.accept([(questionnaire.questions[0].id, fallback)]) { _ in path }
        guard !self.fallback.isEmpty else {
            throw WireError(.invalidParams, "'\(path)' must be an answer to the question", path: path)
        }
    }

    /// The content that a person sees.
    package var content: SurveyContent {
        let type: ResponseType =
            switch kind {
            case .options: .options
            case .text: .text
            case .combined: .combined
            case .multiple, .rating, .other: .questions
            }
        return SurveyContent(
            title: title, message: message, responseType: type,
            questionnaire: Questionnaire(PromptQuestion.questions(kind)))
    }

    private static func questions(_ kind: Kind) -> [Question] {
        func choices(_ options: [String]) -> [Question.Choice] { options.map { Question.Choice($0) } }
        let text = Question.Kind.text(Question.TextField(maxLength: PromptLimits.textLength))
        return switch kind {
        case .options(let options): [Question(id: SurveyContent.optionId, kind: .single(choices(options)))]
        case .multiple(let options):
            [Question(id: optionsId, kind: .multiple(choices(options), 1...max(options.count, 1)))]
        case .text: [Question(id: SurveyContent.textId, kind: text)]
        case .combined(let options):
            [
                Question(id: SurveyContent.optionId, kind: .single(choices(options))),
                Question(id: SurveyContent.textId, kind: text, isRequired: false),
            ]
        case .rating(let scale): [Question(id: ratingId, kind: .rating(Question.Rating(scale: scale)))]
        case .other(let kind, let ends, let order, _): questions(kind, ends, order)
        }
    }

    private static func questions(_ kind: Question.Kind, _ ends: ScaleEnds, _ order: OptionOrder?) -> [Question] {
        var question = Question(id: otherId, kind: kind, ends: ends)
        question.order = order
        return [question].withOthers
    }

    private static func check(_ text: String, _ member: String, _ most: Int) throws(WireError) {
        guard !text.trimmed.isEmpty else {
            throw WireError(.invalidParams, "'\(member)' must not be empty", path: member)
        }
        guard text.utf8.count <= most else {
            throw WireError(
                .tooLarge, "'\(member)' has at most \(most) bytes of UTF-8, this one has \(text.utf8.count)",
                path: member)
        }
    }

    private static func check(_ kind: Kind) throws(WireError) {
        switch kind {
        case .options(let options), .multiple(let options), .combined(let options): try check(options)
        case .rating(let scale):
            guard PromptLimits.scales.contains(scale) else {
                throw WireError(.invalidParams, "a scale ends at 2 to 10", path: "scale")
            }
        case .text, .other: break
        }
    }

    /// Reads a question of another kind: the members that it has in a document, without id and question.
    ///
    /// - Throws: the first fault, with the path of the member.
    package static func other(_ document: JSONValue) throws(WireError) -> Kind {
        let path = "kind"
        let issues = IssueCollector()
        guard document.description.utf8.count <= PromptLimits.kindBytes else {
            throw WireError(.tooLarge, "'\(path)' has at most \(PromptLimits.kindBytes) bytes", path: path)
        }
        let read = Question.read(kind: document, path: path, issues: issues)
        if let fault = issues.issues.errors.first {
            throw WireError(.invalidParams, "'\(fault.path)' \(fault.message)", path: fault.path)
        }
        // A misspelt member would ask another question than the program meant.
        if let warning = issues.issues.warnings.first {
            throw WireError(.invalidParams, "\(warning.message)", path: warning.path)
        }
        if read?.kind.hasImages == true {
            throw WireError(.invalidParams, "only options of surveys and forms have images", path: path)
        }
        guard let read, read.kind != .note else {
            throw WireError(.invalidParams, "a note cannot be answered; give a question of another type", path: path)
        }
        return .other(read.kind, read.ends, read.order, document: document)
    }

    private static func check(_ options: [String]) throws(WireError) {
        let path = "options"
        guard !options.isEmpty else { throw WireError(.invalidParams, "at least one option is needed", path: path) }
        guard options.count <= PromptLimits.options else {
            throw WireError(
                .tooLarge, "a question has at most \(PromptLimits.options) options, this one has \(options.count)",
                path: path)
        }
        var seen: Set<ExactName> = []
        for (place, option) in options.enumerated() {
            let path = "\(path)[\(place)]"
            guard !option.isEmpty, option.trimmed.hasSameBytes(as: option) else {
                throw WireError(
                    .invalidParams, "an option must not be empty, nor begin or end with white space", path: path)
            }
            guard option.utf8.count <= PromptLimits.optionBytes else {
                throw WireError(
                    .tooLarge, "an option has at most \(PromptLimits.optionBytes) bytes of UTF-8", path: path)
            }
            guard !option.hasDoubleBar, !option.hasLineEnd else {
                throw WireError(.invalidParams, "an option must not hold '||' or a line end", path: path)
            }
            guard seen.insert(ExactName(option)).inserted else {
                throw WireError(.invalidParams, "the option '\(option)' is there twice", path: path)
            }
        }
    }
}

/// The limits of prompts.
package enum PromptLimits {
    package static let nameBytes = 128
    package static let questionBytes = 1_024
    package static let messageBytes = 4_096
    package static let options = 50
    package static let optionBytes = 256
    /// The most bytes of JSON of a question's kind.
    package static let kindBytes = 16_384
    /// The longest text answer, in characters.
    package static let textLength = 4_000
    package static let scales = 2...10
    /// The greatest number of accounts asked at once.
    package static let accounts = 16
    /// The greatest number of open prompts for one account, and for all together.
    package static let openPerUser = 100
    package static let open = 2_000
    /// The number of closed prompts kept per account, the latest ones, so that their answers can be read.
    package static let closedPerUser = 500
}
