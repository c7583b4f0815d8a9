import HarkAsking
import HarkScreen
import HarkWire

/// Lays out the pages of a survey or form.
struct PageMaker {
    private let form: SurveyForm
    private let measures: Measures

    init(_ form: SurveyForm, _ measures: Measures) {
        self.form = form
        self.measures = measures
    }

    /// Lays out questions, below the introduction if `hasHead` is set.
    ///
    /// - Parameter matrix: The question that all rows share; nil if the questions are no rows of a matrix.
    func page(_ questions: [Widget], under matrix: String?, hasHead: Bool) -> ScrollArea {
        let column = VerticalBox(spacing: measures.scaled(24)).padded(x: 24, top: hasHead ? 12 : 18, bottom: 18)
        if hasHead { column.append(head) }
        if let matrix { column.append(Label(matrix, .heading, wraps: true).centered().styled("title-4")) }
        for question in questions { column.append(question) }
        return scrolled(column)
    }

    private func scrolled(_ column: VerticalBox) -> ScrollArea {
        let area = ScrollArea(maximumHeight: measures.pageHeight, Clamp(width: measures.width, column))
        area.body = column
        return area
    }

    private var head: Widget {
        let logo = measures.logo.flatMap {
            PictureFile.open($0, "the logo", alternative: "", largest: PictureFile.largestInWindow)
        }
        let head = VerticalBox(spacing: measures.scaled(6))
        if let logo { head.append(logo.sized(height: measures.scaled(48)).padded(bottom: measures.scaled(6))) }
        head.append(
            Label(form.title, .heading, wraps: true).centered().styled("title-1"))
        if !form.message.isEmpty {
            let message = Label(form.message, wraps: true).styled("hark-message")
            // Several lines are a list or an excerpt, which is read from the start of each line.
            head.append(form.message.contains(where: \.isNewline) ? message.leading() : message.centered())
        }
        if let asker = form.asker {
            let words = Words.say("Asked by {asker}", ["asker": asker])
            head.append(Label(words, wraps: true).centered().styled("caption", "hark-message"))
        }
        return head
    }

    /// The introduction of a form.
    var start: ScrollArea {
        let count = form.route.count
        let questions = Label(Words.say("{count} question", "{count} questions", count: count)).styled("dim-label")
        let column = VerticalBox(spacing: 18, head, questions).padded(x: 24, top: 12, bottom: 24)
        return scrolled(column)
    }

    /// Lays out a centred message below a picture, with a button below it.
    func words(_ title: String, _ text: String, above picture: Widget?, below button: Button? = nil) -> ScrollArea {
        let column = VerticalBox(spacing: measures.scaled(12)).padded(x: 24, top: 24, bottom: 48).aligned(y: .center)
        if let picture { column.append(picture.aligned(x: .center).padded(bottom: 12)) }
        column.append(Label(title, .alert, wraps: true).centered().styled("title-1"))
        if !text.isEmpty { column.append(Label(text, wraps: true).centered().styled("hark-message")) }
        if let button { column.append(button.aligned(x: .center)) }
        return scrolled(column)
    }
}

extension Filling {
    /// Returns the state of an answer that goes to a server; nil if there is nothing to show.
    func words(for question: String) -> String? {
        guard let submission = submissions[question] else { return nil }
        switch submission.state {
        case .submitted: return Words.say("✓ Submitted")
        case .sending: return Words.say("Sending …")
        case .queued: return submission.problem == nil ? Words.say("Sending …") : Words.say("Kept, and sent later")
        case .failed: return Words.say("Not accepted by the server")
        case .unconfirmed: return Words.say("Unconfirmed: it may have arrived")
        }
    }

    /// The text for a completed form.
    var closingWords: String { completionMessage ?? Words.say("Everything Is Answered") }
    var closingHint: String {
        isSubmitted ? progress.text : Words.say("You can change your answers at any time.")
    }
}
