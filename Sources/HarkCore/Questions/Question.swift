package import HarkWire

/// One question, of a survey or a form.
///
/// It knows what may be answered. Where it leads to is the business of the `Questionnaire` it belongs to.
package struct Question: Sendable, Equatable {
    /// Names the question among those it is asked with.
    package let id: String
    /// The id as the document has it, where it has a number there: a server gets its own ids back.
    package let numericId: Int64?
    /// What is asked; empty when the survey's own message asks it.
    package var prompt: String
    package var kind: Kind
    /// Whether it can be passed over.
    package var isRequired: Bool
    /// Where to go on, tried in order; with none that fits, the next question follows.
    package var branches: [Branch]

    package init(
        id: String, numericId: Int64? = nil, prompt: String = "", kind: Kind, isRequired: Bool = true,
        branches: [Branch] = []
    ) {
        self.id = id
        self.numericId = numericId
        self.prompt = prompt
        self.kind = kind
        self.isRequired = isRequired
        self.branches = branches
    }

    package enum Kind: Sendable, Equatable {
        /// One of the choices.
        case single([Choice])
        /// So many of the choices, from the fewest to the most.
        case multiple([Choice], ClosedRange<Int>)
        case text(TextField)
        case rating(Rating)
        /// "How likely are you to recommend …", 0 to 10.
        case nps

        package var type: QuestionType {
            switch self {
            case .single: .single
            case .multiple: .multiple
            case .text: .text
            case .rating: .rating
            case .nps: .nps
            }
        }
    }

    /// Something to choose: the value that is recorded, and how it is shown to this person.
    package struct Choice: Sendable, Equatable {
        package let value: String
        package var label: String
        /// A picture beside it, where the document gives one.
        package var emoji: String?

        package init(_ value: String, label: String? = nil, emoji: String? = nil) {
            self.value = value
            self.label = label ?? value
            self.emoji = emoji
        }
    }

    package struct TextField: Sendable, Equatable {
        package var placeholder: String?
        /// Bounds of the trimmed text in characters as a person sees them (grapheme clusters).
        package var minLength: Int?
        package var maxLength: Int?

        package init(placeholder: String? = nil, minLength: Int? = nil, maxLength: Int? = nil) {
            self.placeholder = placeholder
            self.minLength = minLength
            self.maxLength = maxLength
        }
    }

    package struct Rating: Sendable, Equatable {
        /// The best rating; the worst is 1.
        package var scale: Int
        /// A word for each rating, or none at all.
        package var labels: [String]
        package var showsEmoji: Bool

        package init(scale: Int = 5, labels: [String] = [], showsEmoji: Bool = true) {
            self.scale = scale
            self.labels = labels
            self.showsEmoji = showsEmoji
        }
    }

    /// One way on from a question.
    package struct Branch: Sendable, Equatable {
        /// Looks at the answer (a text, a number or a list of texts); nil fits always.
        package let condition: Matcher?
        package let target: Target

        package init(_ condition: Matcher?, to target: Target) {
            self.condition = condition
            self.target = target
        }
    }

    package enum Target: Sendable, Equatable {
        case question(String)
        case end
    }
}

extension Question {
    /// Everything that can be answered, as text; nil where that is without end.
    var possibleAnswers: [String]? {
        switch kind {
        case .single(let choices), .multiple(let choices, _): choices.map(\.value)
        case .rating(let rating): (1...rating.scale).map(String.init)
        case .nps: (0...10).map(String.init)
        case .text: nil
        }
    }
}
