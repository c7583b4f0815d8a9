import HarkWire

/// A form that is filled in at leisure: back and forth, with what was answered kept.
extension SurveyForm {
    init(filling reply: FormReply) {
        self.init(
            title: reply.title, message: reply.message, responseType: .questions, submitLabel: "Submit",
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
    struct Button: Sendable, Equatable {
        let focus: Focus
        let label: String
        var isEnabled = true
    }

    /// The field of the page of a form.
    var current: FormField { fields[page[0]] }

    /// Whether the answer of this page is final.
    var isLocked: Bool { filling?.isLocked(current.id) ?? false }

    /// Whether this page holds another answer than the daemon has.
    func isChanged(_ field: FormField) -> Bool { field.value != filling?.kept[field.id] }

    /// The buttons of a page of a form.
    func buttons(_ filling: Filling) -> [Button] {
        if filling.isAtStart { return [Button(focus: .forward, label: filling.startLabel)] }
        if filling.isAtEnd { return [Button(focus: .forward, label: filling.completionLabel)] }
        let isLast = pageNumber + 1 == route.count
        let canPass = filling.isSubmitted ? !isLast || filling.isCompleted : current.problem == nil
        let canSend = !isLocked && current.value != nil && current.problem == nil
        return [Button(focus: .back, label: "Previous", isEnabled: hasBack)]
            + (filling.isSubmitted ? [Button(focus: .send, label: "Submit", isEnabled: canSend)] : [])
            + [
                Button(
                    focus: .forward, label: isLast && (!filling.isSubmitted || filling.isCompleted) ? "Finish" : "Next",
                    isEnabled: canPass)
            ]
    }

    /// What is begun and not given as an answer, and the question that is on the screen.
    var draft: FormDraft {
        guard let filling else { return FormDraft() }
        var draft = FormDraft(page: filling.isAtStart ? nil : current.id)
        for field in fields where isChanged(field) && !filling.isLocked(field.id) {
            draft.answers[field.id] = field.draft
        }
        return draft
    }

    /// Sends the answer of this page, where answers go to a server.
    mutating func send() -> Action? {
        guard let filling else { return nil }
        if isLocked {
            let isDone = filling.submissions[current.id]?.state == .submitted
            refuse(isDone ? "This answer was submitted, and is final." : "This answer is on its way.")
        } else if let problem = current.problem ?? (current.value == nil ? "Write something first." : nil) {
            refuse(problem)
            focus = .field(0)
        } else {
            return .send
        }
        return nil
    }

    /// To the next page, if this one can be left; keeps its answer, where answers stay here.
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

    /// After the last page: everything is answered, or something is not.
    mutating func finish() {
        guard let filling else { return }
        if filling.isCompleted {
            self.filling?.isAtEnd = true
            focus = .forward
            scroll = 0
        } else if let place = fields.firstIndex(where: { $0.id == filling.progress.next }), page != [place] {
            show(page: place)
            refuse("This question waits for an answer.")
        }
    }

    /// Takes in how the form stands now.
    mutating func update(_ reply: FormReply, now: Double) {
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
    mutating func settleFocus() {
        guard filling != nil, !focusOrder.contains(focus) else { return }
        let order = focusOrder
        focus = [Focus.forward, .back].first { order.contains($0) } ?? order.first ?? .field(0)
    }

    mutating func handleAtStart(_ key: Key) -> Action? {
        switch key {
        case .enter, .character(" "), .right, .control("n"), .control("d"):
            filling?.isAtStart = false
            show(page: page[0])
        case .escape, .control("c"), .character("q"): return .leave
        case .control("l"): return .redraw
        case .control("z"): return .suspend
        default: break
        }
        return nil
    }

    mutating func handleAtEnd(_ key: Key) -> Action? {
        switch key {
        case .enter, .escape, .control("c"), .control("d"), .character(" "), .character("q"): return .leave
        case .left, .backspace, .control("p"), .character("b"):
            filling?.isAtEnd = false
            focus = .field(0)
            settleFocus()
        case .control("l"): return .redraw
        case .control("z"): return .suspend
        default: break
        }
        return nil
    }
}
