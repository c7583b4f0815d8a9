import HarkWire

/// A form filled in at leisure: back and forth, with answers kept.
extension SurveyForm {
    package init(filling reply: FormReply) {
        var filling = Filling(reply)
        filling.showTrouble(along: reply.route)
        filling.isAtStart = reply.isUntouched
        // Submitted answers are not asked again; other forms can be reviewed.
        filling.isAtEnd = reply.isCompleted && !reply.isEditable
        var pages = Questionnaire(reply.questions, .each, route: reply.route, answers: reply.answers)
        for index in pages.fields.indices where !filling.isLocked(pages.fields[index].id) {
            if let draft = reply.draft.answers[pages.fields[index].id] { pages.fields[index].restore(draft) }
        }
        pages.show(reply.firstPage)
        self.init(reply, pages, filling)
        settleFocus()
        if filling.isAtStart || filling.isAtEnd { questionnaire.focus = .forward }
    }

    /// A button on a page.
    package struct Button: Sendable, Equatable {
        package let focus: Focus
        package let label: String
        package var isEnabled = true
    }

    /// Whether the answer of this page is final.
    package var isLocked: Bool { filling?.isLocked(questionnaire.current.id) ?? false }

    /// Whether a field has another answer than the daemon.
    package func isChanged(_ field: FormField) -> Bool { field.value != filling?.kept[field.id] }

    /// Returns the buttons on a form's page.
    package func buttons(_ filling: Filling) -> [Button] {
        if filling.isAtStart { return [Button(focus: .forward, label: filling.startLabel)] }
        if filling.isAtEnd { return [Button(focus: .forward, label: filling.completionLabel)] }
        let current = questionnaire.current
        let isLast = questionnaire.pageNumber + 1 == questionnaire.route.count
        let canPass = filling.isSubmitted ? !isLast || filling.isCompleted : current.problem == nil
        let canSend = !isLocked && current.value != nil && current.problem == nil
        return [Button(focus: .back, label: Words.say("Previous"), isEnabled: questionnaire.hasBack)]
            + (filling.isSubmitted ? [Button(focus: .send, label: Words.say("Submit"), isEnabled: canSend)] : [])
            + [
                Button(
                    focus: .forward,
                    label: isLast && (!filling.isSubmitted || filling.isCompleted)
                        ? Words.say("Finish") : Words.say("Next"),
                    isEnabled: canPass)
            ]
    }

    /// The unfinished answers, and the current question.
    package var draft: KeptDraft {
        guard let filling else { return KeptDraft() }
        var draft = KeptDraft(page: filling.isAtStart ? nil : questionnaire.current.id)
        for field in questionnaire.fields where isChanged(field) && !filling.isLocked(field.id) {
            draft.answers[field.id] = field.draft
        }
        return draft
    }

    /// Returns from the end to the last page.
    mutating func reopen() -> Action? {
        filling?.isAtEnd = false
        questionnaire.focus = questionnaire.firstFocus
        settleFocus()
        return nil
    }

    /// Sends the answer of this page to the server, in forms with one.
    mutating func send() -> Action? {
        guard let filling else { return nil }
        let field = questionnaire.current
        if isLocked {
            questionnaire.problem =
                filling.submissions[field.id]?.state == .submitted
                ? Words.say("This answer was submitted, and is final.") : Words.say("This answer is on its way.")
        } else if questionnaire.checkPage() {
            if field.value != nil { return .send }
            questionnaire.problem = Words.say("Write something first.")
            questionnaire.focus = .field(0)
        }
        return nil
    }

    /// Moves from the introduction to the first question, or to the next page, if this one can be left. In forms without a
    /// server, keeps its answer first. At the end, leaves.
    mutating func passForward(_ filling: Filling) -> Action? {
        if filling.isAtEnd { return .leave }
        if filling.isAtStart {
            self.filling?.isAtStart = false
            show(page: questionnaire.page[0])
            return nil
        }
        if !filling.isSubmitted {
            guard questionnaire.checkPage() else { return nil }
            if isChanged(questionnaire.current) { return .keep }
        } else if !buttons.contains(where: { $0.focus == .forward && $0.isEnabled }) {
            return nil
        }
        return advance(along: questionnaire.route)
    }

    /// Ends the form after the last page, or shows the next question without an answer.
    mutating func finish() {
        guard let filling else { return }
        if filling.isCompleted {
            self.filling?.isAtEnd = true
            questionnaire.focus = .forward
        } else if let next = filling.progress.next, next != questionnaire.current.id, questionnaire.has(next) {
            questionnaire.show(next)
            settleFocus()
            questionnaire.problem = Words.say("This question needs an answer.")
        }
    }

    /// Applies the form's new state.
    package mutating func update(_ reply: FormReply, now: Double) {
        let wasCompleted = filling?.isCompleted ?? false
        let wasLocked = isLocked
        filling?.update(reply, now: now)
        // New questions are asked the next time.
        let known = reply.route.filter { questionnaire.has($0) }
        if !known.isEmpty { questionnaire.route = known }
        if filling?.isSubmitted == true, !wasCompleted, reply.isCompleted, reply.progress.next == nil { finish() }
        // A refused answer can be changed or sent again.
        if wasLocked, !isLocked { questionnaire.focus = .send }
        settleFocus()
    }

    /// Moves the focus away from a button that is disabled now.
    package mutating func settleFocus() {
        guard filling != nil, !focusOrder.contains(questionnaire.focus) else { return }
        let order = focusOrder
        questionnaire.focus = [Focus.forward, .back].first { order.contains($0) } ?? order.first ?? .field(0)
    }
}
