import HarkAsking
import HarkScreen

/// The handling of buttons and keys.
extension FormView {
    func press(_ focus: SurveyForm.Focus) {
        controller.act { $0.press(focus) }
        showProblem()
    }

    /// Moves the focus to the invalid answer.
    private func showProblem() {
        guard form.problem != nil, case .field(let place) = form.focus, form.page.indices.contains(place) else {
            return
        }
        views[form.page[place]]?.takeFocus()
    }

    func goBack() { controller.act { $0.goBack() } }

    /// Puts the survey off, with a confirmation if input would be lost.
    func leave() {
        if let ending { return done(ending) }
        let loses = form.closing == .dismiss && form.shownFields.contains { $0.isText && $0.value != nil }
        guard loses, !controller.isActing else { return controller.leave() }
        ask(
            Words.say("Answer Later?"), Words.say("Your text here is not kept."),
            yes: Words.say("Answer Later")
        ) { .leave }
    }

    func dismiss() {
        if let ending { return done(ending) }
        guard form.losesWork else { return controller.act { $0.closing } }
        ask(
            Words.say("Discard Your Answer?"),
            Words.say("Your answer is not sent, and the question does not come again now."),
            yes: Words.say("Discard")
        ) { .dismiss }
    }

    /// Mutes the survey, with a confirmation, because the result is not visible.
    func mute() {
        ask(
            Words.say("Never Ask This Again?"),
            Words.say("No app asks this again. “hark unmute” undoes that."),
            yes: Words.say("Never Again"), no: Words.say("Cancel")
        ) { .mute }
    }

    private func ask(
        _ heading: String, _ text: String, yes: String, no: String = Words.say("Go On Writing"),
        _ action: @escaping () -> SurveyForm.Action
    ) {
        frame.window.confirm(heading, text, yes: yes, no: no) { [weak self] in
            self?.controller.act { _ in action() }
        }
    }

    // MARK: Keys

    func take(_ key: Key, isFirst: Bool) -> Bool {
        if let ending { return take(key, isFirst: isFirst, at: ending) }
        return isFirst ? takeFirst(key) : takeLast(key)
    }

    private func takeFirst(_ key: Key) -> Bool {
        if key.isReturn, key.isControl {
            let focus: SurveyForm.Focus = form.buttons.contains { $0.focus == .send && $0.isEnabled } ? .send : .forward
            if form.buttons.contains(where: { $0.focus == focus && $0.isEnabled }) { press(focus) }
            return true
        }
        if key.isReturn, !key.isAlt, currentViews.contains(where: \.isInLine) {
            press(form.answerButton)
            return true
        }
        guard case .page = current, !key.isControl, !key.isAlt,
            let view = currentViews.first(where: { $0.focusedChoice != nil }) ?? restingView(for: key)
        else { return false }
        let place = view.arrowPlace
        let forward = root.isRightToLeft ? key.isLeft : key.isRight
        let backward = root.isRightToLeft ? key.isRight : key.isLeft
        let (raises, lowers) = view.pageStep == nil ? (key.isDown, key.isUp) : (key.isUp, key.isDown)
        if forward || raises {
            step(view, to: place.map { $0 + 1 } ?? 0)
        } else if backward || lowers {
            step(view, to: place.map { $0 - 1 } ?? view.choiceCount - 1)
        } else if key.isHome {
            step(view, to: 0)
        } else if key.isEnd {
            step(view, to: view.choiceCount - 1)
        } else if key.isPageUp || key.isPageDown {
            guard let page = view.pageStep, view.focusedChoice != nil else { return scrollPageAndTake(key) }
            step(view, to: (place ?? 0) + (key.isPageUp ? page : -page))
        } else if key.isReturn, place != nil, !form.answersAtOnce {
            enter(view)
        } else {
            return false
        }
        return true
    }

    /// The choices to which an arrow goes while nothing has the focus but the question.
    private func restingView(for key: Key) -> FieldView? {
        // In a search, the other keys move in its text.
        if let view = currentViews.first(where: { $0.isSearching }) { return key.isDown || key.isUp ? view : nil }
        return restingView
    }

    private var restingView: FieldView? {
        currentViews.first { $0.isResting }
            ?? (frame.window.hasNoFocus ? currentViews.first { $0.choiceCount > 0 } : nil)
    }

    private func step(_ view: FieldView, to place: Int) {
        view.step(to: place)
        frame.window.showFocus()
        if let place = view.focusedChoice, let whole = view.whole(place) { scroll?.scroll(to: whole) }
    }

    private func scrollPageAndTake(_ key: Key) -> Bool {
        scrollPage(key)
        return true
    }

    private func scrollPage(_ key: Key) { scroll?.scrollPage(key.isPageUp ? -1 : 1) }

    /// Handles Enter: takes the focused choice, then moves to the next page if there are pages, or to the next field.
    private func enter(_ view: FieldView) {
        view.takeFocused()
        if view.field.matrix != nil, let place = currentViews.firstIndex(where: { $0 === view }),
            place + 1 < currentViews.count
        {
            return rest(in: currentViews[place + 1])
        }
        if form.hasPages, form.failing == nil { return press(form.answerButton) }
        root.moveFocus(forward: true)
    }

    /// Goes to a row of a matrix, and to none of its choices.
    private func rest(in view: FieldView) {
        view.takeFocus()
        scroll?.scroll(to: view.widget)
    }

    private func takeLast(_ key: Key) -> Bool {
        if key.isEscape {
            if !frame.measures.isKiosk { dismiss() }
            return true
        }
        if key.isPageUp || key.isPageDown {
            scrollPage(key)
            return true
        }
        guard case .page = current, let letter = key.character else { return false }
        // The key is for the question with the focus, if one has it.
        let views = currentViews
        let focused = views.filter { $0.hasFocus || $0.isResting }
        return (focused.isEmpty ? views : focused).contains { $0.choose(key: letter) }
    }
}
