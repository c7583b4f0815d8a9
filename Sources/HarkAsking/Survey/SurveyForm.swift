package import HarkWire

/// A survey on a screen, as a state machine: keys go in, what is to be done comes out. It does nothing itself.
///
/// A survey of the response types options, text and combined is one page with a field or two; one of questions shows
/// one after the other. Which comes next is the daemon's to say: after each page the answer goes there as a part of the
/// whole (`.keep`), and `advance` takes the way that came back.
package struct SurveyForm: Sendable, Equatable {
    /// What is to be done after a key.
    package enum Action: Sendable, Equatable {
        /// Sends the answers; then `refuse`, if they were refused.
        case submit
        /// Keeps the answer of this page; then `advance` or `refuse`.
        case keep
        /// Sends the answer of this page to the form's server.
        case send
        /// Has the answer to a question sent again.
        case retry(String)
        case dismiss
        /// The person is never asked it again.
        case mute
        /// Ends without an answer; the survey comes again.
        case leave
        /// Opens what was answered again.
        case change
        case suspend
        /// Draws the screen anew.
        case redraw
    }

    package enum Focus: Sendable, Hashable {
        /// A field of the page, by its place there.
        case field(Int)
        case back
        /// The button that sends the answer of this page.
        case send
        /// The button that goes on: to the next page, or to the end.
        case forward
    }

    package let title: String
    package let message: String
    package let responseType: ResponseType?
    package let submitLabel: String
    package var fields: [FormField]
    /// The questions on the way that the answers lead, by their ids: those before this page and, as far as is known,
    /// those after it.
    package var route: [String]
    /// The places in `fields` of what is on this page.
    package private(set) var page: [Int]
    package var focus = Focus.field(0)
    /// Why it does not go on; gone with the next key.
    package private(set) var problem: String?
    /// What is going on elsewhere, such as a daemon that went away.
    package var notice: String?
    /// Whether it asks if what was answered shall really be thrown away.
    package var asksToDismiss = false
    /// Whether it asks if it shall never come again.
    package var asksToMute = false
    /// Whether it can be said that it shall never come again: a survey, not a form, nor what a program asks.
    package var mayBeMuted = false
    /// What was answered already is before the person again, to be changed.
    package internal(set) var isChange = false
    /// Nothing is asked: it was answered, and can be changed.
    package internal(set) var isThanks = false
    /// How far the screen was scrolled by hand; nil where it follows the focus.
    package var scroll: Int? = 0
    package var size = TerminalSize(rows: 24, columns: 80)
    /// The answer of this page is being kept, and then it goes back.
    private var isGoingBack = false
    /// A program asks, and ends when it is left.
    package var isPrompt = false
    /// For a form that is filled in at leisure; nil for a survey.
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
        for index in fields.indices {
            if let answer = presentation.answers[fields[index].id] { fields[index].restore(answer) }
        }
        if presentation.hasPages {
            route = presentation.route ?? fields.map(\.id)
            // What was answered is not asked again, but can be gone back to.
            let kept = route.prefix { presentation.answers[$0] != nil }
            let open = kept.count < route.count ? route[kept.count] : route.last
            page = [fields.firstIndex { $0.id == open } ?? 0]
        }
    }

    package var hasPages: Bool { responseType == .questions }
    package var answersAtOnce: Bool { responseType == .options }
    /// The place of this page on the way, from 0.
    package var pageNumber: Int { route.firstIndex(of: fields[page[0]].id) ?? 0 }
    package var hasBack: Bool { hasPages && pageNumber > 0 }
    /// Whether the page ends the survey, as far as is known: a branch may end it earlier.
    package var isLastPage: Bool { !hasPages || page[0] == fields.count - 1 }

    /// The fields of this page.
    package var shownFields: [FormField] { page.map { fields[$0] } }

    /// The buttons below the page, from the left.
    package var buttons: [Button] {
        if let filling { return buttons(filling) }
        if answersAtOnce { return [] }
        let back = hasBack ? [Button(focus: .back, label: Words.say("Back"))] : []
        return back + [Button(focus: .forward, label: isLastPage ? submitLabel : Words.say("Next"))]
    }

    /// What can have the focus, in the order of Tab.
    package var focusOrder: [Focus] {
        let places = isLocked ? [] : page.indices.map { Focus.field($0) }
        return places + buttons.filter(\.isEnabled).map(\.focus)
    }

    /// The first rule that an answer of this page does not keep, and its field's place on the page.
    package var failing: (place: Int, problem: String)? {
        for place in page.indices {
            if let problem = fields[page[place]].problem { return (place, problem) }
        }
        return nil
    }

    /// Whether something would be lost by dismissing.
    package var holdsWork: Bool {
        hasBack || fields.contains { $0.isText && $0.value != nil }
    }

    /// The daemon did not take the answers: why.
    package mutating func refuse(_ why: String) {
        problem = why
        isGoingBack = false
    }

    /// The answer of this page is kept; goes to the page that follows on the way.
    ///
    /// - Parameter route: the way as it is now; nil where the daemon does not tell.
    /// - Returns: `.submit` when no page of a survey follows.
    package mutating func advance(along route: [String]?) -> Action? {
        let current = fields[page[0]].id
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
        page = [index]
        focus = .field(0)
        scroll = 0
        settleFocus()
    }

    /// To the page before; keeps the answer of this one, where that can be done.
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

    /// Presses the button that goes on, if the page can be left.
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

    /// Esc: dismisses, and asks first when something would be lost.
    package mutating func dismiss() -> Action? {
        // Of a form, what was begun is kept; of what is changed, what was answered.
        if filling != nil || isChange { return .leave }
        guard holdsWork else { return .dismiss }
        asksToDismiss = true
        return nil
    }

    package mutating func forgetProblem() { problem = nil }

    /// The params of `survey.answer` for the whole.
    ///
    /// - Parameters:
    ///   - locale: of one that was not presented.
    ///   - isTried: nothing is to be kept of it.
    package func answerParams(presentationId: String, locale: String? = nil, isTried: Bool = false) -> [UInt8] {
        JSONWriter.object { params in
            params.member(.presentation, presentationId)
            params.member(.locale, locale)
            if isTried { params.member(.isTried, true) }
            if hasPages {
                let answered = fields.filter { route.contains($0.id) && $0.value != nil }
                params.member(.surveyAnswers, value: FormField.answers(answered))
                return
            }
            for field in fields {
                if let value = field.value {
                    params.member(field.isText ? .writtenText : .chosenOption, value: value)
                } else if fields.count == 1 {
                    // Nothing at all is an answer too, where the survey allows it.
                    params.member(.writtenText, "")
                }
            }
        }
    }

    /// The params of `survey.answer` for this page alone; an answer that was taken back is null.
    package func pageParams(presentationId: String) -> [UInt8] {
        JSONWriter.object { params in
            params.member(.presentation, presentationId)
            params.member(.surveyAnswers, value: FormField.answers(shownFields))
            params.member(.isPartial, true)
        }
    }
}
