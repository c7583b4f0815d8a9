import HarkWire

/// A form that is filled in at leisure: back and forth, with what was answered kept.
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
        // What was submitted is not asked again; the rest can be gone through.
        filling.isAtEnd = reply.isCompleted && !reply.isEditable
        self.filling = filling
        show(page: fields.firstIndex { $0.id == reply.firstPage } ?? 0)
        if filling.isAtStart || filling.isAtEnd { focus = .forward }
    }

    /// One of the buttons of a page.
    package struct Button: Sendable, Equatable {
        package let focus: Focus
        package let label: String
        package var isEnabled = true
    }

    /// The field of the page of a form.
    package var current: FormField { fields[page[0]] }

    /// Whether the answer of this page is final.
    package var isLocked: Bool { filling?.isLocked(current.id) ?? false }

    /// Whether this page holds another answer than the daemon has.
    package func isChanged(_ field: FormField) -> Bool { field.value != filling?.kept[field.id] }

    /// The buttons of a page of a form.
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

    /// What is begun and not given as an answer, and the question that is on the screen.
    package var draft: KeptDraft {
        guard let filling else { return KeptDraft() }
        var draft = KeptDraft(page: filling.isAtStart ? nil : current.id)
        for field in fields where isChanged(field) && !filling.isLocked(field.id) {
            draft.answers[field.id] = field.draft
        }
        return draft
    }

    /// Leaves what the form is about for its first question.
    package mutating func begin() {
        filling?.isAtStart = false
        show(page: page[0])
    }

    /// Goes back from the end to the last page.
    package mutating func reopen() {
        filling?.isAtEnd = false
        focus = .field(0)
        settleFocus()
    }

    /// Sends the answer of this page, where answers go to a server.
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

    /// To the next page, if this one can be left; keeps its answer, where answers stay here.
    package mutating func passForward() -> Action? {
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

    /// After the last page: everything is answered, or something is not.
    package mutating func finish() {
        guard let filling else { return }
        if filling.isCompleted {
            self.filling?.isAtEnd = true
            focus = .forward
            scroll = 0
        } else if let place = fields.firstIndex(where: { $0.id == filling.progress.next }), page != [place] {
            show(page: place)
            refuse(Words.say("This question waits for an answer."))
        }
    }

    /// Takes in how the form stands now.
    package mutating func update(_ reply: FormReply, now: Double) {
        let wasCompleted = filling?.isCompleted ?? false
        let wasLocked = isLocked
        filling?.update(reply, now: now)
        // Questions that have come since are asked the next time.
        let known = reply.route.filter { id in fields.contains { $0.id == id } }
        if !known.isEmpty { route = known }
        if filling?.isSubmitted == true, !wasCompleted, reply.isCompleted, reply.progress.next == nil { finish() }
        // What was not taken is there to be changed, or sent again.
        if wasLocked, !isLocked { focus = .send }
        settleFocus()
    }

    /// A button that is disabled now cannot have the focus.
    package mutating func settleFocus() {
        guard filling != nil, !focusOrder.contains(focus) else { return }
        let order = focusOrder
        focus = [Focus.forward, .back].first { order.contains($0) } ?? order.first ?? .field(0)
    }
}
