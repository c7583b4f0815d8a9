import HarkClient
import HarkWire

/// One showing as `survey.history` tells it: where in its page each value lies. It is of use while the page is held in place, which
/// `AnswerReader` does.
struct AnswerRow {
    /// Members of a showing and of its times, with the names and in the order that the daemon gives them.
    enum Member: Int, CaseIterable {
        case presentationId, surveyId, state, userId, uid, app, sessionId, triggerAt, expiresAt, presentedAt, closedAt
        case promptId, askedBy, reason, answers, revises, revisedBy, changeableUntil, times, language, version
        case properties, order, machine, group
        case plannedAt, notifiedAt, reminders, lastReminderAt, snoozes, putOff
        case openedAt, firstAnswerAt, answeredAt, surface, zone
        case utcOffsetMinutes, variant, occasion, studyDay, promptOfDay, burst, studyGroup, seconds, asleepSeconds,
            items

        static let own = allCases.prefix(upTo: plannedAt.rawValue)
        static let ofTimes = allCases.suffix(from: plannedAt.rawValue)
    }

    /// One question of a showing: its answer, and the members about it.
    enum Part: Int, CaseIterable {
        case answer, seconds, changes, firstAt, lastAt, order
    }

    /// Why there is no answer.
    enum Missing: Int {
        /// Nobody was asked: the question was not in that version, or not on the way that was taken, or the survey ended before.
        case notAsked = -77
        /// The person saw the question, but did not answer it.
        case passedOver = -99
    }

    private var page = UnsafeBufferPointer<UInt8>(start: nil, count: 0)
    /// The ranges of the members in the page, followed by those of each part of each question, in the survey's order.
    /// An empty range means that there is none.
    private var ranges: [Range<Int>]
    /// Whether it has an answer to a question that the survey is not known to have asked.
    var hasUnknown = false

    init(questions: Int) {
        ranges = Array(repeating: 0..<0, count: Self.place(questions, .answer))
    }

    /// Which of the ranges is a part's.
    static func place(_ question: Int, _ part: Part) -> Int {
        Member.allCases.count + question * Part.allCases.count + part.rawValue
    }

    /// Forgets the showing before.
    mutating func begin(in page: UnsafeBufferPointer<UInt8>) {
        self.page = page
        for place in ranges.indices { ranges[place] = 0..<0 }
        hasUnknown = false
    }

    mutating func take(_ value: Range<Int>?, at place: Int?) {
        if let value, let place { ranges[place] = value }
    }

    // MARK: Values

    subscript(_ member: Member) -> JSONText? {
        let range = ranges[member.rawValue]
        return range.isEmpty ? nil : json(range)
    }

    func json(_ range: Range<Int>) -> JSONText { JSONText(ArraySlice(page[range])) }

    /// Appends a text, or another value as it is written; nothing if there is none.
    func append(_ range: Range<Int>, to text: inout [UInt8]) {
        JSONText.append(UnsafeBufferPointer(rebasing: page[range]), to: &text)
    }

    func append(_ place: Int, to text: inout [UInt8]) { append(ranges[place], to: &text) }

    /// The places of the values in an answer: one for each of several choices, or else a single one.
    func forEachAnswer(to question: Int, _ body: (Range<Int>) -> Void) { forEach(.answer, of: question, body) }

    /// The same for another part of a question.
    func forEach(_ part: Part, of question: Int, _ body: (Range<Int>) -> Void) {
        let range = ranges[Self.place(question, part)]
        guard let first = page[range].first else { return }
        guard first == .openBracket else { return body(range) }
        var scanner = JSONScanner(page, at: range.lowerBound)
        scanner.elements { if let value = $0.value() { body(value) } }
    }

    func has(_ question: Int, _ part: Part) -> Bool { !ranges[Self.place(question, part)].isEmpty }

    func isText(_ range: Range<Int>) -> Bool { page[range].first == .quote }

    var isAnswered: Bool { page[ranges[Member.state.rawValue]].elementsEqual("\"answered\"".utf8) }

    /// When it was shown, or was due.
    var time: Timestamp? { time(.presentedAt, .plannedAt, .triggerAt) }

    /// The first of these times that there is.
    func time(_ members: Member...) -> Timestamp? {
        guard let member = members.first(where: { !ranges[$0.rawValue].isEmpty }) else { return nil }
        return Timestamp(utf8: UnsafeBufferPointer(rebasing: page[ranges[member.rawValue]].dropFirst().dropLast()))
    }

    /// Why a question has no answer; nil where it has one.
    func missing(_ question: Int, in survey: SurveyVersions) -> Missing? {
        if has(question, .answer) { return nil }
        if has(question, .seconds) { return .passedOver }
        guard isAnswered, let number = self[.version]?.string.flatMap({ survey.places[$0] }) else { return .notAsked }
        let shown = survey.versions[number]
        return shown.isOneSheet && shown.questions.contains(survey.questions[question].id) ? .passedOver : .notAsked
    }

    /// Appends what the clocks there showed when it was opened, or came.
    func appendLocalTime(to text: inout [UInt8]) {
        guard let offset = self[.utcOffsetMinutes]?.int,
            let moment = time(.openedAt, .presentedAt, .notifiedAt, .plannedAt)
        else { return }
        moment.adding(milliseconds: offset &* 60_000).append(to: &text)
        // Milliseconds, and a Z that it is not.
        text.removeLast(5)
    }

    /// From the notification to the questions.
    var latency: Double? {
        guard let notified = time(.notifiedAt), let opened = time(.openedAt) else { return nil }
        return Double(opened.milliseconds - notified.milliseconds) / 1_000
    }
}
