import HarkAsking
import HarkWire

/// Filling in a form line by line.
extension PlainDialog {
    /// The line above a question.
    var head: String {
        guard form.filling != nil, let number = form.questionNumber else { return "" }
        return "Question \(number) of \(form.questionCount)\n"
    }

    /// The line below a question.
    var hint: String {
        [form.filling == nil ? nil : field.choiceHint, field.ends.line, field.legend]
            .compactMap { $0.map { Self.visible($0) + "\n" } }.joined()
    }

    /// The earlier answer, which is kept if no other is given.
    var keptAnswer: String {
        guard let filling = form.filling, let kept = filling.kept[field.id] else { return "" }
        let failure = filling.submissions[field.id]?.failure.map { "\(VisibleText.make($0)).\n" } ?? ""
        return failure + "Now: \(label(of: kept)). An empty line leaves it so.\n"
    }

    private func label(of answer: JSONValue) -> String {
        let values = answer.arrayValue ?? [answer]
        return values.map { value in
            if case .choice(let field) = field.input, let choice = field.choices.first(where: { $0.value == value }) {
                return VisibleText.make(choice.label)
            }
            return VisibleText.make(value.stringValue ?? value.description)
        }.joined(separator: ", ")
    }

    /// The key that goes back.
    var fillingKeys: String { form.hasBack ? "< back, " : "" }

    /// Skips questions whose answers are final.
    mutating func beginFilling() {
        form.filling?.isAtStart = false
        if let first = form.filling?.firstOpen(along: form.route),
            let place = form.fields.firstIndex(where: { $0.id == first })
        {
            form.show(page: place)
        }
        if form.isLocked || form.filling?.isAtEnd == true { _ = ask() }
    }

    mutating func takeFilling(_ line: String) -> (text: String, action: SurveyForm.Action?) {
        let wasRetrying = isRetrying
        isRetrying = false
        if line == "<", form.hasBack {
            let action = form.goBack()
            return (action == nil ? question : "", action)
        }
        if wasRetrying, line.isEmpty { return ("", .retry(field.id)) }
        if wasRetrying, line == ">" { return (ask(after: true), nil) }
        if !field.isText, line.lowercased() == "q" { return ("", .leave) }
        let keeps = line.isEmpty && form.filling?.kept[field.id] != nil
        if !keeps, let problem = put(line) { return (problem + "\n" + request, nil) }
        if form.filling?.isSubmitted == true {
            if keeps || field.value == nil { return (ask(after: true), nil) }
            let action = form.press(.send)
            return (action == nil ? (form.problem ?? "") + "\n" + request : "", action)
        }
        let action = form.goForward()
        return (action == nil ? ask() : "", action)
    }

    /// Continues after a change in the state of the submission.
    mutating func goOn() -> (text: String, action: SurveyForm.Action?) {
        guard let filling = form.filling, let submission = filling.submissions[field.id] else { return (question, nil) }
        let word = submission.failure.map { "Failure.... \(VisibleText.make($0))" } ?? "It is on its way"
        switch submission.state {
        case .submitted:
            return ("Success! \(VisibleText.make(filling.progress.text))\n" + ask(after: true), nil)
        case .queued, .sending:
            return (word + ".\n" + ask(after: true), nil)
        case .failed, .unconfirmed:
            isRetrying = true
            return (word + ".\nAn empty line tries again, > goes on, another answer takes its place: ", nil)
        }
    }

    /// Returns the next question that can be answered; empty if there is none, and the form is then finished.
    ///
    /// - Parameter after: Whether to skip the current question.
    mutating func ask(after: Bool = false) -> String {
        isRetrying = false
        place = 0
        guard let filling = form.filling, !filling.isAtEnd else {
            ending = .answered
            return ""
        }
        let from = form.pageNumber + (after ? 1 : 0)
        let open = form.route.dropFirst(from).first { id in
            guard let submission = filling.submissions[id] else { return true }
            return submission.isOpen && submission.state != .queued
        }
        guard let open, let next = form.fields.firstIndex(where: { $0.id == open }) else {
            ending = filling.isCompleted ? .answered : filling.hasWaiting ? .waiting : .left
            return ""
        }
        if form.page != [next] { form.show(page: next) }
        return field.isNote ? question + ask(after: true) : question
    }
}

extension Filling {
    /// The question to start with when asking one at a time: one whose state is unknown, failed or not answered.
    fileprivate func firstOpen(along route: [String]) -> String? {
        let states = [SubmissionState.unconfirmed, .failed]
        return states.compactMap { state in route.first { submissions[$0]?.state == state } }.first
            ?? (kept.isEmpty ? route.first : progress.next)
    }

    var hasWaiting: Bool { submissions.values.contains { $0.state == .queued || $0.state == .sending } }
}
