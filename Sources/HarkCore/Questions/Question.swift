package import HarkPattern
package import HarkWire

/// A question of a survey or a form.
///
/// It defines its possible answers. Its `Questionnaire` decides which question follows.
package struct Question: Sendable, Equatable {
    /// The id, unique within the questionnaire.
    package let id: String
    /// The id as a number, if the document has a number: a server gets its own ids back.
    package let numericId: Int64?
    /// The text of the question; empty when the survey's own message asks it.
    package var prompt: String
    package var kind: Kind
    /// An image below the text.
    package var image: Image?
    /// The words at the ends of a rating or of `nps`.
    package var ends: ScaleEnds
    /// Whether an answer is required; other questions can be skipped.
    package var isRequired: Bool
    /// The branches, tried in order; if none matches, the next question follows.
    package var branches: [Branch]
    /// When it is asked; nil for always.
    package var when: QuestionCondition?
    /// Whether options are shown in an order that is drawn for each showing; nil: in their own order.
    package internal(set) var order: OptionOrder?
    /// The question whose option "Other" this text explains; nil for all other questions.
    package internal(set) var of: String?
    /// The matrix to which this row belongs; nil for all other questions.
    package internal(set) var matrix: Matrix?

    package init(
        id: String, numericId: Int64? = nil, prompt: String = "", kind: Kind, image: Image? = nil,
        ends: ScaleEnds = ScaleEnds(), isRequired: Bool = true, branches: [Branch] = []
    ) {
        self.id = id
        self.numericId = numericId
        self.prompt = prompt
        self.kind = kind
        self.image = image
        self.ends = ends
        self.isRequired = isRequired
        self.branches = branches
    }

    package enum Kind: Sendable, Equatable {
        /// One of the choices.
        case single([Choice])
        /// A number of choices within the range.
        case multiple([Choice], ClosedRange<Int>)
        /// One of the two choices `yes` and `no`.
        case yesNo([Choice])
        /// The same for consent to a text; `version` names the text.
        case consent([Choice], version: String?)
        /// The best choices, in an order.
        case ranking([Choice], top: Int)
        case text(TextField)
        case rating(Rating)
        /// "How likely are you to recommend …", 0 to 10.
        case nps
        case scale(Scale)
        case number(NumberRule)
        /// A date or a time of day.
        case moment(MomentRule)
        /// A text without an answer.
        case note

        package var type: QuestionType {
            switch self {
            case .single: .single
            case .multiple: .multiple
            case .yesNo: .yesNo
            case .consent: .consent
            case .ranking: .ranking
            case .text: .text
            case .rating(let rating): rating.preset?.type ?? .rating
            case .nps: .nps
            case .scale: .scale
            case .number: .number
            case .moment(let rule): rule.type
            case .note: .note
            }
        }

        /// The choices, if an answer is made of them.
        package var choices: [Choice]? {
            switch self {
            case .single(let choices), .multiple(let choices, _), .yesNo(let choices), .consent(let choices, _),
                .ranking(let choices, _):
                choices
            default: nil
            }
        }

        /// The kind with its choices changed; a kind without choices stays as it is.
        func changingChoices(_ change: ([Choice]) -> [Choice]) -> Kind {
            switch self {
            case .single(let choices): .single(change(choices))
            case .multiple(let choices, let count): .multiple(change(choices), count)
            case .yesNo(let choices): .yesNo(change(choices))
            case .consent(let choices, let version): .consent(change(choices), version: version)
            case .ranking(let choices, let top): .ranking(change(choices), top: top)
            default: self
            }
        }

        /// The rule for an answer that is a number; nil for other kinds.
        package var numbers: NumberRule? {
            switch self {
            case .rating(let rating): .whole(1...rating.scale)
            case .nps: .whole(0...10)
            case .scale(let scale): scale.rule
            case .number(let rule): rule
            default: nil
            }
        }

        /// Whether its options may be shown in another order.
        var hasOrder: Bool {
            switch self {
            case .single, .multiple, .ranking: true
            default: false
            }
        }

        /// The rule for an answer that is a date or a time; nil for other kinds.
        package var moments: MomentRule? { if case .moment(let rule) = self { rule } else { nil } }

        /// Whether it has two ends, which may have words.
        package var isScale: Bool {
            if case .number = self { false } else { numbers != nil }
        }
    }

    /// An option: the recorded value, and its label for this person.
    package struct Choice: Sendable, Equatable {
        package let value: String
        package var label: String
        /// The label in the document's own language.
        let ownLabel: String
        /// A picture next to the label, if the document has one.
        package var emoji: String?
        /// Whether choosing it excludes all others, such as "none of these".
        package var isExclusive = false
        /// Whether a text explains it.
        package internal(set) var isOther = false
        package var image: Image?

        package init(_ value: String, label: String? = nil, emoji: String? = nil, image: Image? = nil) {
            self.value = value
            self.label = label ?? value
            ownLabel = label ?? value
            self.emoji = emoji
            self.image = image
        }
    }

    package struct TextField: Sendable, Equatable {
        package var placeholder: String?
        /// The length limits of the trimmed text, in characters as a person sees them (grapheme clusters).
        package var minLength: Int?
        package var maxLength: Int?
        /// The form that the trimmed text must have.
        package var pattern: AnswerPattern?
        /// The message to a person whose text has another form; nil for a sentence of Hark's.
        package var patternMessage: String?

        package init(
            placeholder: String? = nil, minLength: Int? = nil, maxLength: Int? = nil, pattern: AnswerPattern? = nil,
            patternMessage: String? = nil
        ) {
            self.placeholder = placeholder
            self.minLength = minLength
            self.maxLength = maxLength
            self.pattern = pattern
            self.patternMessage = patternMessage
        }
    }

    package struct Rating: Sendable, Equatable {
        /// The best rating; the worst is 1.
        package var scale: Int
        /// A label for each rating, or no labels.
        package var labels: [String]
        package var shape: ScaleShape
        /// The standard rating that it is, if any.
        package var preset: RatingPreset?

        package init(
            scale: Int = 5, labels: [String] = [], shape: ScaleShape = .faces, preset: RatingPreset? = nil
        ) {
            self.scale = scale
            self.labels = labels
            self.shape = shape
            self.preset = preset
        }
    }

    /// A branch from a question to a target.
    package struct Branch: Sendable, Equatable {
        /// The condition on the answer (a text, a number or a list of texts); nil always matches.
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
    /// The most numbers that results list even without answers.
    private static let mostListed = 11

    /// All possible answers as text; nil if they cannot be listed.
    var possibleAnswers: [String]? {
        kind.choices?.map(\.value) ?? kind.numbers?.listed(most: Self.mostListed)?.map(\.description)
    }
}
