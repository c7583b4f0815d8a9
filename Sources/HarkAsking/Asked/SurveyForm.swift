package import HarkWire

/// The view of a survey, a prompt or a form: a questionnaire, the words around it, and the ways to close it. It performs no I/O
/// itself: each step of the person returns an action to send to the daemon.
///
/// A survey of type options, text or combined is one page with one or two fields; one of type questions has a page for
/// each. The daemon decides which page comes next: after each page the partial answer is sent (`.keep`), and `advance`
/// takes the returned route.
@dynamicMemberLookup
package struct SurveyForm: Sendable, Equatable {
    package typealias Focus = Questionnaire.Focus

    /// A request to send to the daemon.
    package enum Action: Sendable, Equatable {
        /// Send the answers.
        case submit
        /// Keep the answer of this page; then call `advance`.
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
    }

    package let title: String
    package let message: String
    /// Whether choosing an option is the answer.
    package let answersAtOnce: Bool
    package let submitLabel: String
    package var questionnaire: Questionnaire
    /// The text to read once it is answered; nil for the usual words.
    package private(set) var thanks: ShownSurvey.Thanks?
    /// The name of the asker: the app, if it is not the default one, the account of the program, and the machine; nil for a
    /// survey.
    package internal(set) var asker: String?
    /// A notice about something else, such as a daemon that went away.
    package var notice: String?
    /// Whether it can be muted: true for surveys only, not for forms and prompts.
    package var mayBeMuted = false
    /// Whether an answered survey is shown for a change.
    package internal(set) var isChange = false
    /// Whether this is a prompt; its program ends when the person leaves it.
    package var isPrompt = false
    /// The state of a form; nil for a survey.
    package var filling: Filling?

    package init(_ presentation: ShownSurvey) {
        (title, message) = (presentation.title, presentation.message)
        answersAtOnce = presentation.responseType == .options
        submitLabel = presentation.submitLabel ?? Words.say("Submit")
        questionnaire = Questionnaire(
            presentation.questions, presentation.hasPages ? .grouped : .one,
            route: presentation.hasPages ? presentation.route : nil, answers: presentation.answers)
        // Answered questions are not asked again, but can be revisited.
        if presentation.hasPages { questionnaire.showOpen { presentation.answers[$0] != nil } }
        mayBeMuted = !presentation.isPrompt
        thanks = presentation.thanks
        asker = presentation.askedBy.map { uid in
            let app = presentation.app == "default" ? "" : presentation.app
            return [app, "\(AccountName.of(uid))@\(MachineName.own)"].filter { !$0.isEmpty }.joined(separator: " · ")
        }
    }

    /// - Parameter reply: The form, with its questions.
    init(_ reply: FormReply, _ questionnaire: Questionnaire, _ filling: Filling) {
        (title, message) = (reply.title, reply.message)
        answersAtOnce = false
        submitLabel = Words.say("Submit")
        self.questionnaire = questionnaire
        self.filling = filling
    }

    package subscript<Value>(dynamicMember path: KeyPath<Questionnaire, Value>) -> Value {
        questionnaire[keyPath: path]
    }

    package subscript<Value>(dynamicMember path: WritableKeyPath<Questionnaire, Value>) -> Value {
        get { questionnaire[keyPath: path] }
        set { questionnaire[keyPath: path] = newValue }
    }

    /// The buttons below the page, from left to right.
    package var buttons: [Button] {
        if let filling { return buttons(filling) }
        if answersAtOnce { return [] }
        let back = questionnaire.hasBack ? [Button(focus: .back, label: Words.say("Back"))] : []
        return back + [Button(focus: .forward, label: questionnaire.isLastPage ? submitLabel : Words.say("Next"))]
    }

    /// The focusable items in tab order.
    package var focusOrder: [Focus] {
        (isLocked ? [] : questionnaire.inputs.map(Focus.field)) + buttons.filter(\.isEnabled).map(\.focus)
    }

    /// The action that closes it: a form keeps its draft, and a change keeps the earlier answer.
    package var closing: Action { filling != nil || isChange ? .leave : .dismiss }

    /// Whether closing it would lose answers.
    package var losesWork: Bool {
        closing == .dismiss && (questionnaire.hasBack || questionnaire.fields.contains { $0.isText && $0.value != nil })
    }

    /// Moves on after the answer of this page was kept, as `Questionnaire.advance` does.
    ///
    /// - Returns: `.submit` if no page of a survey follows.
    package mutating func advance(along route: [String]?, _ questions: [SurveyQuestion] = []) -> Action? {
        if questionnaire.advance(along: route, questions) {
            settleFocus()
        } else if filling == nil {
            return .submit
        } else {
            finish()
        }
        return nil
    }

    package mutating func show(page index: Int) {
        questionnaire.show(page: index)
        settleFocus()
    }

    /// Presses a button. Returns the action that follows, if any.
    package mutating func press(_ button: Focus) -> Action? {
        switch button {
        case .forward: goForward()
        case .send: send()
        case .back, .field: goBack()
        }
    }

    /// The button that Enter presses behind an answer.
    package var answerButton: Focus { filling?.isSubmitted == true ? .send : .forward }

    /// Moves to the page before, also from the end of a form. Keeps the answer of this page first, if possible.
    package mutating func goBack() -> Action? {
        if filling?.isAtEnd == true { return reopen() }
        guard questionnaire.hasBack else { return nil }
        let field = questionnaire.current
        if let filling, !filling.isSubmitted, isChanged(field), field.problem == nil {
            questionnaire.isGoingBack = true
            return .keep
        }
        questionnaire.goBack()
        settleFocus()
        return nil
    }

    /// Moves to the next page or to the end, if this page can be left.
    package mutating func goForward() -> Action? {
        if let filling { return passForward(filling) }
        guard questionnaire.checkPage() else { return nil }
        return questionnaire.hasPages ? .keep : .submit
    }

    package mutating func moveFocus(_ places: Int) {
        let order = focusOrder
        guard !order.isEmpty else { return }
        let place = (order.firstIndex(of: questionnaire.focus) ?? 0) + places
        questionnaire.focus = order[((place % order.count) + order.count) % order.count]
    }

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
        if questionnaire.hasPages {
            request.answers = AnyJSON(FormField.answers(questionnaire.named.filter { $0.value != nil }))
            return request
        }
        for field in questionnaire.fields {
            if let value = field.value {
                if field.isText { request.text = value.stringValue } else { request.option = value.stringValue }
            } else if questionnaire.fields.count == 1 {
                // An empty answer is valid if the survey allows it.
                request.text = ""
            }
        }
        return request
    }

    /// Returns the request that undoes a held answer: a survey of pages keeps its answers, and another has none.
    package func undoing(_ presentationId: String) -> SurveyAnswer {
        if questionnaire.hasPages { return pageAnswer(to: presentationId) }
        var request = SurveyAnswer(presentationId)
        request.answers = AnyJSON(JSONObject(questionnaire.fields.map { ($0.id, .null) }))
        request.partial = true
        return request
    }

    /// Returns the request that keeps this page only; a withdrawn answer is null.
    package func pageAnswer(to presentationId: String) -> SurveyAnswer {
        var request = SurveyAnswer(presentationId)
        request.answers = AnyJSON(FormField.answers(questionnaire.shownFields))
        request.partial = true
        return request
    }
}
