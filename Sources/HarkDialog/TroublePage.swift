import HarkAsking
import HarkScreen

/// A page that says why the questions could not be loaded, with a retry button.
final class TroublePage {
    let root: Widget
    private let retry: Button

    init(_ why: String, _ measures: Measures, again: @escaping () -> Void) {
        retry = Button(Words.say("Retry"), again).styled("pill", "suggested-action").aligned(x: .center)
        let words = VerticalBox(
            spacing: 12,
            Label(Words.say("The Questions Could Not Be Loaded"), .alert, wraps: true).centered().styled("title-1"),
            Label(why, wraps: true).centered().styled("hark-message"), retry.padded(top: 18))
        root = VerticalBox(
            HeaderBar(title: WindowTitle()).styled("flat"),
            Clamp(width: measures.width, words.padded(x: 24, top: 12, bottom: 36)))
    }

    func takeFocus() { retry.takeFocus() }
}
