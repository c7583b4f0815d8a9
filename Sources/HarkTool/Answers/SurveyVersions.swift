import HarkAsking
import HarkClient
import HarkWire

/// The questions of all versions of a survey: those of the current version first, then of the latest.
struct SurveyVersions {
    /// One version of the survey, as it was shown.
    struct Version {
        let name: String
        var count: Int64
        var first: Timestamp
        var last: Timestamp
        let title: String
        /// The language of the translation; nil if this is not one.
        let locale: String?
        /// Whether all questions are shown on one page.
        let isOneSheet: Bool
        let questions: Set<String>
    }

    let id: String
    private(set) var title = ""
    private(set) var questions: [AskedQuestion] = []
    /// The versions, most recently shown first.
    private(set) var versions: [Version] = []
    private(set) var places: [String: Int] = [:]

    /// - Parameter request: Selects showings.
    init(_ request: SurveyDefinitions, _ connection: inout Connection) throws {
        var pages: [DefinitionPage] = []
        try connection.pages(request) { reply in
            pages.append(reply.value)
            return true
        }
        self.init(request.surveyId, pages)
    }

    /// - Parameter pages: Replies of `survey.definitions`.
    init(_ id: String, _ pages: [DefinitionPage]) {
        self.id = id
        var shown: [String: (version: Version, content: SurveyContentInfo)] = [:]
        for definition in pages.flatMap(\.definitions) {
            let content = SurveyContentInfo(definition.shown.json)
            let version = Version(definition, content)
            if var known = shown[version.name]?.version {
                known.add(version)
                shown[version.name]?.version = known
            } else {
                shown[version.name] = (version, content)
            }
        }
        if let current = pages.first?.current { take(SurveyContentInfo(current.json)) }
        // A translation comes after its original.
        let order = shown.values.sorted {
            ($0.version.locale == nil ? 1 : 0, $0.version.last, $0.version.name)
                > ($1.version.locale == nil ? 1 : 0, $1.version.last, $1.version.name)
        }
        for (_, content) in order { take(content) }
        versions = order.map(\.version).sorted { ($0.last, $0.name) > ($1.last, $1.name) }
        for (place, version) in versions.enumerated() { places[version.name] = place }
    }

    private mutating func take(_ content: SurveyContentInfo) {
        if title.isEmpty { title = content.title }
        for question in content.questions where question.type != QuestionType.note.rawValue {
            if let place = questions.firstIndex(where: { $0.id.utf8.elementsEqual(question.id.utf8) }) {
                questions[place].add(question, else: content.message)
            } else {
                // An "Other" is described with its question, and a row with its matrix.
                let of = question.of
                let parent = of.flatMap { of in questions.first { $0.id.utf8.elementsEqual(of.utf8) } }?.prompts.first
                questions.append(
                    AskedQuestion(question, else: content.message, of: parent ?? question.matrix?.question))
            }
        }
    }
}

extension SurveyVersions.Version {
    fileprivate init(_ definition: SurveyDefinition, _ shown: SurveyContentInfo) {
        name = definition.version
        count = definition.count
        first = definition.firstAt
        last = definition.lastAt
        title = shown.title
        locale = shown.locale
        isOneSheet = shown.responseType != ResponseType.questions.rawValue
        questions = Set(shown.questions.map(\.id))
    }

    fileprivate mutating func add(_ other: Self) {
        count += other.count
        first = min(first, other.first)
        last = max(last, other.last)
    }
}

/// A question across all versions of a survey.
struct AskedQuestion {
    /// A possible answer, with all labels it was shown with, the current one first.
    struct Choice {
        let value: String
        var labels: [String]
        /// Whether a text of its own says what is meant by it.
        var isOther = false
    }

    let id: String
    /// The current type, or the last one.
    let type: QuestionType
    let isRequired: Bool
    private let parent: String?
    /// The types of the question across its versions.
    private var types: Set<QuestionType> = []
    private(set) var prompts: [String] = []
    private(set) var choices: [Choice] = []
    /// The range of numeric answers.
    private(set) var range = 1...1
    /// Whether each numeric answer is whole, and none can be one of the codes for a missing answer.
    private(set) var isWhole = true
    private(set) var leavesCodesFree = true
    private(set) var unit: String?
    /// Whether at least one version shows options in an order by chance.
    private(set) var isShuffled = false
    /// When it is asked, in the current version; nil for always.
    let condition: String?
    /// The limits of measured numbers in the current version, or in the last that had any.
    private var limits: (min: ExactNumber?, max: ExactNumber?) = (nil, nil)

    /// - Parameters:
    ///   - message: The prompt to use if the question has none.
    ///   - parent: The prompt of the question with the "Other" whose text this is, or of the matrix with this row; nil
    ///     for all others.
    fileprivate init(_ question: QuestionInfo, else message: String, of parent: String? = nil) {
        id = question.id
        self.parent = parent
        type = QuestionType(rawValue: question.type) ?? .text
        isRequired = question.required
        condition = question.when
        add(question, else: message)
    }

    fileprivate mutating func add(_ question: QuestionInfo, else message: String) {
        let prompt = question.question.isEmpty ? message : question.question
        if !prompts.contains(where: { $0.utf8.elementsEqual(prompt.utf8) }) { prompts.append(prompt) }
        let type = QuestionType(rawValue: question.type) ?? .text
        types.insert(type)
        isShuffled = isShuffled || question.shuffle != nil
        if type == .nps { range = min(range.lowerBound, 0)...max(range.upperBound, 10) }
        if type == .scale || type == .number { addNumbers(question) }
        if [.rating, .csat, .ces].contains(type) {
            range = range.lowerBound...max(range.upperBound, Int(question.scale ?? 5))
            for (place, label) in (question.labels?.json.elements ?? []).enumerated() {
                addChoice(String(place + 1), label.string ?? "")
            }
        }
        for option in question.options ?? [] {
            addChoice(
                option.value, option.label.isEmpty ? option.value : option.label, isOther: option.other ?? false)
        }
    }

    private mutating func addNumbers(_ question: QuestionInfo) {
        func number(_ value: AnyJSON?) -> ExactNumber? { value?.json.answer.flatMap { ExactNumber($0) } }
        let (min, max) = (number(question.min), number(question.max))
        isWhole = isWhole && number(question.step)?.isWhole == true && min?.isWhole != false
        leavesCodesFree = leavesCodesFree && min.map { $0 > -77 } == true
        unit = unit ?? question.unit
        if limits.min == nil, limits.max == nil { limits = (min, max) }
        question.labels?.json.forEachMember { key, label in
            addChoice(String(decoding: key, as: UTF8.self), label.string ?? "")
            return true
        }
    }

    private mutating func addChoice(_ value: String, _ label: String, isOther: Bool = false) {
        if let place = choices.firstIndex(where: { $0.value.utf8.elementsEqual(value.utf8) }) {
            if !choices[place].labels.contains(where: { $0.utf8.elementsEqual(label.utf8) }) {
                choices[place].labels.append(label)
            }
        } else {
            choices.append(Choice(value: value, labels: [label], isOther: isOther))
        }
    }

    /// Whether at least one version allows several options.
    var isMultiple: Bool { types.contains(.multiple) }
    /// Whether every answer is a number (`isNumber`) or one of a few texts (`isChoice`).
    var isNumber: Bool { types.isSubset(of: [.rating, .nps, .csat, .ces, .scale, .number]) }
    var isChoice: Bool { types.isSubset(of: [.single, .yesNo, .consent]) }
    /// Whether at least one version has options put in order.
    var isRanking: Bool { types.contains(.ranking) }
    /// Whether every answer is of one type.
    func isAlways(_ type: QuestionType) -> Bool { types == [type] }
    /// Whether numbers are measured rather than chosen.
    var isMeasure: Bool { !types.isDisjoint(with: [.scale, .number]) }
    /// Between what numbers answers lie, as a sentence; nil if there is nothing to tell.
    var span: String? {
        guard isMeasure else { return isNumber ? "From \(range.lowerBound) to \(range.upperBound)." : nil }
        switch limits {
        case (let min?, let max?): return "From \(min) to \(max)."
        case (let min?, nil): return "At least \(min)."
        case (nil, let max?): return "At most \(max)."
        case (nil, nil): return nil
        }
    }
    /// The question, with the unit of the answer.
    var prompt: String {
        (parent.map { "\($0): " } ?? "") + (prompts.first ?? "") + (unit.map { " [\($0)]" } ?? "")
    }
}
