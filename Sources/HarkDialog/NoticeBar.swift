import HarkAsking
import HarkScreen

/// A bar with a message about an action, between the page and its buttons, with a retry button.
final class NoticeBar {
    struct Notice {
        var text: String
        var isGood = false
        var retry: (() -> Void)?
    }

    let widget: Revealer
    private let box = HorizontalBox(spacing: 12).styled("card", "hark-notice")
    private let words = Label("", .alert, wraps: true).leading().expanding(x: true)
    private let retry: Button
    private var action: () -> Void = {}

    init(width: Int32) {
        var press: () -> Void = {}
        retry = Button(Words.say("Retry")) { press() }.aligned(y: .center)
        box.append(words)
        box.append(retry)
        widget = Revealer(Clamp(width: width, box.padded(x: 24, top: 6, bottom: 12)))
        press = { [weak self] in self?.action() }
    }

    /// Shows a notice; nil hides the bar.
    func show(_ notice: Notice?) {
        widget.isRevealed = notice != nil
        guard let notice else {
            // Hidden text must not be read.
            words.text = ""
            return
        }
        words.text = notice.text
        box.style("hark-good", notice.isGood)
        retry.isVisible = notice.retry != nil
        action = notice.retry ?? {}
    }
}
