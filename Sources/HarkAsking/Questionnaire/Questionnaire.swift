package import HarkClient

/// Questions on pages and the answers so far: the route through them, the current page, and the rule that an answer on it
/// violates. It depends neither on the daemon nor on the way it is shown.
package struct Questionnaire: Sendable, Equatable {
    package enum Paging: Sendable {
        /// All questions are on one page.
        case one
        /// Each question has a page.
        case each
        /// The same, but the rows of a matrix share a page, and so does the text of "Other" with its question.
        case grouped
    }

    package enum Focus: Sendable, Hashable {
        /// A field, by its index on the page.
        case field(Int)
        case back
        /// The button that sends the answer of this page.
        case send
        /// The button for the next page or the end.
        case forward
    }

    let paging: Paging
    package var fields: [FormField] { didSet { settlePage() } }
    /// The ids of the questions on the current route: those before this page and, as far as known, those after it.
    package var route: [String]
    /// The indices of `fields` on this page.
    package internal(set) var page: [Int]
    package var focus = Focus.field(0)
    /// Why the page cannot be left; nil if nothing is wrong.
    package var problem: String? { didSet { if problem != nil { isGoingBack = false } } }
    /// Whether to go back once the answer of this page is kept.
    var isGoingBack = false

    package init(
        _ questions: [SurveyQuestion], _ paging: Paging, route: [String]? = nil, answers: [String: JSONText] = [:]
    ) {
        self.paging = paging
        self.route = route ?? questions.map(\.id)
        fields = questions.map { question in
            var field = FormField(question)
            if let answer = answers[question.id] { field.restore(answer) }
            return field
        }
        page = Array(questions.indices)
    }

    package var hasPages: Bool { paging != .one }
    /// The first field of this page.
    package var current: FormField { fields[page[0]] }
    /// The fields on this page.
    package var shownFields: [FormField] { page.map { fields[$0] } }
    /// The position of this page on the route, from 0.
    package var pageNumber: Int { route.firstIndex(of: current.id) ?? 0 }
    /// The number of this question on the route, from 1; nil for a note, which is not counted.
    package var questionNumber: Int? { current.isNote ? nil : questionsBefore + 1 }
    package var hasBack: Bool { hasPages && pageNumber > 0 }
    /// Whether this page is the last one, as far as known; a branch may end the survey earlier.
    package var isLastPage: Bool { !hasPages || places(with: page[0]).upperBound == fields.count - 1 }

    /// The places on this page of the fields that take input.
    var inputs: [Int] { page.indices.filter { !fields[page[$0]].isNote } }

    /// The first focus of a page: its first field that takes input.
    package var firstFocus: Focus { inputs.first.map(Focus.field) ?? .forward }

    /// The first violated rule on this page, and the index of its field.
    package var failing: (place: Int, problem: String)? {
        for place in page.indices {
            if let problem = fields[page[place]].problem { return (place, problem) }
        }
        return nil
    }

    /// Checks the answers of this page. If one violates a rule, reports the first such rule and returns false.
    package mutating func checkPage() -> Bool {
        guard let failing else { return true }
        problem = failing.problem
        focus = .field(failing.place)
        return false
    }

    func has(_ question: String) -> Bool { fields.contains { $0.id == question } }

    /// Opens the page of a field.
    package mutating func show(page index: Int) {
        page = [places(with: index).lowerBound]
        settlePage()
        focus = firstFocus
    }

    /// Opens the page of a question, or the first page if there is no such question.
    package mutating func show(_ question: String?) {
        show(page: fields.firstIndex { $0.id == question } ?? 0)
    }

    /// Opens the first page that is not answered. Notes between answers are not shown again.
    mutating func showOpen(_ isAnswered: (String) -> Bool) {
        let last = route.lastIndex(where: isAnswered) ?? -1
        let notes = Set(route.prefix(last + 1)).intersection(fields.filter(\.isNote).map(\.id))
        let kept = route.prefix { isAnswered($0) || notes.contains($0) }
        show(kept.count < route.count ? route[kept.count] : route.last)
    }

    /// Opens the page before this one, if there is one.
    package mutating func goBack() {
        guard hasBack, let previous = fields.firstIndex(where: { $0.id == route[pageNumber - 1] }) else { return }
        show(page: previous)
    }

    /// Moves on after the answer of this page was kept: to the next page on the route, or back.
    ///
    /// - Parameters:
    ///   - route: The new route; nil if the daemon does not return it.
    ///   - questions: The questions whose texts may have changed, because they may insert answers. Answers stay.
    /// - Returns: Whether there is such a page.
    package mutating func advance(along route: [String]?, _ questions: [SurveyQuestion] = []) -> Bool {
        let current = fields[page[page.count - 1]].id
        for question in questions {
            if let place = fields.firstIndex(where: { $0.id == question.id }) { fields[place].retell(question) }
        }
        self.route = route ?? fields.map(\.id)
        if isGoingBack {
            isGoingBack = false
            goBack()
            return true
        }
        guard let place = self.route.firstIndex(of: current), place + 1 < self.route.count,
            let next = fields.firstIndex(where: { $0.id == self.route[place + 1] })
        else { return false }
        show(page: next)
        return true
    }
}
