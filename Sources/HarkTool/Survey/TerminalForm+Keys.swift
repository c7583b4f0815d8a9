import HarkAsking

extension TerminalForm {
    typealias Action = SurveyForm.Action

    /// Handles a key. Returns the action to carry out, if any.
    mutating func handle(_ key: TerminalKey) -> Action? {
        if asks != nil { return confirm(key) }
        if form.filling?.isAtStart == true { return handleAtStart(key) }
        if form.filling?.isAtEnd == true { return handleAtEnd(key) }
        switch key {
        case .pageUp, .pageDown:
            scrollPage(key == .pageUp ? -1 : 1)
            return nil
        case .control("c"): return .leave
        default: break
        }
        form.problem = nil
        scroll = nil
        switch key {
        case .escape:
            if !form.losesWork { return form.closing }
            asks = .dismiss
        case .control("x") where form.mayBeMuted: asks = .mute
        case .tab: form.moveFocus(1)
        case .backTab: form.moveFocus(-1)
        case .control("d") where !form.answersAtOnce: return form.press(form.answerButton)
        case .control("n") where form.filling != nil: return form.goForward()
        case .control("p") where form.filling != nil: return form.goBack()
        case .control("r"): return form.filling?.retry(on: form.current.id).map(Action.retry)
        default: return handleInFocus(key)
        }
        return nil
    }

    /// Handles the reply to whether to dismiss the survey, or to mute it.
    mutating func confirm(_ key: TerminalKey) -> Action? {
        switch key {
        case .character("y"), .character("Y"): return asks
        case .control("c"): return .leave
        case .character("n"), .character("N"), .escape, .enter: asks = nil
        default: break
        }
        return nil
    }

    mutating func handleAtStart(_ key: TerminalKey) -> Action? {
        switch key {
        case .enter, .character(" "), .right, .control("n"), .control("d"): return form.goForward()
        case .escape, .control("c"), .character("q"): return .leave
        default: break
        }
        return nil
    }

    mutating func handleAtEnd(_ key: TerminalKey) -> Action? {
        switch key {
        case .enter, .escape, .control("c"), .control("d"), .character(" "), .character("q"): return .leave
        case .left, .backspace, .control("p"), .character("b"): return form.goBack()
        default: break
        }
        return nil
    }

    private mutating func handleInFocus(_ key: TerminalKey) -> Action? {
        guard case .field(let place) = form.focus else { return handleOnButton(key) }
        if form.isLocked { return nil }
        // The key may turn the page.
        let index = form.page[place]
        switch form.fields[index].input {
        case .choice(var field):
            let action = handle(key, &field, at: place)
            form.fields[index].input = .choice(field)
            return action
        case .slider(var field):
            if key == .enter { return enter(at: place) }
            handle(key, &field)
            form.fields[index].input = .slider(field)
            return nil
        case .note: return nil
        case .text(var field):
            if key == .enter, field.isOneLine { return enter(at: place) }
            if !field.handle(key, width: SurveyScreen.textWidth(size)) {
                if key == .up { moveFocus(up: true) }
                if key == .down { moveFocus(up: false) }
            }
            form.fields[index].input = .text(field)
            return nil
        }
    }

    private mutating func handle(_ key: TerminalKey, _ field: inout ChoiceField, at place: Int) -> Action? {
        switch key {
        case .up, .left:
            if field.cursor == 0 { moveFocus(up: true) }
            field.move(-1)
        case .down, .right:
            if field.cursor == field.choices.count - 1 { moveFocus(up: false) }
            field.move(1)
        case .home: field.point(at: 0)
        case .end: field.point(at: field.choices.count - 1)
        case .character(" "):
            field.choose()
            return form.answersAtOnce && field.value != nil ? .submit : nil
        case .character(let letter):
            let isChosen = field.choose(key: letter, &typed[form.page[place], default: TypedNumber()])
            return isChosen && form.answersAtOnce ? .submit : nil
        case .enter: return enter(&field, at: place)
        default: break
        }
        return nil
    }

    /// Moves the mark of a scale. Digits are places of a tenth of it, and 0 is its low end.
    private mutating func handle(_ key: TerminalKey, _ field: inout ScaleField) {
        switch key {
        case .left, .character("-"): field.move(-1)
        case .right, .character("+"), .character(" "): field.move(1)
        case .wordLeft: field.move(-field.page)
        case .wordRight: field.move(field.page)
        case .home: field.set(place: 0)
        case .end: field.set(place: field.steps)
        case .backspace, .delete: field.clear()
        case .up: moveFocus(up: true)
        case .down: moveFocus(up: false)
        case .character(let letter):
            if let digit = letter.wholeNumberValue, (0...9).contains(digit) {
                field.set(place: digit * field.steps / 10)
            }
        default: break
        }
    }

    /// Handles Enter: takes the selected choice, if any, and moves on. Each page has its own button, which Enter in the
    /// last field presses; the single button of a combined survey is not pressed.
    private mutating func enter(_ field: inout ChoiceField, at place: Int) -> Action? {
        if !field.isMultiple { field.choose() }
        form.fields[form.page[place]].input = .choice(field)
        return field.isMultiple ? goOn(from: place) : enter(at: place)
    }

    /// Handles Enter behind an answer: moves on, if nothing is wrong with it.
    private mutating func enter(at place: Int) -> Action? {
        form.problem = form.fields[form.page[place]].problem
        if form.problem != nil { return nil }
        return form.answersAtOnce ? .submit : goOn(from: place)
    }

    /// Moves on behind an answer.
    private mutating func goOn(from place: Int) -> Action? {
        if form.filling?.isSubmitted == true {
            if form.focusOrder.contains(.send) { form.focus = .send }
            return nil
        }
        if form.hasPages, place == form.page.count - 1 { return form.goForward() }
        moveFocus(up: false)
        if form.focus == .back { form.focus = .forward }
        return nil
    }

    private mutating func handleOnButton(_ key: TerminalKey) -> Action? {
        switch key {
        case .enter, .character(" "): return form.press(form.focus)
        case .up:
            if !form.isLocked { form.focus = .field(form.page.count - 1) }
        case .left: moveFocus(up: true)
        case .right: moveFocus(up: false)
        case .character(let letter):
            // The keys of choices also work while a button has the focus, where they mean one question.
            for place in form.page.indices where !form.isLocked && (form.matrixPrompt == nil || form.page.count == 1) {
                let index = form.page[place]
                guard case .choice(var field) = form.fields[index].input,
                    field.choose(key: letter, &typed[index, default: TypedNumber()])
                else { continue }
                form.fields[index].input = .choice(field)
                form.focus = .field(place)
                break
            }
        default: break
        }
        return nil
    }

    /// Moves the focus to the neighbour, if there is one. Arrows do not wrap around.
    private mutating func moveFocus(up: Bool) {
        let order = form.focusOrder
        guard let place = order.firstIndex(of: form.focus) else { return }
        form.focus = order[min(max(place + (up ? -1 : 1), 0), order.count - 1)]
    }

    private mutating func scrollPage(_ direction: Int) {
        let screen = SurveyScreen(self)
        let rows = screen.bodyRows
        let top = screen.top + direction * max(1, rows - 1)
        scroll = min(max(top, 0), max(0, screen.body.lines.count - rows))
    }
}

extension TextField {
    /// Handles a key. Returns false if it has no meaning in the text, or there is no room to move.
    fileprivate mutating func handle(_ key: TerminalKey, width: Int) -> Bool {
        switch key {
        case .character(let character): editor.insert(String(character))
        case .paste(let text): editor.insert(text)
        case .enter: editor.insert("\n")
        case .backspace, .control("h"): editor.deleteBackward()
        case .delete: editor.deleteForward()
        case .left, .control("b"): editor.moveLeft()
        case .right, .control("f"): editor.moveRight()
        case .wordLeft: editor.moveWordLeft()
        case .wordRight: editor.moveWordRight()
        case .home, .control("a"): editor.moveToLineStart()
        case .end, .control("e"): editor.moveToLineEnd()
        case .control("w"): editor.deleteWord()
        case .control("u"): editor.deleteToLineStart()
        case .control("k"): editor.deleteToLineEnd()
        case .up: return editor.moveRows(-1, width: width)
        case .down: return editor.moveRows(1, width: width)
        default: return false
        }
        return true
    }
}
