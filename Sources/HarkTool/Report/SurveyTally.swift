import HarkAsking
import HarkClient
import HarkWire

/// The results of a survey within a period: how often it was shown and answered, and how often each answer was given.
///
/// Texts are counted but not kept, because a report is passed on to others.
struct SurveyTally {
    struct Question {
        let question: SurveyQuestion
        /// The number of answers.
        fileprivate(set) var answers = 0
        /// The number of each answer, in the order of the question. A multiple choice counts for each choice.
        fileprivate(set) var counts: [Int]
        /// The number of answers that the question no longer offers.
        fileprivate(set) var others = 0

        var choices: [SurveyQuestion.Choice] {
            if case .choices(let choices, _, _) = question.kind { choices } else { [] }
        }
        var isMultiple: Bool {
            if case .choices(_, true, _) = question.kind { true } else { false }
        }

        init(_ question: SurveyQuestion) {
            self.question = question
            counts = []
            counts = [Int](repeating: 0, count: choices.count)
        }

        fileprivate mutating func add(_ answer: JSONText) {
            answers += 1
            guard !choices.isEmpty else { return }
            for value in answer.isArray ? answer.elements : [answer] {
                let place = choices.firstIndex { choice in
                    switch choice.value {
                    case .string(let text): value.stringBytes.map { $0.elementsEqual(text.utf8) } ?? false
                    case .int(let number): value.int == number
                    default: false
                    }
                }
                if let place { counts[place] += 1 } else { others += 1 }
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
        self.questions = questions.map(Question.init)
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
    mutating func add(_ presentation: JSONText) {
        let state = presentation.member("state")?.string ?? ""
        states[state, default: 0] += 1
        guard let presentedAt = presentation.member("presentedAt")?.string.flatMap({ Timestamp($0) }) else { return }
        shown += 1
        guard state == "answered" else { return }
        // Bounded; this many are enough for a median.
        if times.count < 100_000, let closedAt = presentation.member("closedAt")?.string.flatMap({ Timestamp($0) }) {
            times.append(max(0, closedAt.milliseconds - presentedAt.milliseconds))
        }
        guard let answers = presentation.member("answers") else { return }
        for place in questions.indices {
            if let answer = answers.member(named: questions[place].question.id) { questions[place].add(answer) }
        }
    }
}
