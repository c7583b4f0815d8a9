package import HarkWire

/// What came of the showings of one survey: a fold over its presentations, in any order.
package struct SurveyResults: Sendable {
    package let survey: String
    /// How many presentations are in each state.
    package private(set) var states: [Presentation.State: Int] = [:]
    /// How many were shown, whatever became of them.
    package private(set) var shown = 0
    /// How often each answer was given, by question; a text counts as given or not.
    package private(set) var distribution: [ExactName: [ExactName: Int]] = [:]
    /// The latest texts, newest first.
    package private(set) var texts: [Text] = []
    private var times: [Int64] = []
    private let maxTexts: Int

    package struct Text: Sendable, Equatable {
        package let at: Timestamp
        package let question: String
        package let text: String
    }

    package init(survey: String, maxTexts: Int = 10) {
        self.survey = survey
        self.maxTexts = maxTexts
    }

    package mutating func add(_ presentation: Presentation) {
        states[presentation.state, default: 0] += 1
        guard let presentedAt = presentation.presentedAt else { return }
        shown += 1
        guard presentation.state == .answered, let closedAt = presentation.closedAt else { return }
        times.append(max(0, closedAt.milliseconds - presentedAt.milliseconds))
        for (id, answer) in presentation.answers.members {
            switch answer {
            case .choice(let value): count(value, id)
            case .choices(let values): for value in values { count(value, id) }
            case .number(let number): count(String(number), id)
            case .text(let text): add(Text(at: closedAt, question: id, text: text))
            }
        }
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
    package func netPromoterScore(_ question: String) -> Double? {
        let counts = distribution[question] ?? [:]
        let total = counts.values.reduce(0, +)
        guard total > 0 else { return nil }
        func sum(_ numbers: ClosedRange<Int>) -> Int { numbers.reduce(0) { $0 + (counts[String($1)] ?? 0) } }
        return 100 * Double(sum(9...10) - sum(0...6)) / Double(total)
    }
}
