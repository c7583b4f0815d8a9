internal import CAdwaita

open class Button: Widget {
    package convenience init(_ label: String, _ action: @escaping () -> Void) {
        self.init(gtk_button_new())
        self.label = label
        on("clicked", do: action)
    }

    package convenience init(icon: String, _ action: @escaping () -> Void) {
        self.init(gtk_button_new_from_icon_name(icon))
        on("clicked", do: action)
    }

    /// A button with a widget instead of a label.
    package convenience init(_ face: Widget) {
        self.init(gtk_button_new())
        gtk_button_set_child(c(), face.c())
    }

    /// Marks the button as chosen before, or not.
    package func mark(_ isChosen: Bool) {
        style("suggested-action", isChosen)
        hark_mark_pressed(c(), isChosen ? 1 : 0)
    }

    package var label: String {
        get { gtk_button_get_label(c()).map { String(cString: $0) } ?? "" }
        set {
            guard newValue != label else { return }
            gtk_button_set_label(c(), newValue)
            hark_name(c(), newValue)
        }
    }
}

/// A button with further buttons in a menu.
package final class SplitButton: Widget {
    /// - Parameter menu: The name of the button that opens the menu.
    package init(_ label: String, menu: String, _ choices: [Button], _ action: @escaping () -> Void) {
        super.init(adw_split_button_new())
        adw_split_button_set_label(c(), label)
        adw_split_button_set_dropdown_tooltip(c(), menu)
        hark_name_buttons(c())
        hark_name_menu(c(), menu)
        on("clicked", do: action)
        let popover = Widget(gtk_popover_new())
        let box = VerticalBox()
        for choice in choices {
            box.append(choice.styled("flat"))
            choice.on("clicked") { [weak popover] in
                if let popover { gtk_popover_popdown(popover.c()) }
            }
        }
        gtk_popover_set_child(popover.c(), box.c())
        adw_split_button_set_popover(c(), popover.c())
    }
}

/// One button of a group in which at most one is on.
package final class RadioButton: Button {
    package init(_ face: Widget, in group: RadioButton?) {
        let new = hark_new(gtk_toggle_button_get_type(), GTK_ACCESSIBLE_ROLE_RADIO)
        super.init(UnsafeMutableRawPointer(new))
        gtk_button_set_child(c(), face.c())
        if let group { gtk_toggle_button_set_group(c(), group.c()) }
        // The role differs from the button's own, so its state has to be set too.
        hark_mark_checked(c(), 0)
        on("toggled") { [weak self] in
            if let self { hark_mark_checked(c(), isOn ? 1 : 0) }
        }
    }

    package var isOn: Bool {
        get { gtk_toggle_button_get_active(c()) != 0 }
        set { gtk_toggle_button_set_active(c(), newValue ? 1 : 0) }
    }
}

/// A list row with a check mark, or with a radio mark if it is in a group.
package final class CheckRow: Widget {
    package let check: Widget
    package let title: String
    private var told: Label?

    package init(_ title: String, name: String, isRadio: Bool, in group: CheckRow?) {
        self.title = title
        let role = isRadio ? GTK_ACCESSIBLE_ROLE_RADIO : GTK_ACCESSIBLE_ROLE_CHECKBOX
        check = Widget(UnsafeMutableRawPointer(hark_new(gtk_check_button_get_type(), role)))
        super.init(adw_action_row_new())
        if let group { gtk_check_button_set_group(check.c(), group.check.c()) }
        gtk_widget_set_valign(check.c(), GTK_ALIGN_CENTER)
        adw_preferences_row_set_use_markup(c(), 0)
        adw_preferences_row_set_title(c(), title)
        adw_action_row_set_title_lines(c(), 0)
        adw_action_row_add_prefix(c(), check.c())
        adw_action_row_set_activatable_widget(c(), check.c())
        // The mark takes the focus, because it tells whether the row is chosen.
        gtk_widget_set_focusable(c(), 0)
        hark_name(check.c(), name)
        hark_name(c(), name)
    }

    /// The words at the end of the row, which screen readers also read for the mark; nil for none.
    package func tell(_ words: String?) {
        guard words != nil || told != nil else { return }
        let label = told ?? Label("").styled("numeric", "heading")
        if told == nil { add(end: label) }
        told = label
        label.text = words ?? ""
        check.describe(words ?? "")
    }

    /// Puts a widget at the end of the row.
    package func add(end: Widget) { adw_action_row_add_suffix(c(), end.c()) }

    package var isOn: Bool {
        get { gtk_check_button_get_active(check.c()) != 0 }
        set { gtk_check_button_set_active(check.c(), newValue ? 1 : 0) }
    }
}

/// A line for a text to search for.
package final class SearchField: Widget {
    package init(name: String) {
        super.init(gtk_search_entry_new())
        hark_set_placeholder(c(), name)
        hark_name(c(), name)
    }

    /// Calls `body` with the text after each change.
    package func onChange(_ body: @escaping (String) -> Void) {
        on("changed") { [weak self] in
            if let self { body(text) }
        }
    }

    package var text: String { gtk_editable_get_text(c()).map { String(cString: $0) } ?? "" }

    /// Takes the focus, and adds a text at the end.
    package func write(_ more: String) {
        gtk_widget_grab_focus(c())
        gtk_editable_set_text(c(), text + more)
        gtk_editable_set_position(c(), -1)
    }
}
