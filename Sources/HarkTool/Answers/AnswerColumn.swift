import HarkClient
import HarkWire

/// One column of the table of answers: its name, its kind and its content.
struct AnswerColumn {
    enum Kind: Equatable {
        case text
        /// An id, or one of few words.
        case word
        /// In UTC with a Z, as ISO 8601 has it.
        case time
        /// An answer that is a date, and one that is a time of day.
        case date, clock
        case number
        case integer
        /// 1: it was chosen, 0: it was not.
        case flag
        /// One of the choices of the question at a place, as they are numbered from 1 in a codebook.
        case choice(Int)
        /// A number that answers the question at a place.
        case score(Int)
        /// A number that was measured or counted.
        ///
        /// - Parameters:
        ///   - isWhole: Whether it never has decimals.
        ///   - hasCodes: Whether codes can say why it is missing, as no answer is one of them.
        case measure(isWhole: Bool, hasCodes: Bool)
    }

    /// The content of the column.
    enum Content {
        /// The value at a place of a row.
        case value(Int)
        /// The same in each row.
        case always([UInt8])
        case localTime
        case latency
        /// The answer to the question at a place.
        case answer(Int)
        /// Whether that is chosen.
        case flag(Int, choice: [UInt8])
        /// The options of the question at a place, as they were shown.
        case order(Int)
        /// The place that it has in an order.
        case rank(Int, choice: [UInt8])

        fileprivate static func member(_ member: AnswerRow.Member) -> Content { .value(member.rawValue) }
        fileprivate static func part(_ question: Int, _ part: AnswerRow.Part) -> Content {
            .value(AnswerRow.place(question, part))
        }
    }

    let name: String
    let meaning: String
    let kind: Kind
    /// Which question it is of; nil: of the showing.
    var question: Int?
    /// Whether an answer stands in it, and no time of it.
    var isAnswer = false
    let content: Content
    /// Whether others have written what stands in it.
    var isTextOfOthers: Bool {
        switch content {
        case .answer, .order: true
        default: kind == .text || kind == .word
        }
    }

    /// All columns of a survey. They come from what was asked, so an answer that nobody gave has its column, and the
    /// same survey has the same ones tomorrow.
    ///
    /// - Parameter withVersions: Whether to include the ids by which versions of an answer replace each other.
    static func all(of survey: SurveyVersions, withVersions: Bool = false) -> [AnswerColumn] {
        var columns = fixed(survey.id)
        if withVersions { columns += versions }
        for (place, question) in survey.questions.enumerated() { columns += answers(place, question) }
        for (place, question) in survey.questions.enumerated() {
            columns += [
                AnswerColumn(
                    name: "\(question.id).seconds",
                    meaning: "how long '\(question.id)' was on the screen, in seconds",
                    kind: .number, question: place, content: .part(place, .seconds)),
                AnswerColumn(
                    name: "\(question.id).changes", meaning: "how often the answer to '\(question.id)' was changed",
                    kind: .integer, question: place, content: .part(place, .changes)),
            ]
            guard question.isShuffled else { continue }
            columns.append(
                AnswerColumn(
                    name: "\(question.id).order",
                    meaning: "the options of '\(question.id)' in the order in which they were shown",
                    kind: .text, question: place, content: .order(place)))
        }
        var names = UniqueNames()
        return columns.map { $0.named(names.add($0.name)) }
    }

    private static let versions = [
        AnswerColumn(
            name: "revises", meaning: "the showing whose answers these replace", kind: .word,
            content: .member(.revises)),
        AnswerColumn(
            name: "revised_by", meaning: "the showing whose answers replace these", kind: .word,
            content: .member(.revisedBy)),
    ]

    private func named(_ name: String) -> AnswerColumn {
        AnswerColumn(
            name: name, meaning: meaning, kind: kind, question: question, isAnswer: isAnswer, content: content)
    }

    private static func fixed(_ survey: String) -> [AnswerColumn] {
        func column(
            _ name: String, _ kind: Kind, _ meaning: String, _ content: Content
        ) -> AnswerColumn {
            AnswerColumn(name: name, meaning: meaning, kind: kind, content: content)
        }
        func column(_ name: String, _ kind: Kind, _ meaning: String, _ member: AnswerRow.Member) -> AnswerColumn {
            column(name, kind, meaning, .member(member))
        }
        return [
            column("showing", .word, "the id of the showing", .presentationId),
            column("survey", .word, "the id of the survey", .always(Array(survey.utf8))),
            column("version", .word, "the version of the survey that was shown; empty: none was", .version),
            column(
                "state", .word, "its state: \(PresentationState.allCases.map(\.word).joined(separator: ", "))",
                .state),
            column("reason", .text, "why it was cancelled, or why a prompt of a schedule was missed", .reason),
            column("participant", .text, "the user; empty: anonymous", .userId),
            column("app", .text, "the application", .app),
            column("session", .word, "the id of the session it belongs to", .sessionId),
            column("machine", .text, "on a hub: the machine", .machine),
            column("group", .text, "on a hub: the machine's group", .group),
            column("planned", .time, "when it was to be ready", .plannedAt),
            column("notified", .time, "when its first notification came up", .notifiedAt),
            column("reminders", .integer, "how often the person was reminded of it", .reminders),
            column("last_reminder", .time, "when last", .lastReminderAt),
            column("snoozes", .integer, "how often the person put it off", .snoozes),
            column("opened", .time, "when its questions were first on the screen", .openedAt),
            column("first_answer", .time, "when the first question was answered", .firstAnswerAt),
            column("answered", .time, "when all was answered", .answeredAt),
            column("closed", .time, "when it ended", .closedAt),
            column(
                "surface", .word,
                "where it was shown or answered: \(Surface.allCases.map(\.rawValue).joined(separator: ", "))",
                .surface),
            column("locale", .word, "the language that was asked for", .language),
            column("zone", .word, "the machine's time zone then", .zone),
            column("utc_offset", .integer, "how far local time was ahead of UTC, in minutes", .utcOffsetMinutes),
            column("local_time", .word, "the local time when it was opened, or came", .localTime),
            column("latency_seconds", .number, "from the notification until it was opened", .latency),
            column(
                "seconds", .number, "how long its questions were on the screen while the machine was awake", .seconds),
            column(
                "occasion", .word,
                "of a prompt of a schedule: how its time was placed: fixed, signal (random) or interval; empty: it is none",
                .occasion),
            column("burst", .integer, "which burst, from 1 on", .burst),
            column(
                "study_day", .integer, "the day of the study, from 1 on; 0: the rest of the day of joining", .studyDay),
            column("prompt_of_day", .integer, "which prompt of the day, from 1 on", .promptOfDay),
            column("study_group", .text, "the participant's group", .studyGroup),
            column("variant", .word, "the wording, where the survey has variants", .variant),
            column("properties", .text, "properties of the event that triggered it, as JSON", .properties),
        ]
    }

    private static func answers(_ place: Int, _ question: AskedQuestion) -> [AnswerColumn] {
        let kind: Kind =
            question.isNumber
            ? question.isMeasure
                ? .measure(isWhole: question.isWhole, hasCodes: question.leavesCodesFree) : .score(place)
            : question.isChoice
                ? .choice(place) : question.isAlways(.date) ? .date : question.isAlways(.time) ? .clock : .text
        var columns = [
            AnswerColumn(
                name: question.id, meaning: question.prompt, kind: kind, question: place, isAnswer: true,
                content: .answer(place))
        ]
        guard question.isMultiple || question.isRanking else { return columns }
        let isRanking = question.isRanking && !question.isMultiple
        // The text of "Other" has a column of that name.
        for choice in question.choices where !choice.isOther {
            let (label, value) = (choice.labels.first ?? choice.value, Array(choice.value.utf8))
            columns.append(
                AnswerColumn(
                    name: "\(question.id).\(choice.value)",
                    meaning: "\(question.prompt): \(isRanking ? "the place of " : "")\(label)",
                    kind: isRanking ? .integer : .flag, question: place, isAnswer: true,
                    content: isRanking ? .rank(place, choice: value) : .flag(place, choice: value)))
        }
        return columns
    }
}

extension AnswerColumn.Content {
    /// Appends what stands in a row; nothing where there is nothing.
    func append(_ row: AnswerRow, to text: inout [UInt8]) {
        switch self {
        case .value(let place): row.append(place, to: &text)
        case .always(let word): text += word
        case .localTime: row.appendLocalTime(to: &text)
        case .latency: if let seconds = row.latency { text += "\(seconds)".utf8 }
        case .answer(let question): append(.answer, of: question, row, to: &text)
        case .order(let question): append(.order, of: question, row, to: &text)
        case .rank(let question, let choice):
            var (place, found) = (0, 0)
            let start = text.count
            row.forEachAnswer(to: question) { value in
                place += 1
                row.append(value, to: &text)
                if row.isText(value), text[start...].elementsEqual(choice) { found = place }
                text.removeLast(text.count - start)
            }
            if found > 0 { text += "\(found)".utf8 }
        case .flag(let question, let choice):
            guard row.has(question, .answer) else { return }
            var isChosen = false
            let start = text.count
            row.forEachAnswer(to: question) { value in
                row.append(value, to: &text)
                isChosen = isChosen || row.isText(value) && text[start...].elementsEqual(choice)
                text.removeLast(text.count - start)
            }
            text.append(UInt8(ascii: isChosen ? "1" : "0"))
        }
    }
}

extension AnswerColumn.Content {
    /// Appends each of several values, parted by semicolons.
    private func append(_ part: AnswerRow.Part, of question: Int, _ row: AnswerRow, to text: inout [UInt8]) {
        var isFirst = true
        row.forEach(part, of: question) { value in
            if !isFirst { text.append(UInt8(ascii: ";")) }
            isFirst = false
            row.append(value, to: &text)
        }
    }
}

/// Makes names unique: a name that is taken gets a number.
struct UniqueNames {
    private var taken: Set<String> = []
    private let ignoresCase: Bool

    init(ignoringCase: Bool = false) { ignoresCase = ignoringCase }

    /// - Parameter most: The maximum length of a name in bytes.
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
    /// The beginning of a text, with at most that many bytes, cut at a character.
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
