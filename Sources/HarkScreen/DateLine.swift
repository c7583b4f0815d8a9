internal import CAdwaita

/// A date of one line, with a button that opens a calendar.
package final class DateLine: TextInput {
    private let line: TextLine
    private let calendar: Widget

    /// - Parameter choose: The name of the button.
    package init(name: String, placeholder: String, choose: String) {
        line = TextLine(name: name, placeholder: placeholder, isNumber: false)
        calendar = Widget(gtk_calendar_new())
        super.init(gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 6))
        gtk_widget_set_hexpand(line.c(), 1)
        let popover = Widget(gtk_popover_new())
        gtk_popover_set_child(popover.c(), calendar.c())
        let button = Widget(gtk_menu_button_new()).named(choose)
        gtk_menu_button_set_icon_name(button.c(), "x-office-calendar-symbolic")
        gtk_menu_button_set_popover(button.c(), popover.c())
        gtk_widget_set_tooltip_text(button.c(), choose)
        gtk_box_append(c(), line.c())
        gtk_box_append(c(), button.c())
        calendar.on("day-selected") { [weak self] in self?.take() }
    }

    /// Writes the day that is chosen in the calendar.
    private func take() {
        guard let date = gtk_calendar_get_date(calendar.c()) else { return }
        defer { g_date_time_unref(date) }
        guard let text = g_date_time_format(date, "%Y-%m-%d") else { return }
        defer { g_free(text) }
        if isEditable { line.text = String(cString: text) }
    }

    package override func onChange(_ body: @escaping (String) -> Void) { line.onChange(body) }
    package override var text: String {
        get { line.text }
        set { line.text = newValue }
    }
    package override var isEditable: Bool {
        get { line.isEditable }
        set { line.isEditable = newValue }
    }
    package override var hasFocus: Bool { line.hasFocus }
    package override func takeFocus() -> Bool { line.takeFocus() }
    package override func describe(_ text: String) { line.describe(text) }
    package override func markInvalid(_ isInvalid: Bool) { line.markInvalid(isInvalid) }
}
