import HarkAsking
import HarkScreen

/// The end of a survey, and the way back from the thanks to the answer.
extension FormView {
    /// Whether the survey was answered, even if a change is not finished.
    var isAnswered: Bool { ending == .answered || ending == .held || form.isChange }

    func end(_ ending: AskEnding) {
        onEnd(ending)
        notices.show(nil)
        // The thanks were shown while the answer was held.
        if self.ending == .held, ending == .answered { return done(ending) }
        switch ending {
        case .held: thank(.held)
        case .answered where form.filling == nil: thank(.answered)
        // No visitor has begun it, so there is nobody to tell.
        case .gone where isStanding(): done(ending)
        case .gone(let why):
            let reason = why.prefix(1).uppercased() + why.dropFirst() + "."
            let words = PageMaker(form, frame.measures)
            say(ending, words.words(Words.say("No Answer Is Needed Any More"), reason, above: nil), seconds: 6)
        // An answer that is not changed still counts.
        case .left, .dismissed: done(form.isChange ? .answered : ending)
        case .answered, .muted, .waiting: done(ending)
        }
    }

    private func thank(_ ending: AskEnding) {
        // On a kiosk, another visitor may be there by now.
        let isKiosk = frame.measures.isKiosk
        if ending == .held {
            changing = Button(Words.say("Undo")) { [weak self] in self?.undo() }.styled("pill")
        } else if controller.mayBeChanged, !isKiosk {
            changing = Button(Words.say("Change Answer")) { [weak self] in self?.change() }.styled("pill")
        }
        let words = PageMaker(form, frame.measures)
        say(
            ending,
            words.words(
                form.thanks?.title ?? Words.say("Thank You"),
                form.thanks?.message ?? Words.say("Your answer was saved."), above: drawnMark(), below: changing),
            seconds: changing != nil ? AskedChange.secondsOfThanks : isKiosk ? 3 : secondsOfThanks)
    }

    /// How long the thanks stay. A survey's own text needs longer to read.
    private var secondsOfThanks: Double { form.thanks == nil ? 2.2 : 4 }

    private func say(_ ending: AskEnding, _ page: ScrollArea, seconds: Double) {
        self.ending = ending
        heading.set("", "")
        for part in [back, later, progress, footer, notices.widget] as [Widget] { part.isVisible = false }
        pages.show(page)
        scroll = page
        wantsFocus = true
        settleFocus()
        close(after: seconds)
    }

    private func close(after seconds: Double) {
        if let timer { MainLoop.forget(timer) }
        timer = MainLoop.after(seconds) { [weak self] in
            guard let self, let ending else { return }
            timer = nil
            done(ending)
        }
    }

    func done(_ ending: AskEnding) {
        if let timer { MainLoop.forget(timer) }
        timer = nil
        if ending == .held { return controller.complete() }
        let tell = onDone
        onDone = { _ in }
        tell(ending)
    }

    /// Takes the answer back, and shows it again.
    private func undo() {
        guard let changing, changing.isSensitive else { return }
        changing.isSensitive = false
        if let timer { MainLoop.forget(timer) }
        timer = nil
        controller.undo()
    }

    /// Shows the questions again after the page of thanks.
    func resume() {
        (ending, changing, isAtChanging) = (nil, nil, false)
        current = .nothing
        isFirst = true
        notices.widget.isVisible = true
    }

    private func change() {
        guard let changing, changing.isSensitive else { return }
        changing.isSensitive = false
        if let timer { MainLoop.forget(timer) }
        timer = nil
        onChange(form)
    }

    // MARK: Keys

    /// Handles a key on the final page.
    func take(_ key: Key, isFirst: Bool, at ending: AskEnding) -> Bool {
        if let changing { return take(key, isFirst: isFirst, at: ending, beside: changing) }
        guard !isFirst else { return false }
        if !frame.measures.isKiosk { done(ending) }
        return true
    }

    /// Handles a key on the page with the button for a change. Enter and Space press the button only after Tab has moved
    /// there; otherwise they close the page, as they do without a button.
    private func take(_ key: Key, isFirst: Bool, at ending: AskEnding, beside changing: Button) -> Bool {
        if key.isTab {
            close(after: AskedChange.secondsOfThanks)
            guard isFirst, !isAtChanging else { return false }
            isAtChanging = true
            return changing.takeFocus()
        }
        guard key.isEscape || key.isReturn || key.isSpace else { return false }
        if !key.isEscape, isAtChanging { return false }
        done(ending)
        return true
    }
}
