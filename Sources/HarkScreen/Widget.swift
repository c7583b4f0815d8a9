internal import CAdwaita

package enum Alignment {
    case fill, start, center, end

    var gtk: GtkAlign {
        switch self {
        case .fill: GTK_ALIGN_FILL
        case .start: GTK_ALIGN_START
        case .center: GTK_ALIGN_CENTER
        case .end: GTK_ALIGN_END
        }
    }
}

open class Widget: Object {
    package var isSensitive: Bool {
        get { gtk_widget_get_sensitive(c()) != 0 }
        set { gtk_widget_set_sensitive(c(), newValue ? 1 : 0) }
    }

    package var isVisible: Bool {
        get { gtk_widget_get_visible(c()) != 0 }
        set { gtk_widget_set_visible(c(), newValue ? 1 : 0) }
    }

    package var isFocusable: Bool {
        get { gtk_widget_get_focusable(c()) != 0 }
        set { gtk_widget_set_focusable(c(), newValue ? 1 : 0) }
    }

    /// Whether it, or a widget inside, has the focus.
    package var containsFocus: Bool {
        gtk_widget_get_state_flags(c()).rawValue & GTK_STATE_FLAG_FOCUS_WITHIN.rawValue != 0
    }

    package var hasFocus: Bool { gtk_widget_is_focus(c()) != 0 }

    /// - Returns: False if the widget cannot take the focus.
    @discardableResult
    package func takeFocus() -> Bool { gtk_widget_grab_focus(c()) != 0 }

    /// Moves the focus to the next or previous widget inside this one.
    package func moveFocus(forward: Bool) {
        gtk_widget_child_focus(c(), forward ? GTK_DIR_TAB_FORWARD : GTK_DIR_TAB_BACKWARD)
    }

    /// Takes the focus although nothing in it does, so that no key presses a control, and screen readers read its name.
    /// It is no stop for Tab afterwards.
    package func takeFocusItself() {
        isFocusable = true
        gtk_widget_grab_focus(c())
    }

    /// Calls `body` when the focus leaves the widget itself.
    package func onFocusLeaving(_ body: @escaping () -> Void) {
        on("notify::has-focus") { [weak self] in
            if self?.hasFocus == false { body() }
        }
    }

    /// Sets a description that screen readers add to the name; empty for none.
    package func describe(_ text: String) { hark_describe(c(), text) }

    /// Marks the content as invalid, or as valid.
    package func markInvalid(_ isInvalid: Bool) { hark_mark_invalid(c(), isInvalid ? 1 : 0) }

    package func style(_ name: String, _ isOn: Bool) {
        if isOn { gtk_widget_add_css_class(c(), name) } else { gtk_widget_remove_css_class(c(), name) }
    }

    /// Whether its text runs from right to left.
    package var isRightToLeft: Bool {
        get { gtk_widget_get_direction(c()) == GTK_TEXT_DIR_RTL }
        set { gtk_widget_set_direction(c(), newValue ? GTK_TEXT_DIR_RTL : GTK_TEXT_DIR_LTR) }
    }

    /// Whether the desktop has animations enabled.
    package var wantsMotion: Bool { adw_get_enable_animations(c()) != 0 }

    // MARK: Chained setup

    /// Adds style classes of the theme or of the program's style sheet.
    package func styled(_ classes: String...) -> Self {
        for name in classes { gtk_widget_add_css_class(c(), name) }
        return self
    }

    /// Sets the name for assistive programs.
    package func named(_ label: String) -> Self {
        hark_name(c(), label)
        return self
    }

    package func aligned(x: Alignment = .fill, y: Alignment = .fill) -> Self {
        gtk_widget_set_halign(c(), x.gtk)
        gtk_widget_set_valign(c(), y.gtk)
        return self
    }

    package func expanding(x: Bool = false, y: Bool = false) -> Self {
        gtk_widget_set_hexpand(c(), x ? 1 : 0)
        gtk_widget_set_vexpand(c(), y ? 1 : 0)
        return self
    }

    package func padded(x: Int32 = 0, top: Int32 = 0, bottom: Int32 = 0) -> Self {
        gtk_widget_set_margin_start(c(), x)
        gtk_widget_set_margin_end(c(), x)
        gtk_widget_set_margin_top(c(), top)
        gtk_widget_set_margin_bottom(c(), bottom)
        return self
    }

    package func sized(width: Int32 = -1, height: Int32 = -1) -> Self {
        gtk_widget_set_size_request(c(), width, height)
        return self
    }

    /// Clips its drawing at its edge, rounded corners included.
    package func clipped() -> Self {
        gtk_widget_set_overflow(c(), GTK_OVERFLOW_HIDDEN)
        return self
    }

    package func tipped(_ text: String) -> Self {
        gtk_widget_set_tooltip_text(c(), text)
        return self
    }

    package func ignoringPointer() -> Self {
        gtk_widget_set_can_target(c(), 0)
        return self
    }
}
