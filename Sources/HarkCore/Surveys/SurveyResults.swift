package import HarkWire

/// The results of one survey, aggregated over its presentations in any order.
package struct SurveyResults: Sendable {
    package let survey: String
    /// The number of presentations in each state.
    package private(set) var states: [Presentation.State: Int] = [:]
    /// The number of presentations shown, with any outcome.
    package private(set) var shown = 0
    /// The number of presentations that were dismissed because the person had left.
    package private(set) var abandoned = 0
    /// How often each answer was given, by question; texts are not included.
    package private(set) var distribution: [ExactName: [ExactName: Int]] = [:]
    /// The places of each option, by question: for answers of several options, such as rankings, which have an order.
    package private(set) var places: [ExactName: [ExactName: Places]] = [:]
    /// The latest text answers, newest first.
    package private(set) var texts: [Text] = []
    /// The number of answers to each question; several choices in one answer count once.
    package private(set) var answersTo: [ExactName: Int] = [:]
    /// The number of distinct users who have answered, and of anonymous answers.
    package private(set) var people = 0
    package private(set) var anonymous = 0
    /// The progress through the survey, by question.
    package private(set) var ways: [ExactName: Way] = [:]
    /// Times from showing to answer in milliseconds, exact while they are few, then as a distribution.
    private var times: [Int64] = []
    private var spread: QuantileSketch?
    private let maxTexts: Int

    private static let mostTimes = 4_096

    /// The counts of one question over the showings that were shown.
    package struct Way: Sendable, Equatable {
        /// Showings in which it was on screen or answered.
        package var seen = 0
        package var answered = 0
        /// Showings in which it was the last on screen when the survey ended without an answer.
        package var left = 0
    }

    /// The places of an option in rankings.
    package struct Places: Sendable, Equatable {
        /// How often it was the first.
        package var firsts = 0
        /// The sum of its places, from 1 on, and how many these are.
        package var sum = 0
        package var count = 0
    }

    package struct Text: Sendable, Equatable {
        package let at: Timestamp
        package let question: String
        package let text: String
        /// The first choice or number of the same answer, and the question that it answers; nil if there is none.
        package var beside: Beside?
    }

    package struct Beside: Sendable, Equatable {
        package let question: String
        package let value: String

        package init(question: String, value: String) {
            self.question = question
            self.value = value
        }
    }

    /// - Parameter maxTexts: 0 if neither texts nor the time to answer are needed.
    package init(survey: String, maxTexts: Int = 10) {
        self.survey = survey
        self.maxTexts = maxTexts
    }

    /// Counts a number of showings of a kind.
    mutating func count(_ kind: ShowingKind, _ number: Int) {
        states[kind.state, default: 0] += number
        guard kind.isShown else { return }
        shown += number
        if kind.isAbandoned { abandoned += number }
        follow(kind, number)
        guard kind.isAnswered else { return }
        for (id, answer) in kind.answers.members {
            answersTo[ExactName(id), default: 0] += number
            switch answer {
            case .choice(let value): count(value, id, number)
            case .choices(let values):
                for (place, value) in values.enumerated() {
                    count(value, id, number)
                    rank(value, id, place, number)
                }
            case .number(let answered): count(answered.description, id, number)
            case .text: break
            }
        }
    }

    /// Counts an individual answered showing: its user, and the time it took.
    ///
    /// - Parameters:
    ///   - took: in milliseconds.
    ///   - isNewPerson: whether this user was not counted before.
    mutating func noteAnswer(took: Int64, isNamed: Bool, isNewPerson: Bool) {
        if !isNamed { anonymous += 1 } else if isNewPerson { people += 1 }
        if maxTexts > 0 { add(time: max(0, took)) }
    }

    /// Keeps the texts of an answered showing.
    ///
    /// - Parameters:
    ///   - others: all its answers; the texts in it may be emptied.
    ///   - answers: its texts, with or without the other answers. Called only if the showing is late enough to be among
    ///     the latest.
    mutating func noteTexts(at time: Timestamp, beside others: Answers, _ answers: () -> Answers) {
        guard maxTexts > 0, texts.count < maxTexts || texts.last.map({ $0.at <= time }) ?? false else { return }
        let beside = others.members.lazy.compactMap { id, answer -> Beside? in
            switch answer {
            case .choice(let value): Beside(question: id, value: value)
            case .number(let number): Beside(question: id, value: number.description)
            case .choices, .text: nil
            }
        }.first
        for (id, answer) in answers().members {
            if case .text(let text) = answer { add(Text(at: time, question: id, text: text, beside: beside)) }
        }
    }

    /// Counts how far a person came. They left at the last question seen without an answer: after an answer they moved on.
    private mutating func follow(_ kind: ShowingKind, _ number: Int) {
        for (id, _) in kind.answers.members {
            ways[ExactName(id), default: Way()].seen += number
            ways[ExactName(id), default: Way()].answered += number
        }
        let open = kind.seen.filter { kind.answers[$0] == nil }
        for question in open { ways[ExactName(question), default: Way()].seen += number }
        guard !kind.state.isOpen, kind.state != .answered, let last = open.last else { return }
        ways[ExactName(last), default: Way()].left += number
    }

    private mutating func rank(_ value: String, _ question: String, _ place: Int, _ number: Int) {
        var ranked = places[ExactName(question)]?[ExactName(value)] ?? Places()
        if place == 0 { ranked.firsts += number }
        ranked.sum += (place + 1) * number
        ranked.count += number
        places[ExactName(question), default: [:]][ExactName(value)] = ranked
    }

    private mutating func count(_ value: String, _ question: String, _ number: Int) {
        distribution[ExactName(question), default: [:]][ExactName(value), default: 0] += number
    }

    private mutating func add(_ text: Text) {
        let place = texts.firstIndex { $0.at < text.at } ?? texts.endIndex
        texts.insert(text, at: place)
        if texts.count > maxTexts { texts.removeLast() }
    }

    package func count(_ state: Presentation.State) -> Int { states[state] ?? 0 }

    private mutating func add(time: Int64) {
        guard spread != nil || times.count == SurveyResults.mostTimes else { return times.append(time) }
        var budget = Int.max
        spread = spread ?? QuantileSketch()
        for time in times + [time] { spread?.add(Double(time), budget: &budget) }
        times = []
    }

    /// The median time from showing to answer, in milliseconds; nil without answers. Above 4,096 answers it is within
    /// 0.8 % of the true value.
    package var medianTimeToAnswer: Int64? {
        if let spread { return spread.percentile(50).map { Int64($0) } }
        guard !times.isEmpty else { return nil }
        let sorted = times.sorted()
        let middle = sorted.count / 2
        return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    }

    /// The share of promoters (9, 10) less that of detractors (0 to 6), in percent of all answers to a question of kind
    /// `nps`.
    package func netPromoterScore(_ question: String) -> NetPromoterScore? {
        let counts = distribution[question] ?? [:]
        let total = counts.values.reduce(0, +)
        guard total > 0 else { return nil }
        func sum(_ numbers: ClosedRange<Int>) -> Int { numbers.reduce(0) { $0 + (counts[String($1)] ?? 0) } }
        return NetPromoterScore(promoters: sum(9...10), detractors: sum(0...6), of: total)
    }

    /// The satisfied answers (4 or 5 of 5) among those to a question of kind `csat`; nil without answers.
    package func satisfaction(_ question: String) -> SatisfactionScore? {
        let counts = distribution[question] ?? [:]
        let total = counts.values.reduce(0, +)
        guard total > 0 else { return nil }
        return SatisfactionScore(satisfied: (4...5).reduce(0) { $0 + (counts[String($1)] ?? 0) }, of: total)
    }

    /// The mean of a question whose answers are numbers.
    func mean(_ question: String) -> MeanOfCounts? {
        MeanOfCounts(
            (distribution[question] ?? [:]).compactMap { value, count in
                ExactNumber(value.text).map { ($0.double, count) }
            })
    }
}
