import HarkAsking
import HarkScreen

/// The view of a survey or form: a header, the current page, and the buttons below it.
final class FormView {
    let controller: FormController
    /// Called after the end, when the final message is gone.
    var onDone: (AskEnding) -> Void = { _ in }
    /// Called when an answered survey is to be changed.
    var onChange: (SurveyForm) -> Void = { _ in }
    /// Whether it is the survey of a kiosk's screen, and no visitor has begun it.
    var isStanding: () -> Bool = { false }
    /// Called at the end, before the final message.
    var onEnd: (AskEnding) -> Void = { _ in }

    let frame: Frame
    let heading = WindowTitle()
    let back: Button
    let later: Widget
    /// For how long the survey is put off, in seconds; nil if a person did not say.
    var putOff: Int64?
    let progress = ProgressBar(name: Words.say("Progress")).styled("osd")
    let pages = Stack()
    let footer = HorizontalBox(spacing: 12).aligned(x: .center).padded(x: 24, top: 6, bottom: 24)
    var buttons: [SurveyForm.Focus: Button] = [:]
    let root: Widget

    var views: [Int: FieldView] = [:]
    var shown: [String: Page] = [:]
    /// The texts with which a page was laid out.
    var told: [String: [String]] = [:]
    var current = Place.nothing
    let notices: NoticeBar
    /// The notice of a refused action, as long as the form reports it.
    private var refusal: NoticeBar.Notice?
    /// The ending while the final page is shown; the next key closes the page.
    var ending: AskEnding?
    /// The button for a change of the answer, on the page of thanks.
    var changing: Button?
    /// Whether a key has moved the focus there.
    var isAtChanging = false
    /// The timer that closes the page of thanks.
    var timer: UInt32?
    var isFirst = true
    var mark: CheckMark?
    /// Whether the new page should get the focus.
    var wantsFocus = false
    var scroll: ScrollArea?

    enum Place: Equatable {
        case nothing, start, end
        case page(Int)
    }

    struct Page {
        let widget: Widget
        let scroll: ScrollArea?
    }

    init(_ controller: FormController, in frame: Frame) {
        self.controller = controller
        self.frame = frame
        var goBack: () -> Void = {}
        var leave: (Int64?) -> Void = { _ in }
        var mute: () -> Void = {}
        back = Button(icon: "go-previous-symbolic") { goBack() }.named(Words.say("Previous"))
            .tipped(Words.say("Previous"))
        if controller.form.isChange {
            later = Button(Words.say("Cancel")) { leave(nil) }.styled("flat")
        } else if controller.form.mayBeMuted {
            var choices = [
                Button(Words.say("In an Hour")) { leave(3_600) }, Button(Words.say("Tomorrow")) { leave(86_400) },
            ]
            // A person at a shared screen cannot decide for others.
            if frame.measures.kind == .window {
                choices.append(
                    Button(Words.say("Don't Ask Again")) { mute() }.tipped(
                        Words.say("Never ask me this again, in any app")))
            }
            later = SplitButton(Words.say("Later"), menu: Words.say("Ask Me Later"), choices) { leave(nil) }
                .styled("flat").tipped(Words.say("Ask me again another time"))
        } else {
            later = Button(Words.say("Later")) { leave(nil) }.styled("flat").tipped(
                Words.say("Ask me again another time"))
        }
        notices = NoticeBar(width: frame.measures.width)
        if frame.measures.isKiosk {
            // A kiosk has nothing to put off or close, and the back button is next to the others.
            let middle = VerticalBox(pages, notices.widget, footer).expanding(y: true).aligned(y: .center)
            root = VerticalBox(progress, middle)
        } else {
            let header = HeaderBar(title: heading).styled("flat")
            header.add(start: back)
            header.add(start: later)
            root = VerticalBox(header, progress, pages.expanding(y: true), notices.widget, footer)
        }
        goBack = { [weak self] in self?.goBack() }
        leave = { [weak self] seconds in
            self?.putOff = seconds
            self?.leave()
        }
        mute = { [weak self] in self?.mute() }
        for focus in [SurveyForm.Focus.back, .send, .forward] where focus != .back || frame.measures.isKiosk {
            let button = Button("") { [weak self] in focus == .back ? self?.goBack() : self?.press(focus) }.styled(
                "pill")
            buttons[focus] = button
            footer.append(button)
        }
        controller.onChange = { [weak self] in self?.draw() }
        controller.onEnd = { [weak self] in self?.end($0) }
        controller.onReturn = { [weak self] in self?.resume() }
        controller.onRefusal = { [weak self] why, retry in self?.refusal = .init(text: why, retry: retry) }
    }

    /// Shows the survey or form.
    func open() {
        frame.onKey = { [weak self] in self?.take($0, isFirst: $1) ?? false }
        frame.onClose = { [weak self] in
            guard let self, !frame.measures.isKiosk else { return }
            putOff = nil
            leave()
        }
        frame.onReady = { [weak self] in self?.settleFocus() }
        frame.show(root)
        draw()
        frame.window.present()
        // GTK focuses the first control.
        frame.window.dropFocus()
        controller.start()
    }

    var form: SurveyForm { controller.form }

    // MARK: Drawing

    private func draw() {
        guard ending == nil else { return }
        let form = form
        let place: Place =
            form.filling?.isAtStart == true ? .start : form.filling?.isAtEnd == true ? .end : .page(form.page[0])
        if place != current { turn(to: place) }
        drawHead(form, place)
        drawButtons(form)
        if case .page(let index) = place, form.hasPages {
            for index in form.questionnaire.places(with: index) {
                views[index]?.widget.isVisible = form.page.contains(index)
            }
        }
        for index in form.page {
            let says = form.problem != nil && form.focus == form.page.firstIndex(of: index).map { .field($0) }
            views[index]?.set(form.fields[index], saysProblem: says)
            let id = form.fields[index].id
            views[index]?.set(sentState: form.filling?.words(for: id), isLocked: form.filling?.isLocked(id) ?? false)
        }
        drawNotice(form)
        settleFocus()
        frame.window.fit()
    }

    /// Gives a new page the focus, once keys count.
    func settleFocus() {
        guard wantsFocus, frame.takesKeys else { return }
        wantsFocus = false
        if ending == nil { takeFocus() } else { scroll?.body?.takeFocusItself() }
        // GTK scrolls to the end of the widget with the focus. Of a whole question, its beginning has to be in view.
        if ending != nil {
            scroll?.scrollToTop()
        } else if let view = currentViews.first(where: \.isResting) {
            scroll?.scrollToTop()
            if view !== currentViews.first { scroll?.scroll(to: view.widget) }
        }
    }

    private func drawHead(_ form: SurveyForm, _ place: Place) {
        let isPage = if case .page = place { true } else { false }
        let isNumbered = form.hasPages && isPage
        let (number, before) = (form.questionNumber, form.questionsBefore)
        if let filling = form.filling {
            let words =
                filling.isSubmitted
                ? filling.progress.text
                : number.map {
                    Words.say("{number} of {total}", ["number": String($0), "total": String(form.questionCount)])
                } ?? ""
            heading.set(isPage ? form.title : "", isPage ? words : "")
            let begun = filling.isSubmitted ? filling.progress.answered : before
            progress.set(Double(begun) / Double(max(form.questionCount, 1)), words)
        } else {
            let isLater = isNumbered && form.hasBack
            let words = number.map { Words.say("Question {number}", ["number": String($0)]) } ?? ""
            heading.set(isLater ? form.title : "", isLater ? words : "")
            let all = form.countOfAll
            progress.set(Double(before) / Double(max(all, before + 1)), words)
        }
        progress.isVisible = isNumbered && form.questionnaire.places(with: 0).upperBound + 1 < form.fields.count
        let canReopen = place == .end && form.filling?.isSubmitted == false
        back.isVisible = form.filling != nil ? isPage || canReopen : form.hasBack
        back.isSensitive = form.hasBack || canReopen
        later.isVisible = form.filling == nil && !form.hasBack
    }

    private func drawButtons(_ form: SurveyForm) {
        let wanted = form.buttons
        footer.isVisible = wanted.contains { buttons[$0.focus] != nil }
        let main: SurveyForm.Focus = wanted.contains { $0.focus == .send && $0.isEnabled } ? .send : .forward
        for (focus, button) in buttons {
            guard let told = wanted.first(where: { $0.focus == focus }) else {
                button.isVisible = false
                continue
            }
            button.isVisible = true
            button.label = told.label
            let mayGo = focus == .back || form.filling != nil || form.failing == nil
            button.isSensitive = told.isEnabled && !controller.isActing && mayGo
            button.style("suggested-action", focus == main)
            // A note takes no focus, so the screen reader reads it with the button.
            button.describe(focus == .forward ? form.shownFields.first { $0.isNote }?.prompt ?? "" : "")
        }
    }

    private func drawNotice(_ form: SurveyForm) {
        if let refusal, form.problem == refusal.text { return notices.show(refusal) }
        if let notice = form.notice { return notices.show(.init(text: notice)) }
        guard let banner = form.filling?.banner else { return notices.show(nil) }
        var notice = NoticeBar.Notice(text: banner.text, isGood: banner.isGood)
        if let question = banner.question, form.filling?.retry(on: question) != nil {
            notice.retry = { [weak self] in
                self?.controller.act { $0.filling?.retry(on: question).map { .retry($0) } }
            }
        }
        notices.show(notice)
    }

    var currentViews: [FieldView] { form.page.compactMap { views[$0] } }

    private func takeFocus() {
        switch current {
        case .page:
            // The first unanswered question, or else the first.
            let open = form.page.first { form.fields[$0].draft == nil }.flatMap { views[$0] }
            guard let view = open ?? currentViews.first, !view.field.isNote else {
                buttons[.forward]?.takeFocus()
                return
            }
            view.takeFocus()
        case .start, .end, .nothing: buttons[.forward]?.takeFocus()
        }
    }
}
