package import HarkWire

/// What came of the showings of one survey: a fold over its presentations, in any order.
package struct SurveyResults: Sendable {
    package let survey: String
    /// How many presentations are in each state.
    package private(set) var states: [Presentation.State: Int] = [:]
    /// How many were shown, whatever became of them.
    package private(set) var shown = 0
    /// How many of those dismissed nobody has closed, as whoever was before them had gone away.
    package private(set) var abandoned = 0
    /// How often each answer was given, by question; a text counts as given or not.
    package private(set) var distribution: [ExactName: [ExactName: Int]] = [:]
    /// The latest texts, newest first.
    package private(set) var texts: [Text] = []
    /// How many answers each question got, however many choices were made in one.
    package private(set) var answersTo: [ExactName: Int] = [:]
    /// How many different users have answered, and how many answers came from nobody who is named.
    package private(set) var people = 0
    package private(set) var anonymous = 0
    /// How far people got, by question.
    package private(set) var ways: [ExactName: Way] = [:]
    private var times: [Int64] = []
    private let maxTexts: Int

    /// What came of one question in the showings that somebody saw.
    package struct Way: Sendable, Equatable {
        /// It was before the person, or was answered.
        package var seen = 0
        package var answered = 0
        /// It was the one before the person when the survey ended without an answer.
        package var left = 0
    }

    package struct Text: Sendable, Equatable {
        package let at: Timestamp
        package let question: String
        package let text: String
    }

    package init(survey: String, maxTexts: Int = 10) {
        self.survey = survey
        self.maxTexts = maxTexts
    }

    /// - Parameter isNewPerson: whether nothing of this user was added before.
    package mutating func add(_ presentation: Presentation, isNewPerson: Bool = false) {
        states[presentation.state, default: 0] += 1
        guard let presentedAt = presentation.presentedAt else { return }
        shown += 1
        if presentation.state == .dismissed, presentation.reason == Presentation.abandonedReason { abandoned += 1 }
        follow(presentation)
        guard presentation.state == .answered, let closedAt = presentation.closedAt else { return }
        times.append(max(0, closedAt.milliseconds - presentedAt.milliseconds))
        if presentation.user.userId == nil { anonymous += 1 } else if isNewPerson { people += 1 }
        for (id, answer) in presentation.answers.members {
            answersTo[ExactName(id), default: 0] += 1
            switch answer {
            case .choice(let value): count(value, id)
            case .choices(let values): for value in values { count(value, id) }
            case .number(let number): count(String(number), id)
            case .text(let text): add(Text(at: closedAt, question: id, text: text))
            }
        }
    }

    /// Notes where somebody got to. The one they left at is the last that was before them and has no answer: what was
    /// answered, they went on from.
    private mutating func follow(_ presentation: Presentation) {
        let (answers, items) = (presentation.answers, presentation.times.items)
        for (id, _) in answers.members {
            ways[ExactName(id), default: Way()].seen += 1
            ways[ExactName(id), default: Way()].answered += 1
        }
        let open = items.filter { $0.shown > 0 && answers[$0.question] == nil }
        for item in open { ways[ExactName(item.question), default: Way()].seen += 1 }
        guard !presentation.state.isOpen, presentation.state != .answered, let last = open.last else { return }
        ways[ExactName(last.question), default: Way()].left += 1
    }

    private mutating func count(_ value: String, _ question: String) {
        distribution[ExactName(question), default: [:]][ExactName(value), default: 0] += 1
    }

    private mutating func add(_ text: Text) {
        let place = texts.firstIndex { $0.at < text.at } ?? texts.endIndex
        texts.insert(text, at: place)
        if texts.count > maxTexts { texts.removeLast() }
    }

    package func count(_ state: Presentation.State) -> Int { states[state] ?? 0 }

    /// Milliseconds from showing to answer; nil without an answer.
    package var medianTimeToAnswer: Int64? {
        guard !times.isEmpty else { return nil }
        let sorted = times.sorted()
        let middle = sorted.count / 2
        return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    }

    /// Promoters (9, 10) less detractors (0 to 6) in percent of all answers to a question of kind `nps`.
    package func netPromoterScore(_ question: String) -> NetPromoterScore? {
        let counts = distribution[question] ?? [:]
        let total = counts.values.reduce(0, +)
        guard total > 0 else { return nil }
        func sum(_ numbers: ClosedRange<Int>) -> Int { numbers.reduce(0) { $0 + (counts[String($1)] ?? 0) } }
        return NetPromoterScore(promoters: sum(9...10), detractors: sum(0...6), of: total)
    }

    /// Of a question that is answered with numbers.
    func mean(_ question: String) -> MeanOfCounts? {
        MeanOfCounts(
            (distribution[question] ?? [:]).compactMap { value, count in Int(value.text).map { ($0, count) } })
    }
}
