import HarkAsking
import HarkScreen

/// The keyboard in a question: where the focus is, and what keys choose.
extension FieldView {
    /// The focusable widgets, in the order of the choices.
    var stops: [Widget] {
        switch controls {
        case .radios(let buttons): buttons
        case .buttons(let buttons): buttons
        case .rows(let rows): rows.map(\.check)
        case .slider(let slider): [slider]
        case .text, .note: []
        }
    }

    /// The widget that gets the focus of the question.
    var target: Widget? {
        if case .text(let area) = controls { return area }
        let stops = stops
        if case .choice(let choices) = field.input, let first = choices.chosen.min(), stops.indices.contains(first) {
            return stops[first]
        }
        return stops.first
    }

    var isMultiple: Bool {
        if case .choice(let choices) = field.input { choices.isMultiple } else { false }
    }

    /// Makes one of several choices reachable by Tab; arrows move between them.
    func settleFocus() {
        switch controls {
        case .radios, .rows: break
        case .buttons, .text, .slider, .note: return
        }
        guard !isMultiple, let target else { return }
        for stop in stops where stop.isFocusable != (stop === target) { stop.isFocusable = stop === target }
    }

    /// The index of the focused choice.
    var focusedChoice: Int? { stops.firstIndex { $0.hasFocus } }
    var hasFocus: Bool {
        if case .text(let area) = controls { area.hasFocus } else { focusedChoice != nil }
    }

    /// Whether the question has the focus, and none of its choices.
    var isResting: Bool { widget.hasFocus }

    /// Focuses the text or the chosen choice, or else only the question, so that no key presses a choice by accident.
    func takeFocus() {
        let hasTarget =
            switch field.input {
            case .text: true
            case .choice(let choices): !choices.chosen.isEmpty
            case .slider(let scale): scale.number != nil
            case .note: false
            }
        if hasTarget, target?.takeFocus() == true { return }
        widget.takeFocusItself()
    }

    /// The whole row or button of a choice.
    func whole(_ place: Int) -> Widget? {
        switch controls {
        case .rows(let rows): rows.indices.contains(place) ? rows[place] : nil
        case .radios, .buttons, .text, .slider, .note: stops.indices.contains(place) ? stops[place] : nil
        }
    }

    /// Moves to another choice, and chooses it in a single choice. The index is clamped; what a search hides is passed
    /// over, in the direction of the movement.
    func step(to place: Int) {
        if case .slider(let slider) = controls {
            slider.takeFocus()
            return moveMark(to: place)
        }
        let stops = stops
        let shown = stops.indices.filter { whole($0)?.isVisible == true }
        guard let first = shown.first, let last = shown.last else { return }
        let isBackward = focusedChoice.map { place < $0 } ?? false
        let wanted = min(max(place, first), last)
        let place = (isBackward ? shown.last { $0 <= wanted } : shown.first { $0 >= wanted }) ?? wanted
        stops[place].isFocusable = true
        stops[place].takeFocus()
        if !isMultiple, !answersAtOnce { take(place) }
    }

    private func take(_ place: Int) {
        switch controls {
        case .radios(let buttons): buttons[place].isOn = true
        case .rows(let rows): rows[place].isOn = isMultiple ? !rows[place].isOn : true
        case .buttons: chose(place, true)
        case .text, .slider, .note: break
        }
    }

    /// Handles Enter on a choice: chooses it in a single choice.
    func takeFocused() {
        if let place = focusedChoice, !isMultiple { take(place) }
    }

    /// Whether the person is typing in the search field.
    var isSearching: Bool { search?.containsFocus == true }

    /// Chooses the choice with that key, or begins a search with it where there is one. Returns false if there is
    /// none.
    func choose(key: Character) -> Bool {
        if let search {
            search.write(String(key))
            return true
        }
        guard case .choice(let choices) = field.input,
            let place = typed.place(of: key, in: choices), stops[place].isSensitive
        else { return false }
        stops[place].isFocusable = true
        stops[place].takeFocus()
        take(place)
        return true
    }

    var choiceCount: Int {
        if case .slider(let scale) = field.input { scale.steps + 1 } else { stops.count }
    }
    /// The place from which an arrow moves, once the question has the focus; nil while nothing is chosen or focused.
    var arrowPlace: Int? {
        if case .slider(let scale) = field.input { scale.place } else { focusedChoice }
    }
    /// Whether the person is typing in a line, which Enter ends.
    var isInLine: Bool {
        if case .text(let text) = field.input, text.isOneLine { hasFocus } else { false }
    }
    /// How far a page key moves the slider; nil if the key scrolls the page.
    var pageStep: Int? {
        if case .slider(let scale) = field.input { scale.page } else { nil }
    }
}
