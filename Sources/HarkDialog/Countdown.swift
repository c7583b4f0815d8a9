import HarkAsking
import HarkScreen

/// A warning on top of everything that a kiosk is about to restart, because it was not touched for a while.
final class Countdown {
    let widget: Widget
    /// Read once by screen readers, when it appears, with all of the information.
    private let question = Label("", .alert, wraps: true).centered().styled("title-4")
    private let rest = Label("", .decoration, wraps: true).centered()

    init() {
        widget = VerticalBox(
            spacing: 6, question.padded(x: 24, top: 12), rest.padded(x: 24, bottom: 12)
        ).styled("hark-countdown").ignoringPointer().aligned(x: .center, y: .start)
        widget.isVisible = false
    }

    func show(_ seconds: Int?) {
        guard let seconds else {
            widget.isVisible = false
            // Hidden text must not be read.
            question.text = ""
            return
        }
        let hint = Words.say("Touch the screen, or it starts over in {seconds} s.", ["seconds": String(seconds)])
        rest.text = hint
        guard !widget.isVisible else { return }
        let words = Words.say("Are You Still There?")
        question.text = words
        _ = question.named("\(words) \(hint)")
        widget.isVisible = true
    }
}
