/// How large things are: GNOME's guidelines, and the texts as large as the desktop wants them.
struct Measures {
    let textScale: Double
    let screenHeight: Int32
    /// It fills the screen, and is read standing.
    let isKiosk: Bool

    /// The width of what is read and chosen.
    var width: Int32 { Int32((isKiosk ? 640 : 460) * max(1, min(textScale, 2.5))) }
    /// What scrolls is no higher than that, so that the buttons are on the screen.
    var pageHeight: Int32 { max(240, screenHeight - 260) }
    /// Large texts need rows of their own.
    var hasRoomForFaces: Bool { textScale < 1.5 }
    /// How many bare numbers stand beside each other.
    var numbersPerRow: Int { textScale < 1.3 ? 11 : 6 }
}
