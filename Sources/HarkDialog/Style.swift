/// Styles beyond the theme. Colours and sizes are the theme's, so that dark mode, high contrast and large text work.
enum Style {
    static func sheet(_ measures: Measures) -> String { usual + (measures.isKiosk ? kiosk(measures.scale) : "") }

    /// The addition for high contrast: an edge around everything that can be pressed.
    static let contrast = """
        .hark-face, .hark-number, .hark-answer { box-shadow: inset 0 0 0 1px currentColor; }
        .hark-message, .hark-caption, .hark-counter, .hark-problem { opacity: 1; }
        .hark-face:checked, .hark-number:checked { box-shadow: inset 0 0 0 3px @accent_color; }

        """

    /// The share of the text's colour in an edge: a contrast of 3:1 with the ground, light and dark.
    private static let edge = 0.58

    private static let usual = """
        /* The theme has these in points, which do not follow a larger font of the desktop. */
        .title-1 { font-size: 1.82em; }
        .title-2 { font-size: 1.36em; }
        .title-4 { font-size: 1.18em; }
        .heading { font-size: 1em; }
        .caption { font-size: 0.82em; }
        .hark-message { opacity: 0.8; }
        .hark-emoji { font-size: 2.6em; }
        .hark-caption { font-size: 0.86em; font-weight: normal; opacity: 0.9; }
        .hark-face, .hark-number { border-radius: 12px; transition: 160ms ease-out;
          background: @card_bg_color; color: @card_fg_color;
          box-shadow: inset 0 0 0 1px alpha(currentColor, \(edge)), 0 1px 3px 1px alpha(black, 0.07),
            0 2px 6px 2px alpha(black, 0.03);
          outline-offset: 2px; }
        .hark-answer, .hark-area { box-shadow: inset 0 0 0 1px alpha(currentColor, \(edge)); }
        .hark-face { padding: 12px 3px 10px 3px; }
        .hark-number { padding: 8px 3px; min-width: 1.4em; }
        .hark-face:hover, .hark-number:hover { background: mix(@card_bg_color, @card_fg_color, 0.05); }
        .hark-face:hover { transform: translateY(-2px); }
        .hark-face:active, .hark-number:active { transform: scale(0.95); }
        .hark-face:checked, .hark-face:active, .hark-number:checked, .hark-number:active {
          background: mix(@card_bg_color, @accent_bg_color, 0.16); box-shadow: inset 0 0 0 2px @accent_color; }
        /* The theme's own blue has 3.8:1 below white letters. */
        button.suggested-action { background-color: mix(@accent_bg_color, black, 0.15); }
        .hark-face:checked .hark-caption { opacity: 1; font-weight: bold; }
        .hark-row { padding: 12px; }
        .hark-image { border-radius: 12px; }
        .hark-star { color: alpha(currentColor, 0.35); }
        .hark-lit .hark-star { color: @orange_4; }
        .hark-ends { opacity: 0.8; }
        .hark-unset > trough > slider, .hark-unset > trough > highlight { opacity: 0; }
        .hark-answer { padding: 12px 18px; border-radius: 12px; }
        .hark-area { padding: 0; }
        .hark-area:focus-within { outline: 2px solid alpha(@accent_color, 0.5); outline-offset: -1px; }
        .hark-text { background: none; padding: 12px 12px 30px 12px; border-radius: 12px; }
        .hark-placeholder { padding: 12px; }
        .hark-counter { padding: 6px 12px; opacity: 0.8; }
        windowtitle .subtitle { opacity: 0.8; }
        .hark-counter.error { opacity: 1; }
        .hark-problem { opacity: 0.8; }
        .hark-problem.error { opacity: 1; }
        .hark-notice { padding: 9px 12px; background: alpha(@warning_bg_color, 0.25); }
        .hark-notice.hark-good { background: alpha(@success_bg_color, 0.25); }
        .hark-mark { color: @success_color; }
        .hark-full { font-size: 1.25em; }
        .boxed-list checkbutton, .boxed-list checkbutton > * { outline: none; }
        .boxed-list > row:focus-within:focus-visible { outline: 2px solid alpha(@accent_color, 0.5); outline-offset: -2px; }
        .boxed-list checkbutton:focus-visible > * { outline: 2px solid @accent_color; outline-offset: 2px; }
        progressbar.osd { margin: 0; }

        """

    /// As large as the screen allows, with touch targets no smaller than a finger.
    private static func kiosk(_ scale: Double) -> String {
        """
        .hark-kiosk { font-size: \(scale)em; }
        .hark-kiosk .title-1 { font-size: 1.9em; }
        .hark-kiosk .title-4 { font-size: 1.2em; }
        .hark-kiosk .heading { font-size: 1.2em; }
        .hark-kiosk .caption { font-size: 0.85em; }
        .hark-kiosk check, .hark-kiosk radio { -gtk-icon-size: 1.2em; min-width: 1.2em; min-height: 1.2em; }
        .hark-kiosk .hark-message { font-size: 1.1em; }
        .hark-kiosk .hark-emoji { font-size: 3.4em; }
        .hark-kiosk .hark-caption { font-size: 1em; }
        .hark-kiosk .hark-face { padding: 0.7em 0.2em; }
        .hark-kiosk .hark-number { padding: 0.7em 0.1em; }
        .hark-kiosk .hark-answer { padding: 0.8em 1.2em; }
        .hark-kiosk .pill { padding: 0.7em 2em; }
        .hark-kiosk .hark-language:checked { background: alpha(@accent_bg_color, 0.25); }
        .hark-kiosk button, .hark-kiosk .boxed-list > row { min-height: 48px; min-width: 48px; }
        .hark-kiosk .boxed-list > row > box { min-height: 2.6em; }
        .hark-kiosk entry, .hark-kiosk scale { min-height: 48px; }
        .hark-kiosk scale > trough > slider { min-width: 32px; min-height: 32px; }
        .hark-kiosk progressbar.osd, .hark-kiosk progressbar.osd > trough, .hark-kiosk progressbar.osd progress {
          min-height: 6px; }
        .hark-tone-0 { background: mix(@card_bg_color, @red_3, 0.5); }
        .hark-tone-1 { background: mix(@card_bg_color, @orange_3, 0.45); }
        .hark-tone-2 { background: mix(@card_bg_color, @yellow_3, 0.45); }
        .hark-tone-3 { background: mix(@card_bg_color, @green_3, 0.35); }
        .hark-tone-4 { background: mix(@card_bg_color, @green_4, 0.55); }
        .hark-countdown { background: @accent_bg_color; color: @accent_fg_color; border-radius: 0 0 18px 18px; }

        """
    }
}
