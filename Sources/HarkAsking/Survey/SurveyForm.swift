package import HarkWire

/// A survey's form as a state machine: keys go in, actions come out. It performs no I/O itself.
///
/// A survey of type options, text or combined is one page with one or two fields; one of type questions has a page for
/// each. The daemon decides which page comes next: after each page the partial answer is sent (`.keep`), and `advance`
/// takes the returned route.
package struct SurveyForm: Sendable, Equatable {
    /// An action to perform after a key.
    package enum Action: Sendable, Equatable {
        /// Send the answers; call `refuse` if they are refused.
        case submit
        /// Keep the answer of this page; then call `advance` or `refuse`.
        case keep
        /// Send the answer of this page to the form's server.
        case send
        /// Send the answer to a question again.
        case retry(String)
        case dismiss
        /// Never ask this person again.
        case mute
        /// End without an answer; the survey comes again.
        case leave
        /// Reopen the answers.
        case change
        case suspend
        /// Redraw the screen.
        case redraw
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

    package let title: String
    package let message: String
    package let responseType: ResponseType?
    package let submitLabel: String
    /// What to read once it is answered; nil for the usual words.
    package private(set) var thanks: ShownSurvey.Thanks?
    /// Who asks: the app, if it is not the default one, the account of the program, and the machine; nil for a survey.
    package internal(set) var asker: String?
    package var fields: [FormField] { didSet { settlePage() } }
    /// The ids of the questions on the current route: those before this page and, as far as known, those after it.
    package var route: [String]
    /// The indices of `fields` on this page.
    package internal(set) var page: [Int]
    package var focus = Focus.field(0)
    /// Why the page cannot be left; cleared by the next key.
    package private(set) var problem: String?
    /// A notice about something else, such as a daemon that went away.
    package var notice: String?
    /// Whether the form asks to confirm that the answers are discarded.
    package var asksToDismiss = false
    /// Whether the form asks to confirm that the survey is muted.
    package var asksToMute = false
    /// Whether it can be muted: true for surveys only, not for forms and prompts.
    package var mayBeMuted = false
    /// Whether an answered survey is shown for a change.
    package internal(set) var isChange = false
    /// Whether the page of thanks is shown, from which the answer can be changed.
    package internal(set) var isThanks = false
    /// The manual scroll position; nil if it follows the focus.
    package var scroll: Int? = 0
    package var size = TerminalSize(rows: 24, columns: 80)
    /// Whether the form goes back once the answer of this page is kept.
    private var isGoingBack = false
    /// Whether this is a prompt, whose program ends when it is left.
    package var isPrompt = false
    /// The state of a form; nil for a survey.
    package var filling: Filling?

    package init(
        title: String, message: String, responseType: ResponseType?, submitLabel: String, fields: [FormField],
        route: [String]
    ) {
        self.title = title
        self.message = message
        self.responseType = responseType
        self.submitLabel = submitLabel
        self.fields = fields
        self.route = route
        page = Array(fields.indices)
    }

    package init(_ presentation: ShownSurvey) {
        self.init(
            title: presentation.title, message: presentation.message, responseType: presentation.responseType,
            submitLabel: presentation.submitLabel ?? Words.say("Submit"),
            fields: presentation.questions.map { FormField($0) },
            route: presentation.questions.map(\.id))
        mayBeMuted = !presentation.isPrompt
        thanks = presentation.thanks
        asker = presentation.askedBy.map { uid in
            let app = presentation.app == "default" ? "" : presentation.app
            return [app, "\(AccountName.of(uid))@\(MachineName.own)"].filter { !$0.isEmpty }.joined(separator: " · ")
        }
        for index in fields.indices {
            if let answer = presentation.answers[fields[index].id] { fields[index].restore(answer) }
        }
        if presentation.hasPages {
            route = presentation.route ?? fields.map(\.id)
            // Answered questions are not asked again, but can be revisited. Nor are notes between them shown again.
            let last = route.lastIndex { presentation.answers[$0] != nil } ?? -1
            let notes = Set(route.prefix(last + 1)).intersection(fields.filter(\.isNote).map(\.id))
            let kept = route.prefix { presentation.answers[$0] != nil || notes.contains($0) }
            let open = kept.count < route.count ? route[kept.count] : route.last
            page = [places(with: fields.firstIndex { $0.id == open } ?? 0).lowerBound]
            settlePage()
            focus = firstFocus
        }
    }

    package var hasPages: Bool { responseType == .questions }
    package var answersAtOnce: Bool { responseType == .options }
    /// The position of this page on the route, from 0.
    package var pageNumber: Int { route.firstIndex(of: fields[page[0]].id) ?? 0 }
    /// The number of this question on the route, from 1; nil for a note, which is not counted.
    package var questionNumber: Int? { fields[page[0]].isNote ? nil : questionsBefore + 1 }

    /// Where the focus of a page begins: in its first field that takes input.
    package var firstFocus: Focus {
        page.indices.first { !fields[page[$0]].isNote }.map(Focus.field) ?? .forward
    }

    package var hasBack: Bool { hasPages && pageNumber > 0 }
    /// Whether this page is the last one, as far as known; a branch may end the survey earlier.
    package var isLastPage: Bool { !hasPages || places(with: page[0]).upperBound == fields.count - 1 }

    /// The fields on this page.
    package var shownFields: [FormField] { page.map { fields[$0] } }

    /// The buttons below the page, from left to right.
    package var buttons: [Button] {
        if let filling { return buttons(filling) }
        if answersAtOnce { return [] }
        let back = hasBack ? [Button(focus: .back, label: Words.say("Back"))] : []
        return back + [Button(focus: .forward, label: isLastPage ? submitLabel : Words.say("Next"))]
    }

    /// The focusable items in tab order.
    package var focusOrder: [Focus] {
        let places = isLocked ? [] : page.indices.filter { !fields[page[$0]].isNote }.map { Focus.field($0) }
        return places + buttons.filter(\.isEnabled).map(\.focus)
    }

    /// The first violated rule on this page, and the index of its field.
    package var failing: (place: Int, problem: String)? {
        for place in page.indices {
            if let problem = fields[page[place]].problem { return (place, problem) }
        }
        return nil
    }

    /// Whether dismissing would lose answers.
    package var holdsWork: Bool {
        hasBack || fields.contains { $0.isText && $0.value != nil }
    }

    /// Shows why the daemon refused the answers.
    package mutating func refuse(_ why: String) {
        problem = why
        isGoingBack = false
    }

    /// Moves on after the answer of this page was kept.
    ///
    /// - Parameters:
    ///   - route: The new route; nil if the daemon does not return it.
    ///   - questions: The questions whose texts may have changed, as they may name answers.
    /// - Returns: `.submit` if no page of a survey follows.
    package mutating func advance(along route: [String]?, _ questions: [SurveyQuestion] = []) -> Action? {
        let current = fields[page[page.count - 1]].id
        retell(questions)
        self.route = route ?? fields.map(\.id)
        if isGoingBack {
            isGoingBack = false
            showPrevious()
            return nil
        }
        guard let place = self.route.firstIndex(of: current), place + 1 < self.route.count,
            let next = fields.firstIndex(where: { $0.id == self.route[place + 1] })
        else {
            if filling == nil { return .submit }
            finish()
            return nil
        }
        show(page: next)
        return nil
    }

    package mutating func show(page index: Int) {
        page = [places(with: index).lowerBound]
        settlePage()
        focus = firstFocus
        scroll = 0
        settleFocus()
    }

    /// Moves to the page before. Keeps the answer of this page first, if possible.
    package mutating func goBack() -> Action? {
        guard hasBack else { return nil }
        if let filling, !filling.isSubmitted, isChanged(current), current.problem == nil {
            isGoingBack = true
            return .keep
        }
        showPrevious()
        return nil
    }

    private mutating func showPrevious() {
        guard hasBack, let previous = fields.firstIndex(where: { $0.id == route[pageNumber - 1] }) else { return }
        show(page: previous)
    }

    /// Presses the forward button, if the page can be left.
    package mutating func goForward() -> Action? {
        if filling != nil { return passForward() }
        if let failing {
            problem = failing.problem
            focus = .field(failing.place)
            return nil
        }
        return hasPages ? .keep : .submit
    }

    package mutating func moveFocus(_ places: Int) {
        let order = focusOrder
        guard !order.isEmpty else { return }
        let place = (order.firstIndex(of: focus) ?? 0) + places
        focus = order[((place % order.count) + order.count) % order.count]
    }

    /// Handles Esc: dismisses, with a confirmation if answers would be lost.
    package mutating func dismiss() -> Action? {
        // A form keeps its draft, and a change keeps the earlier answer.
        if filling != nil || isChange { return .leave }
        guard holdsWork else { return .dismiss }
        asksToDismiss = true
        return nil
    }

    package mutating func forgetProblem() { problem = nil }

    /// Returns the request that gives the complete answer.
    ///
    /// - Parameters:
    ///   - locale: The language, if the survey was not presented.
    ///   - isTried: Whether this is only a check that keeps nothing.
    ///   - isHeld: Whether the answer does not count yet.
    package func answer(
        to presentationId: String, locale: String? = nil, isTried: Bool = false, isHeld: Bool = false
    ) -> SurveyAnswer {
        var request = SurveyAnswer(presentationId)
        request.locale = locale
        if isTried { request.isTried = true }
        if isHeld { request.hold = true }
        if hasPages {
            request.answers = AnyJSON(FormField.answers(named.filter { $0.value != nil }))
            return request
        }
        for field in fields {
            if let value = field.value {
                if field.isText { request.text = value.stringValue } else { request.option = value.stringValue }
            } else if fields.count == 1 {
                // An empty answer is valid if the survey allows it.
                request.text = ""
            }
        }
        return request
    }

    /// Returns the request that undoes a held answer: a survey of pages keeps its answers, and another has none.
    package func undoing(_ presentationId: String) -> SurveyAnswer {
        if hasPages { return pageAnswer(to: presentationId) }
        var request = SurveyAnswer(presentationId)
        request.answers = AnyJSON(JSONObject(fields.map { ($0.id, .null) }))
        request.partial = true
        return request
    }

    /// Returns the request that keeps this page only; a withdrawn answer is null.
    package func pageAnswer(to presentationId: String) -> SurveyAnswer {
        var request = SurveyAnswer(presentationId)
        request.answers = AnyJSON(FormField.answers(shownFields))
        request.partial = true
        return request
    }
}
