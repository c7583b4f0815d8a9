import HarkClient
import HarkWire

/// One column of the table of answers: what it is called, what it is, and what stands in it.
struct AnswerColumn {
    enum Kind: Equatable {
        case text
        /// An id, or one of few words.
        case word
        /// In UTC with a Z, as ISO 8601 has it.
        case time
        case number
        case integer
        /// 1: it was chosen, 0: it was not.
        case flag
        /// One of the choices of the question at a place, as they are numbered from 1 in a codebook.
        case choice(Int)
        /// A number that answers the question at a place.
        case score(Int)
    }

    let name: String
    let meaning: String
    let kind: Kind
    /// Which question it is of; nil: of the showing.
    var question: Int?
    /// Whether an answer stands in it, and no time of it.
    var isAnswer = false
    /// Text for a table; empty where there is nothing.
    let value: @Sendable (AnswerRow) -> String
    /// Whether others have written what stands in it.
    var isTextOfOthers = false

    /// All columns of a survey. They come from what was asked, so an answer that nobody gave has its column, and the same survey has
    /// the same ones tomorrow.
    ///
    /// - Parameter withVersions: also which answers are in the place of which.
    static func all(of survey: SurveyVersions, withVersions: Bool = false) -> [AnswerColumn] {
        var columns = fixed(survey.id)
        if withVersions { columns += versions }
        for (place, question) in survey.questions.enumerated() { columns += answers(place, question) }
        for (place, question) in survey.questions.enumerated() {
            columns += [
                AnswerColumn(
                    name: "\(question.id).seconds",
                    meaning: "how long '\(question.id)' was before the person, in seconds",
                    kind: .number, question: place, value: { text($0.items[place].seconds) }),
                AnswerColumn(
                    name: "\(question.id).changes", meaning: "how often the answer to '\(question.id)' was changed",
                    kind: .integer, question: place, value: { text($0.items[place].changes) }),
            ]
        }
        var names = UniqueNames()
        return columns.map { $0.named(names.add($0.name)) }
    }

    private static let versions = [
        AnswerColumn(
            name: "revises", meaning: "the showing whose answers these are in the place of", kind: .word,
            value: { text($0.revises) }),
        AnswerColumn(
            name: "revised_by", meaning: "the showing whose answers are in the place of these", kind: .word,
            value: { text($0.revisedBy) }),
    ]

    private func named(_ name: String) -> AnswerColumn {
        AnswerColumn(
            name: name, meaning: meaning, kind: kind, question: question, isAnswer: isAnswer, value: value,
            isTextOfOthers: isTextOfOthers)
    }

    private static func fixed(_ survey: String) -> [AnswerColumn] {
        func column(
            _ name: String, _ kind: Kind, _ meaning: String, _ value: @escaping @Sendable (AnswerRow) -> String
        ) -> AnswerColumn {
            AnswerColumn(name: name, meaning: meaning, kind: kind, value: value, isTextOfOthers: kind == .text)
        }
        return [
            column("showing", .word, "the id of the showing") { text($0.id) },
            column("survey", .word, "the id of the survey") { _ in survey },
            column("version", .word, "which version of the survey was shown; empty: none was") { $0.version ?? "" },
            column(
                "state", .word, "what became of it: \(PresentationState.allCases.map(\.word).joined(separator: ", "))"
            ) {
                text($0.state)
            },
            column("reason", .text, "why it was cancelled") { text($0.reason) },
            column("participant", .text, "the user; empty: anonymous") { text($0.user) },
            column("app", .text, "in which application") { text($0.app) },
            column("session", .word, "the id of the session it belongs to") { text($0.session) },
            column("machine", .text, "on a hub: the machine") { text($0.machine) },
            column("group", .text, "on a hub: the machine's group") { text($0.group) },
            column("planned", .time, "when it was to be ready") { text($0.planned) },
            column("notified", .time, "when its first notification came up") { text($0.notified) },
            column("reminders", .integer, "how often the person was told of it again") { text($0.reminders) },
            column("last_reminder", .time, "when last") { text($0.lastReminder) },
            column("opened", .time, "when its questions were first before the person") { text($0.opened) },
            column("first_answer", .time, "when the first question was answered") { text($0.firstAnswer) },
            column("answered", .time, "when all was answered") { text($0.answered) },
            column("closed", .time, "when it ended") { text($0.closed) },
            column(
                "surface", .word,
                "where it was shown or answered: \(Surface.allCases.map(\.rawValue).joined(separator: ", "))"
            ) { text($0.surface) },
            column("locale", .word, "the language that was asked for") { text($0.language) },
            column("zone", .word, "the machine's time zone then") { text($0.zone) },
            column("utc_offset", .integer, "how far its clocks were ahead of UTC, in minutes") { text($0.offset) },
            column("local_time", .word, "what its clocks showed when it was opened, or came") { $0.localTime },
            column("latency_seconds", .number, "from the notification until it was opened") { $0.latency },
            column("seconds", .number, "how long its questions were before the person, the machine awake") {
                text($0.seconds)
            },
            column("properties", .text, "properties of the event that brought it about, as JSON") {
                text($0.properties)
            },
        ]
    }

    private static func answers(_ place: Int, _ question: AskedQuestion) -> [AnswerColumn] {
        let kind: Kind = question.isNumber ? .score(place) : question.isChoice ? .choice(place) : .text
        var columns = [
            AnswerColumn(
                name: question.id, meaning: question.prompt, kind: kind, question: place, isAnswer: true,
                value: { row in
                    guard let answer = row.items[place].answer else { return "" }
                    return answer.isArray ? answer.elements.map { text($0) }.joined(separator: ";") : text(answer)
                }, isTextOfOthers: true)
        ]
        guard question.isMultiple else { return columns }
        for choice in question.choices {
            let value = Array(choice.value.utf8)
            columns.append(
                AnswerColumn(
                    name: "\(question.id).\(choice.value)",
                    meaning: "\(question.prompt): \(choice.labels.first ?? choice.value)", kind: .flag, question: place,
                    isAnswer: true,
                    value: { row in
                        guard let answer = row.items[place].answer else { return "" }
                        let given = answer.isArray ? answer.elements : [answer]
                        return given.contains { $0.stringBytes?.elementsEqual(value) ?? false } ? "1" : "0"
                    }))
        }
        return columns
    }

    private static func text(_ value: JSONText?) -> String {
        guard let value, !value.isNull else { return "" }
        return value.string ?? value.text
    }
}

/// Names no two of which are the same; one that is taken gets a number.
struct UniqueNames {
    private var taken: Set<String> = []
    private let ignoresCase: Bool

    init(ignoringCase: Bool = false) { ignoresCase = ignoringCase }

    /// - Parameter most: so many bytes has a name at most.
    mutating func add(_ name: String, most: Int = .max) -> String {
        var (found, number) = (name, 1)
        while !taken.insert(ignoresCase ? found.lowercased() : found).inserted {
            number += 1
            let end = "_\(number)"
            found = (name.utf8.count + end.utf8.count > most ? name.cut(atBytes: most - end.utf8.count) : name) + end
        }
        return found
    }
}

extension String {
    /// The beginning of at most so many bytes, cut at a character.
    func cut(atBytes most: Int) -> String {
        guard utf8.count > most else { return self }
        var (result, count) = ("", 0)
        for character in self {
            count += character.utf8.count
            if count > most { break }
            result.append(character)
        }
        return result
    }
}
