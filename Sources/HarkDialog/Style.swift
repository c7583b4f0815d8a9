/// Styles beyond the theme. Colours and sizes are the theme's, so that dark mode, high contrast and large text work.
enum Style {
    static func sheet(_ measures: Measures) -> String { usual + (measures.isKiosk ? kiosk(measures.scale) : "") }

    private static let usual = """
        .hark-message { opacity: 0.8; }
        .hark-emoji { font-size: 2.2em; }
        .hark-caption { font-size: 0.86em; font-weight: normal; opacity: 0.85; }
        .hark-face, .hark-number { border-radius: 12px; transition: 160ms ease-out; }
        .hark-face { padding: 10px 2px; }
        .hark-number { padding: 8px 2px; background: alpha(currentColor, 0.06); }
        .hark-face:hover { background: alpha(currentColor, 0.06); }
        .hark-number:hover { background: alpha(currentColor, 0.12); }
        .hark-face:checked, .hark-face:active, .hark-number:checked, .hark-number:active {
          background: alpha(@accent_bg_color, 0.16); box-shadow: inset 0 0 0 2px @accent_color; }
        .hark-face:checked, .hark-number:checked { color: @accent_color; }
        .hark-face:checked .hark-caption { opacity: 1; font-weight: bold; }
        .hark-answer { padding: 12px 18px; border-radius: 12px; }
        .hark-area { padding: 0; }
        .hark-area:focus-within { outline: 2px solid alpha(@accent_color, 0.5); outline-offset: -1px; }
        .hark-text { background: none; padding: 12px 12px 30px 12px; border-radius: 12px; }
        .hark-placeholder { padding: 12px; }
        .hark-counter { padding: 6px 12px; opacity: 0.65; }
        .hark-counter.error { opacity: 1; }
        .hark-problem { opacity: 0.8; }
        .hark-problem.error { opacity: 1; }
        .hark-notice { padding: 9px 12px; background: alpha(@warning_bg_color, 0.25); }
        .hark-notice.hark-good { background: alpha(@success_bg_color, 0.25); }
        .hark-mark { color: @success_color; }
        .hark-full { font-size: 1.25em; }
        .boxed-list checkbutton, .boxed-list checkbutton > * { outline: none; }
        .boxed-list > row:focus-within { outline: 2px solid alpha(@accent_color, 0.5); outline-offset: -2px; }
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
        .hark-kiosk .hark-face { padding: 0.7em 0.2em; background: alpha(currentColor, 0.06); }
        .hark-kiosk .hark-number { padding: 0.7em 0.1em; }
        .hark-kiosk .hark-answer { padding: 0.8em 1.2em; }
        .hark-kiosk .pill { padding: 0.7em 2em; }
        .hark-kiosk .hark-language:checked { background: alpha(@accent_bg_color, 0.25); }
        .hark-kiosk button, .hark-kiosk .boxed-list > row { min-height: 48px; min-width: 48px; }
        .hark-kiosk .boxed-list > row > box { min-height: 2.6em; }
        .hark-kiosk progressbar.osd, .hark-kiosk progressbar.osd > trough, .hark-kiosk progressbar.osd progress {
          min-height: 6px; }
        .hark-kiosk .boxed-list > row:focus-within { outline: none; }
        .hark-kiosk .boxed-list checkbutton:focus-visible > * { outline: 2px solid @accent_color; outline-offset: 2px; }
        .hark-countdown { background: @accent_bg_color; color: @accent_fg_color; border-radius: 0 0 18px 18px; }

        """
    }
}
