import HarkAsking
import HarkScreen

/// The page of a full screen between surveys: a text, and for visitors a choice of languages.
final class RestPage {
    let root: VerticalBox
    private var buttons: [RadioButton] = []
    private static let widest: Int32 = 160

    /// - Parameter picture: A picture above the text, as large as the screen has room for.
    init(_ text: String, picture: Picture?, _ measures: Measures) {
        let words = Label(text, measures.isKiosk ? .heading : .text, wraps: true).centered()
            .expanding(y: picture == nil)
        _ = measures.isKiosk ? words.styled("title-1") : words.styled("title-2", "dim-label")
        root = VerticalBox(spacing: measures.scaled(12)).padded(x: measures.scaled(24), bottom: measures.scaled(24))
        if let picture { root.append(picture.expanding(x: true, y: true)) }
        root.append(words)
    }

    /// - Parameters:
    ///   - chosen: The current language.
    ///   - onChoice: Called with another language.
    func add(
        _ languages: [Language], chosen: Language?, _ measures: Measures, onChoice: @escaping (Language) -> Void
    ) {
        guard !languages.isEmpty else { return }
        let gap = measures.scaled(8)
        let perRow = max(2, Int(measures.screenWidth - 2 * measures.scaled(24)) / Int(measures.scaled(Self.widest)))
        let box = VerticalBox(spacing: gap).aligned(x: .center).padded(top: gap, bottom: measures.scaled(24))
        var row: HorizontalBox?
        for (place, language) in languages.enumerated() {
            if place % perRow == 0 {
                let next = HorizontalBox(spacing: gap, isGroup: true).named(Words.say("Language")).aligned(x: .center)
                box.append(next)
                row = next
            }
            let button = RadioButton(Label(language.name, .decoration), in: buttons.first).named(language.name)
                .styled("pill", "hark-language")
            button.isOn = language == chosen
            button.on("toggled") { [weak button] in
                if button?.isOn == true { onChoice(language) }
            }
            buttons.append(button)
            row?.append(button)
        }
        root.append(box)
    }

    /// Whether a language can be chosen.
    var isOpen = true {
        didSet { for button in buttons { button.isSensitive = isOpen } }
    }
}
