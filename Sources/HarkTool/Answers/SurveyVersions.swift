import HarkClient
import HarkWire

/// The questions of all versions of a survey: those of the current version first, then of the latest.
struct SurveyVersions {
    /// One version of the survey, as it was shown.
    struct Version {
        let name: String
        var count: Int64
        var first: String
        var last: String
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

    /// - Parameter filters: Writes the params that select showings.
    init(_ id: String, _ connection: inout Connection, _ filters: (inout JSONWriter) -> Void) throws {
        var pages: [JSONText] = []
        var after: String?
        repeat {
            let page = try connection.call(.surveyDefinitions) { params in
                params.member(.survey, id)
                filters(&params)
                params.member(.after, after)
            }
            pages.append(page)
            after = page.member("next")?.string
        } while after != nil
        self.init(id, pages)
    }

    /// - Parameter pages: Replies of `survey.definitions`.
    init(_ id: String, _ pages: [JSONText]) {
        self.id = id
        var shown: [String: (version: Version, content: JSONText)] = [:]
        for definition in pages.flatMap({ $0.member("definitions")?.elements ?? [] }) {
            guard let version = Version(definition), let content = definition.member("shown") else { continue }
            if var known = shown[version.name]?.version {
                known.add(version)
                shown[version.name]?.version = known
            } else {
                shown[version.name] = (version, content)
            }
        }
        if let current = pages.first?.member("current"), current.isObject { take(current) }
        // The daemon's times sort as texts. A translation comes after its original.
        let order = shown.values.sorted {
            ($0.version.locale == nil ? 1 : 0, $0.version.last, $0.version.name)
                > ($1.version.locale == nil ? 1 : 0, $1.version.last, $1.version.name)
        }
        for (_, content) in order { take(content) }
        versions = order.map(\.version).sorted { ($0.last, $0.name) > ($1.last, $1.name) }
        for (place, version) in versions.enumerated() { places[version.name] = place }
    }

    private mutating func take(_ content: JSONText) {
        if title.isEmpty { title = content.member("title")?.string ?? "" }
        let message = content.member("message")?.string ?? ""
        for question in content.member("questions")?.elements ?? [] {
            guard let id = question.member("id")?.string else { continue }
            if let place = questions.firstIndex(where: { $0.id.utf8.elementsEqual(id.utf8) }) {
                questions[place].add(question, else: message)
            } else {
                questions.append(AskedQuestion(id, question, else: message))
            }
        }
    }
}

extension SurveyVersions.Version {
    fileprivate init?(_ definition: JSONText) {
        guard let name = definition.member("version")?.string, let shown = definition.member("shown") else {
            return nil
        }
        self.name = name
        count = definition.member("count")?.int ?? 0
        first = definition.member("firstAt")?.string ?? ""
        last = definition.member("lastAt")?.string ?? ""
        title = shown.member("title")?.string ?? ""
        locale = shown.member("locale")?.string
        isOneSheet = shown.member("responseType")?.string != ResponseType.questions.rawValue
        questions = Set((shown.member("questions")?.elements ?? []).compactMap { $0.member("id")?.string })
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
    }

    let id: String
    /// The current type, or the last one.
    let type: QuestionType
    let isRequired: Bool
    /// The types of the question across its versions.
    private var types: Set<QuestionType> = []
    private(set) var prompts: [String] = []
    private(set) var choices: [Choice] = []
    /// The range of numeric answers.
    private(set) var range = 1...1

    /// - Parameter message: The prompt to use if the question has none.
    fileprivate init(_ id: String, _ question: JSONText, else message: String) {
        self.id = id
        type = question.member("type")?.string.flatMap(QuestionType.init(rawValue:)) ?? .text
        isRequired = question.member("required")?.bool ?? false
        add(question, else: message)
    }

    fileprivate mutating func add(_ question: JSONText, else message: String) {
        let own = question.member("question")?.string ?? ""
        let prompt = own.isEmpty ? message : own
        if !prompts.contains(where: { $0.utf8.elementsEqual(prompt.utf8) }) { prompts.append(prompt) }
        let type = question.member("type")?.string.flatMap(QuestionType.init(rawValue:)) ?? .text
        types.insert(type)
        if type == .nps { range = min(range.lowerBound, 0)...max(range.upperBound, 10) }
        if type == .rating {
            range = range.lowerBound...max(range.upperBound, Int(question.member("scale")?.int ?? 5))
            for (place, label) in (question.member("labels")?.elements ?? []).enumerated() {
                addChoice(String(place + 1), label.string ?? "")
            }
        }
        for option in question.member("options")?.elements ?? [] {
            let value = option.member("value")?.string ?? ""
            addChoice(value, option.member("label")?.string ?? value)
        }
    }

    private mutating func addChoice(_ value: String, _ label: String) {
        if let place = choices.firstIndex(where: { $0.value.utf8.elementsEqual(value.utf8) }) {
            if !choices[place].labels.contains(where: { $0.utf8.elementsEqual(label.utf8) }) {
                choices[place].labels.append(label)
            }
        } else {
            choices.append(Choice(value: value, labels: [label]))
        }
    }

    /// Whether at least one version allows several options.
    var isMultiple: Bool { types.contains(.multiple) }
    /// Whether every answer is a number (`isNumber`) or one of a few texts (`isChoice`).
    var isNumber: Bool { types.isSubset(of: [.rating, .nps]) }
    var isChoice: Bool { types == [.single] }
    var prompt: String { prompts.first ?? "" }
}
