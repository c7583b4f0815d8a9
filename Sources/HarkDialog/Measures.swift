import HarkScreen

/// Sizes, according to GNOME's guidelines and the desktop's scale of texts.
struct Measures {
    /// The kind of screen.
    enum Kind {
        case window
        /// The full screen of a known or identifiable person.
        case fullScreen
        /// A full screen for visitors.
        case kiosk
    }

    let kind: Kind
    /// Whether faces have the colours from red to green.
    let hasColors: Bool
    /// The file of the logo; nil for none.
    var logo: String?
    let textScale: Double
    let screenWidth: Int32
    let screenHeight: Int32

    init(_ application: Application, _ kind: Kind, hasColors: Bool = false) {
        self.kind = kind
        self.hasColors = hasColors
        textScale = application.textScale
        (screenWidth, screenHeight) = application.screenSize
    }

    var isKiosk: Bool { kind == .kiosk }
    /// The scale of a kiosk, which people read from a distance and with nothing else on the screen.
    var scale: Double {
        isKiosk ? max(1, min(Double(screenHeight) / 560, Double(screenWidth) / 640, 3.2)) : 1
    }
    /// Scales a length for a kiosk.
    func scaled(_ length: Int32) -> Int32 { Int32(Double(length) * scale) }

    /// The width of the content.
    var width: Int32 {
        switch kind {
        case .window: min(Int32(460 * max(1, min(textScale, 2.5))), screenWidth)
        case .fullScreen: min(Int32(640 * max(1, min(textScale, 2.5))), screenWidth)
        case .kiosk: min(scaled(640), screenWidth)
        }
    }
    /// The maximum height of scrolling content, which leaves room for the buttons.
    var pageHeight: Int32 { isKiosk ? screenHeight : max(240, screenHeight - 260) }
    /// The height of a text area, which on a low screen leaves room for the question and the buttons.
    var textHeight: Int32 {
        let usual = scaled(Int32(120 * min(textScale, 1.6)))
        return isKiosk ? min(usual, screenHeight / 5) : usual
    }
}
