import HarkWire

/// A form filled in at leisure: back and forth, with answers kept.
extension SurveyForm {
    package init(filling reply: FormReply) {
        self.init(
            title: reply.title, message: reply.message, responseType: .questions, submitLabel: Words.say("Submit"),
            fields: reply.questions.map { FormField($0) }, route: reply.route)
        for index in fields.indices {
            if let answer = reply.answers[fields[index].id] { fields[index].restore(answer) }
        }
        var filling = Filling(reply)
        for index in fields.indices where !filling.isLocked(fields[index].id) {
            if let draft = reply.draft.answers[fields[index].id] { fields[index].restore(draft) }
        }
        filling.showTrouble(along: reply.route)
        filling.isAtStart = reply.isUntouched
        // Submitted answers are not asked again; other forms can be reviewed.
        filling.isAtEnd = reply.isCompleted && !reply.isEditable
        self.filling = filling
        show(page: fields.firstIndex { $0.id == reply.firstPage } ?? 0)
        if filling.isAtStart || filling.isAtEnd { focus = .forward }
    }

    /// A button on a page.
    package struct Button: Sendable, Equatable {
        package let focus: Focus
        package let label: String
        package var isEnabled = true
    }

    /// The field of a form's current page.
    package var current: FormField { fields[page[0]] }

    /// Whether the answer of this page is final.
    package var isLocked: Bool { filling?.isLocked(current.id) ?? false }

    /// Whether a field has another answer than the daemon.
    package func isChanged(_ field: FormField) -> Bool { field.value != filling?.kept[field.id] }

    /// Returns the buttons on a form's page.
    package func buttons(_ filling: Filling) -> [Button] {
        if filling.isAtStart { return [Button(focus: .forward, label: filling.startLabel)] }
        if filling.isAtEnd { return [Button(focus: .forward, label: filling.completionLabel)] }
        let isLast = pageNumber + 1 == route.count
        let canPass = filling.isSubmitted ? !isLast || filling.isCompleted : current.problem == nil
        let canSend = !isLocked && current.value != nil && current.problem == nil
        return [Button(focus: .back, label: Words.say("Previous"), isEnabled: hasBack)]
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
        var draft = KeptDraft(page: filling.isAtStart ? nil : current.id)
        for field in fields where isChanged(field) && !filling.isLocked(field.id) {
            draft.answers[field.id] = field.draft
        }
        return draft
    }

    /// Moves from the introduction to the first question.
    package mutating func begin() {
        filling?.isAtStart = false
        show(page: page[0])
    }

    /// Returns from the end to the last page.
    package mutating func reopen() {
        filling?.isAtEnd = false
        focus = firstFocus
        settleFocus()
    }

    /// Sends the answer of this page to the server, in forms with one.
    package mutating func send() -> Action? {
        guard let filling else { return nil }
        if isLocked {
            let isDone = filling.submissions[current.id]?.state == .submitted
            refuse(
                isDone
                    ? Words.say("This answer was submitted, and is final.") : Words.say("This answer is on its way."))
        } else if let problem = current.problem ?? (current.value == nil ? Words.say("Write something first.") : nil) {
            refuse(problem)
            focus = .field(0)
        } else {
            return .send
        }
        return nil
    }

    /// Moves to the next page, if this one can be left. In forms without a server, keeps its answer first.
    mutating func passForward() -> Action? {
        guard let filling else { return nil }
        if !filling.isSubmitted {
            if let problem = current.problem {
                refuse(problem)
                focus = .field(0)
                return nil
            }
            if isChanged(current) { return .keep }
        } else if !buttons.contains(where: { $0.focus == .forward && $0.isEnabled }) {
            return nil
        }
        return advance(along: route)
    }

    /// Ends the form after the last page, or reports what is not answered.
    package mutating func finish() {
        guard let filling else { return }
        if filling.isCompleted {
            self.filling?.isAtEnd = true
            focus = .forward
        } else if let place = fields.firstIndex(where: { $0.id == filling.progress.next }), page != [place] {
            show(page: place)
            refuse(Words.say("This question waits for an answer."))
        }
    }

    /// Applies the form's new state.
    package mutating func update(_ reply: FormReply, now: Double) {
        let wasCompleted = filling?.isCompleted ?? false
        let wasLocked = isLocked
        filling?.update(reply, now: now)
        // New questions are asked the next time.
        let known = reply.route.filter { id in fields.contains { $0.id == id } }
        if !known.isEmpty { route = known }
        if filling?.isSubmitted == true, !wasCompleted, reply.isCompleted, reply.progress.next == nil { finish() }
        // A refused answer can be changed or sent again.
        if wasLocked, !isLocked { focus = .send }
        settleFocus()
    }

    /// Moves the focus away from a button that is disabled now.
    package mutating func settleFocus() {
        guard filling != nil, !focusOrder.contains(focus) else { return }
        let order = focusOrder
        focus = [Focus.forward, .back].first { order.contains($0) } ?? order.first ?? .field(0)
    }
}
