import HarkScreen

/// How large things are: GNOME's guidelines, and the texts as large as the desktop wants them.
struct Measures {
    /// What is shown, and to whom.
    enum Kind {
        case window
        /// It fills the screen of somebody who is known, or could be.
        case fullScreen
        /// It fills a screen that visitors stand before.
        case kiosk
    }

    let kind: Kind
    let textScale: Double
    let screenWidth: Int32
    let screenHeight: Int32

    init(_ application: Application, _ kind: Kind) {
        self.kind = kind
        textScale = application.textScale
        (screenWidth, screenHeight) = application.screenSize
    }

    var isKiosk: Bool { kind == .kiosk }
    /// By how much a kiosk is larger than a window: it is read standing, and there is nothing else on the screen.
    var scale: Double {
        isKiosk ? max(1, min(Double(screenHeight) / 560, Double(screenWidth) / 640, 3.2)) : 1
    }
    /// A length that grows with a kiosk.
    func scaled(_ length: Int32) -> Int32 { Int32(Double(length) * scale) }

    /// The width of what is read and chosen.
    var width: Int32 {
        switch kind {
        case .window: Int32(460 * max(1, min(textScale, 2.5)))
        case .fullScreen: Int32(640 * max(1, min(textScale, 2.5)))
        case .kiosk: min(scaled(640), screenWidth)
        }
    }
    /// What scrolls is no higher than that, so that the buttons are on the screen.
    var pageHeight: Int32 { isKiosk ? screenHeight : max(240, screenHeight - 260) }
    /// How high is what is written into; on a low screen there is to be room for the question and the buttons.
    var textHeight: Int32 {
        let usual = scaled(Int32(120 * min(textScale, 1.6)))
        return isKiosk ? min(usual, screenHeight / 5) : usual
    }
    /// Large texts need rows of their own.
    var hasRoomForFaces: Bool { textScale < 1.5 }
    /// How many bare numbers stand beside each other.
    var numbersPerRow: Int { textScale < 1.3 ? 11 : 6 }
}
