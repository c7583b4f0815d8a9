internal import CAdwaita

package final class Window: Widget {
    /// The narrowest window that phones and magnified screens ask for.
    private static let narrowest: Int32 = 320

    /// - Parameter width: The width at first; the height is that of the content.
    package init(_ application: Application, title: String, width: Int32, _ content: Widget) {
        super.init(adw_application_window_new(application.c()))
        gtk_window_set_title(c(), title)
        gtk_window_set_default_size(c(), width, -1)
        gtk_widget_set_size_request(c(), min(width, Self.narrowest), -1)
        adw_application_window_set_content(c(), content.c())
    }

    package var isActive: Bool { gtk_window_is_active(c()) != 0 }
    /// Calls `body` when the window becomes the active one, or no longer is.
    package func onActivity(_ body: @escaping () -> Void) { on("notify::is-active", do: body) }

    /// Whether no widget has the focus.
    package var hasNoFocus: Bool { gtk_window_get_focus(c()) == nil }
    /// Shows where the focus is, as GTK does for the keys that it handles itself.
    package func showFocus() { gtk_window_set_focus_visible(c(), 1) }
    package func dropFocus() { gtk_window_set_focus(c(), nil) }

    /// Makes the window as high as its content, if it is lower.
    package func fit() {
        // For a window on the screen, the default size is the current size, frame included; the widget's size has no frame.
        var (width, height) = (Int32(0), Int32(0))
        gtk_window_get_default_size(c(), &width, &height)
        guard width > 0, height > 0, gtk_window_is_fullscreen(c()) == 0, gtk_window_is_maximized(c()) == 0 else {
            return
        }
        var natural: Int32 = 0
        gtk_widget_measure(c(), GTK_ORIENTATION_VERTICAL, width, nil, &natural, nil, nil)
        if natural > height { gtk_window_set_default_size(c(), width, natural) }
    }

    package func present() { gtk_window_present(c()) }
    package func close() { gtk_window_destroy(c()) }

    /// Makes the window full-screen. Without a window manager, as on a kiosk, the window itself takes the size of the
    /// screen.
    package func fillScreen() {
        if let display = gtk_widget_get_display(c()), let monitors = gdk_display_get_monitors(display),
            let monitor = g_list_model_get_item(monitors, 0)
        {
            var place = GdkRectangle()
            gdk_monitor_get_geometry(OpaquePointer(monitor), &place)
            g_object_unref(monitor)
            gtk_window_set_default_size(c(), place.width, place.height)
        }
        gtk_window_fullscreen(c())
    }

    /// Called before the window closes; true keeps it open.
    package func onClose(_ body: @escaping () -> Bool) { on("close-request") { _ in body() } }

    /// Calls `body` for keys before (`isFirst`) or after the focused widget; true consumes the key.
    package func onKey(isFirst: Bool, _ body: @escaping (Key) -> Bool) {
        guard let controller = gtk_event_controller_key_new() else { return }
        let keys = Object(controller)
        gtk_event_controller_set_propagation_phase(keys.c(), isFirst ? GTK_PHASE_CAPTURE : GTK_PHASE_BUBBLE)
        keys.on("key-pressed") { arguments in
            guard arguments.count > 3 else { return false }
            let state = withUnsafePointer(to: arguments[3]) { g_value_get_flags($0) }
            let value = withUnsafePointer(to: arguments[1]) { g_value_get_uint($0) }
            return body(
                Key(
                    value: value, isControl: state & GDK_CONTROL_MASK.rawValue != 0,
                    isAlt: state & GDK_ALT_MASK.rawValue != 0))
        }
        gtk_widget_add_controller(c(), keys.retained())
    }

    /// Calls `body` for each touch, click, scroll and key, before any widget handles it.
    package func onTouch(_ body: @escaping () -> Void) {
        guard let controller = gtk_event_controller_legacy_new() else { return }
        let events = Object(controller)
        gtk_event_controller_set_propagation_phase(events.c(), GTK_PHASE_CAPTURE)
        // The controller is valid while it emits signals.
        events.on("event") { _ in
            guard let event = gtk_event_controller_get_current_event(controller) else { return false }
            switch gdk_event_get_event_type(event) {
            case GDK_BUTTON_PRESS, GDK_TOUCH_BEGIN, GDK_KEY_PRESS, GDK_SCROLL: body()
            default: break
            }
            return false
        }
        gtk_widget_add_controller(c(), events.retained())
    }

    package func hidePointer() { gtk_widget_set_cursor_from_name(c(), "none") }

    /// Calls `body` after the first frame is drawn.
    package func onFirstFrame(_ body: @escaping () -> Void) {
        guard let clock = gtk_widget_get_frame_clock(c()) else { return }
        var isFirst = true
        Object(borrowing: UnsafeMutableRawPointer(clock)).on("after-paint") {
            if isFirst { body() }
            isFirst = false
        }
    }

    /// Asks in a separate dialog; calls `body` if the answer is yes.
    package func confirm(_ heading: String, _ text: String, yes: String, no: String, _ body: @escaping () -> Void) {
        let dialog = Widget(hark_message_dialog(c(), heading, text))
        adw_message_dialog_add_response(dialog.c(), "no", no)
        adw_message_dialog_add_response(dialog.c(), "yes", yes)
        adw_message_dialog_set_response_appearance(dialog.c(), "yes", ADW_RESPONSE_DESTRUCTIVE)
        adw_message_dialog_set_default_response(dialog.c(), "no")
        adw_message_dialog_set_close_response(dialog.c(), "no")
        hark_name_buttons(dialog.c())
        dialog.on("response") { arguments in
            guard arguments.count > 1 else { return false }
            let response = withUnsafePointer(to: arguments[1]) { g_value_get_string($0).map { String(cString: $0) } }
            if response == "yes" { body() }
            return false
        }
        gtk_window_present(dialog.c())
    }
}
