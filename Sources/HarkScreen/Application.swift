internal import CAdwaita

package final class Application: Object {
    /// Whether windows can be opened: there is a display.
    package static func isPossible() -> Bool { gtk_init_check() != 0 }

    /// - Parameter id: The id by which the desktop knows the program, as in its `.desktop` file.
    package init(_ id: String, name: String, onActivate: @escaping (Application) -> Void) {
        g_set_prgname(id)
        g_set_application_name(name)
        gtk_window_set_default_icon_name(id)
        MainLoop.adopt()
        hark_make_check_buttons_pressable()
        super.init(UnsafeMutableRawPointer(adw_application_new(id, G_APPLICATION_NON_UNIQUE)))
        on("activate") { [weak self] in
            if let self { onActivate(self) }
        }
    }

    package func run() -> CInt { g_application_run(c(), 0, nil) }
    /// Keeps the application running without a window.
    package func hold() { g_application_hold(c()) }
    package func quit() { g_application_quit(c()) }

    /// Adds a style sheet, with more while the desktop wants high contrast.
    ///
    /// - Parameter sheet: Makes the sheet, for a light or a dark theme.
    package func style(inHighContrast more: String = "", _ sheet: @escaping (_ isDark: Bool) -> String) {
        guard let new = gtk_css_provider_new(), let display = gdk_display_get_default() else { return }
        let provider = Object(UnsafeMutableRawPointer(new))
        gtk_style_context_add_provider_for_display(
            display, provider.c(), UInt32(GTK_STYLE_PROVIDER_PRIORITY_APPLICATION))
        guard let manager = adw_style_manager_get_default() else { return }
        let load = {
            let sheet = sheet(adw_style_manager_get_dark(manager) != 0)
            let text = adw_style_manager_get_high_contrast(manager) != 0 ? sheet + more : sheet
            gtk_css_provider_load_from_data(provider.c(), text, -1)
        }
        load()
        let watched = Object(borrowing: UnsafeMutableRawPointer(manager))
        watched.on("notify::high-contrast", do: load)
        watched.on("notify::dark", do: load)
    }

    /// Whether the theme is dark; it overrides the desktop.
    package static var isDark = false {
        didSet {
            guard let manager = adw_style_manager_get_default() else { return }
            adw_style_manager_set_color_scheme(
                manager, isDark ? ADW_COLOR_SCHEME_FORCE_DARK : ADW_COLOR_SCHEME_FORCE_LIGHT)
        }
    }

    /// The direction of new widgets; nil for that of the desktop.
    package static var isRightToLeft: Bool? {
        didSet {
            let own = ownDirection ?? gtk_widget_get_default_direction()
            ownDirection = own
            gtk_widget_set_default_direction(
                isRightToLeft.map { $0 ? GTK_TEXT_DIR_RTL : GTK_TEXT_DIR_LTR } ?? own)
        }
    }
    private static var ownDirection: GtkTextDirection?

    /// The desktop's scale of texts; 1 is the usual size.
    package var textScale: Double { hark_text_scale() }

    /// Clears the clipboard.
    package func forgetClipboard() {
        guard let display = gdk_display_get_default() else { return }
        gdk_clipboard_set_content(gdk_display_get_clipboard(display), nil)
        gdk_clipboard_set_content(gdk_display_get_primary_clipboard(display), nil)
    }

    /// The size of the lowest screen in logical pixels, or a common size if it is not known.
    package var screenSize: (width: Int32, height: Int32) {
        let usual: (Int32, Int32) = (1024, 768)
        guard let display = gdk_display_get_default(), let monitors = gdk_display_get_monitors(display) else {
            return usual
        }
        var lowest: (width: Int32, height: Int32)?
        for place in 0..<min(g_list_model_get_n_items(monitors), 64) {
            guard let monitor = g_list_model_get_item(monitors, place) else { continue }
            var area = GdkRectangle()
            gdk_monitor_get_geometry(OpaquePointer(monitor), &area)
            g_object_unref(monitor)
            guard area.height > 0, area.width > 0 else { continue }
            if area.height < lowest?.height ?? .max { lowest = (area.width, area.height) }
        }
        return lowest ?? usual
    }
}
