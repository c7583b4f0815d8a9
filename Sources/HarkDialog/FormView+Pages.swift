import HarkAsking
import HarkScreen

/// The pages of a survey or form, and the way from one to the next.
extension FormView {
    func turn(to place: Place) {
        let isForward = isAfter(place, current)
        current = place
        let page = page(of: place)
        scroll = page.scroll
        scroll?.scrollToTop()
        pages.show(page.widget, by: isFirst ? .fade : isForward ? .forward : .back)
        wantsFocus = true
        if isFirst { levelPages() }
        isFirst = false
    }

    /// The most pages, and choices on one of them, that are laid out before they are shown.
    private static let mostLevelled = (pages: 12, choices: 40)

    /// Makes all pages of a window as high as the highest, so that the buttons stay under the pointer.
    private func levelPages() {
        let isSmall = form.fields.allSatisfy { field in
            if case .choice(let choices) = field.input {
                choices.choices.count <= Self.mostLevelled.choices
            } else {
                true
            }
        }
        guard form.hasPages, frame.measures.kind == .window, isSmall, form.fields.count <= Self.mostLevelled.pages
        else {
            return
        }
        // Rows of a matrix, and an option with its text, share a page.
        let places = form.fields.indices.filter { form.questionnaire.places(with: $0).lowerBound == $0 }
        let heights = places.map {
            pages.height(of: page(of: .page($0)).widget, width: frame.measures.width)
        }
        _ = pages.sized(height: heights.max() ?? -1)
    }

    private func isAfter(_ place: Place, _ other: Place) -> Bool {
        func rank(_ place: Place) -> Int {
            switch place {
            case .nothing: -2
            case .start: -1
            case .page(let index): form.route.firstIndex(of: form.fields[index].id) ?? index
            case .end: .max
            }
        }
        return rank(place) > rank(other)
    }

    private func page(of place: Place) -> Page {
        let maker = PageMaker(form, frame.measures)
        switch place {
        case .nothing, .start:
            let start = maker.start
            return Page(widget: start, scroll: start)
        case .end:
            let page = maker.words(
                form.filling?.closingWords ?? "", form.filling?.closingHint ?? "", above: drawnMark())
            return Page(widget: page, scroll: page)
        case .page(let index):
            let key = form.fields[index].id
            // A text that names an earlier answer changes with it.
            let fields = form.hasPages ? Array(form.questionnaire.places(with: index)) : form.page
            let texts = fields.flatMap { form.fields[$0].texts }
            if let page = shown[key], told[key] == texts || !form.hasPages { return page }
            told[key] = texts
            for index in fields { views[index] = makeView(index) }
            let isShown = form.page.contains(index)
            let scroll = maker.page(
                fields.compactMap { views[$0]?.widget }, under: form.fields[index].matrix?.prompt,
                hasHead: isShown && form.filling == nil && !form.hasBack)
            let page = Page(widget: scroll, scroll: scroll)
            shown[key] = page
            return page
        }
    }

    func drawnMark() -> CheckMark {
        let new = CheckMark(size: frame.measures.scaled(96)).styled("hark-mark")
        mark = new
        // Animations need a widget that is on the screen.
        new.on("map") { [weak new] in new?.play() }
        return new
    }

    private func makeView(_ index: Int) -> FieldView {
        let field = form.fields[index]
        let isOther = field.of != nil && form.filling == nil
        let prompt =
            form.hasPages && !field.isRequired && !field.isNote
            ? Words.say("{question} (optional)", ["question": field.prompt]) : field.prompt
        let view = FieldView(
            field, answersAtOnce: form.answersAtOnce,
            // The option above a text of "Other" says what it is for.
            prompt: field.prompt.isEmpty || isOther ? "" : prompt, title: form.title, frame.measures)
        view.onEdit = { [weak self] in self?.controller.edit(index, $0) }
        view.onAnswer = { [weak self] input in
            self?.controller.act { form in
                form.fields[index].input = input
                return .submit
            }
        }
        return view
    }
}
