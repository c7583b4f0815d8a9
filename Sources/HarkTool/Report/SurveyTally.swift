import HarkAsking
import HarkClient
import HarkWire

/// The results of a survey within a period: how often it was shown and answered, and how often each answer was given.
///
/// Texts are counted but not kept, because a report is passed on to others.
struct SurveyTally {
    struct Question {
        let question: SurveyQuestion
        let type: QuestionType?
        /// Whether it asks how likely a person is to recommend, from 0 to 10.
        var isNetPromoter: Bool { type == .nps }
        /// The number of answers.
        fileprivate(set) var answers = 0
        /// The number of each answer, in the order of the question. A multiple choice counts for each choice.
        fileprivate(set) var counts: [Int]
        /// The number of answers that the question no longer offers.
        fileprivate(set) var others = 0

        /// The sum of the places that each option of a ranking had, and how often it was the first.
        private var placed: [(sum: Int, first: Int)] = []
        /// Whether it asks for an order of its options.
        var isRanking: Bool { question.isRanking }
        /// The options of a ranking, the best first: the mean place of each, nil if nobody gave it one, and how often it was
        /// the first.
        var ranks: [(choice: SurveyQuestion.Choice, mean: Double?, first: Int)] {
            guard isRanking else { return [] }
            let ranks = zip(choices, zip(counts, placed)).map { choice, of in
                (choice: choice, mean: of.0 > 0 ? Double(of.1.sum) / Double(of.0) : nil, first: of.1.first)
            }
            return ranks.sorted { ($0.mean ?? .infinity) < ($1.mean ?? .infinity) }
        }

        /// How often each number was given, where there are no choices; bounded.
        private var numbers: [Double: Int] = [:]
        private static let mostNumbers = 10_000

        /// The mean of the answers to a scale, a number or a ces question; nil for others.
        var mean: MeanOfCounts? {
            guard [.scale, .number, .ces].contains(type) else { return nil }
            var all: [(number: Double, count: Int)] = []
            for (number, count) in numbers { all.append((number, count)) }
            for (choice, count) in zip(choices, counts) {
                if let number = choice.value.doubleValue { all.append((number, count)) }
            }
            return MeanOfCounts(all)
        }

        /// The customer satisfaction; nil for other questions.
        var satisfaction: SatisfactionScore? {
            guard type == .csat else { return nil }
            let known = counts.reduce(0, +)
            return known > 0 ? SatisfactionScore(satisfied: counts.dropFirst(3).reduce(0, +), of: known) : nil
        }

        /// Whether its answers are written in words.
        var isText: Bool {
            if case .text(let rules) = question.kind { rules.number == nil && rules.moment == nil } else { false }
        }

        var choices: [SurveyQuestion.Choice] {
            if case .choices(let choices, _, _) = question.kind { choices } else { [] }
        }
        var isMultiple: Bool {
            if case .choices(_, true, _) = question.kind { true } else { false }
        }

        /// The net promoter score; nil if there is none to tell.
        var score: NetPromoterScore? {
            guard isNetPromoter, answers > 0 else { return nil }
            func sum(_ numbers: ClosedRange<Int>) -> Int {
                zip(choices, counts).reduce(0) { $0 + ($1.0.number.map(numbers.contains) == true ? $1.1 : 0) }
            }
            let known = counts.reduce(0, +)
            return known > 0 ? NetPromoterScore(promoters: sum(9...10), detractors: sum(0...6), of: known) : nil
        }

        init(_ question: SurveyQuestion, type: QuestionType? = nil) {
            self.question = question
            self.type = type
            counts = []
            counts = [Int](repeating: 0, count: choices.count)
            if isRanking { placed = [(sum: Int, first: Int)](repeating: (0, 0), count: choices.count) }
        }

        fileprivate mutating func add(_ answer: JSONText) {
            answers += 1
            guard !choices.isEmpty else {
                if let number = answer.double, numbers[number] != nil || numbers.count < Self.mostNumbers {
                    numbers[number, default: 0] += 1
                }
                return
            }
            for (rank, value) in (answer.isArray ? answer.elements : [answer]).enumerated() {
                guard let place = place(of: value) else {
                    others += 1
                    continue
                }
                counts[place] += 1
                guard placed.indices.contains(place) else { continue }
                placed[place].sum += rank + 1
                if rank == 0 { placed[place].first += 1 }
            }
        }

        /// The choice that a value names.
        func place(of value: JSONText) -> Int? {
            choices.firstIndex { choice in
                switch choice.value {
                case .string(let text): value.stringBytes.map { $0.elementsEqual(text.utf8) } ?? false
                case .int(let number): value.int == number
                case .double(let number): value.double == number
                default: false
                }
            }
        }
    }

    let id: String
    /// Empty if the configuration has no title, or no longer has the survey.
    let title: String
    private(set) var questions: [Question]
    private(set) var shown = 0
    /// Keyed by state: answered, dismissed, expired, cancelled, scheduled, ready, presented.
    private(set) var states: [String: Int] = [:]
    private var times: [Int64] = []

    init(id: String, title: String = "", questions: [SurveyQuestion] = []) {
        self.id = id
        self.title = title
        self.questions = questions.map { Question($0) }
    }

    /// - Parameter asking: Questions as the daemon lists them. Those of an unknown type are left out.
    init(id: String, title: String, asking: [QuestionInfo]) {
        self.init(id: id, title: title)
        questions = asking.compactMap { question in
            let type = QuestionType(rawValue: question.type)
            return type == .note ? nil : SurveyQuestion(question).map { Question($0, type: type) }
        }
    }

    /// The same survey with nothing counted.
    var emptied: SurveyTally {
        var tally = SurveyTally(id: id, title: title)
        tally.questions = questions.map { Question($0.question, type: $0.type) }
        return tally
    }

    var answered: Int { states["answered"] ?? 0 }

    /// The median time from showing to answer in seconds; nil if there is no answer.
    var secondsToAnswer: Double? {
        let sorted = times.sorted()
        guard let high = sorted.isEmpty ? nil : sorted[sorted.count / 2] else { return nil }
        let low = sorted[(sorted.count - 1) / 2]
        return Double(low + (high - low) / 2) / 1_000
    }

    /// - Parameter presentation: A presentation, as in replies of `survey.history`.
    mutating func add(_ presentation: PresentationInfo) {
        let state = presentation.state
        states[state, default: 0] += 1
        guard let presentedAt = presentation.presentedAt else { return }
        shown += 1
        guard state == "answered" else { return }
        // Bounded; this many are enough for a median.
        if times.count < 100_000, let closedAt = presentation.closedAt {
            times.append(max(0, closedAt.milliseconds - presentedAt.milliseconds))
        }
        guard let answers = presentation.answers?.json else { return }
        for place in questions.indices {
            if let answer = answers.member(named: questions[place].question.id) { questions[place].add(answer) }
        }
    }

    /// The texts in an answered showing, with its ratings.
    func texts(of presentation: PresentationInfo) -> [SurveyTallies.Text] {
        guard presentation.state == "answered", let answers = presentation.answers?.json else { return [] }
        var rating = ""
        var written: [String] = []
        for question in questions {
            guard let answer = answers.member(named: question.question.id) else { continue }
            if question.isText {
                if let text = answer.string, !text.isEmpty { written.append(text) }
            } else if rating.isEmpty, !question.isMultiple, let place = question.place(of: answer) {
                let choice = question.choices[place]
                rating = (choice.emoji.map { $0 + " " } ?? "") + choice.label
            }
        }
        let at = (presentation.closedAt ?? presentation.presentedAt)?.description ?? ""
        return written.map { SurveyTallies.Text(at: at, survey: id, rating: rating, text: $0) }
    }
}

extension SurveyQuestion.Choice {
    /// The number of an answer, if it is one.
    fileprivate var number: Int? {
        switch value {
        case .int(let number): Int(exactly: number)
        case .string(let text): Int(text)
        default: nil
        }
    }
}
