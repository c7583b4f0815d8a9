import HarkAsking
import HarkScreen
import HarkWire

/// The colours of the settings, as a style sheet on top of the theme.
struct WindowLook {
    private let look: ShownLook

    /// The backgrounds of the theme, light and dark.
    private static let usual = (light: Colour.white, dark: Colour(red: 0x38, green: 0x38, blue: 0x38))

    init(_ look: ShownLook) { self.look = look }

    /// Whether the colour scheme has to be dark or light; nil for the desktop's.
    var isDark: Bool? { look.background.map { $0.ink == .white } }

    /// The style sheet. An accent that could not be read is darkened or lightened as a text and an edge.
    func sheet(isDark: Bool) -> String {
        var sheet = ""
        if let ground = look.background {
            sheet += """
                @define-color window_bg_color \(ground.text);
                @define-color window_fg_color \(ground.ink.text);

                """
        }
        if let accent = look.accent {
            let ground = look.background ?? (isDark ? Self.usual.dark : Self.usual.light)
            sheet += """
                @define-color accent_bg_color \(accent.text);
                @define-color accent_fg_color \(accent.ink.text);
                @define-color accent_color \(accent.readable(on: ground).text);
                button.suggested-action { background-color: @accent_bg_color; color: @accent_fg_color; }

                """
        }
        return sheet
    }
}
