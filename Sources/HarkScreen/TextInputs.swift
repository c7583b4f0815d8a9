internal import CAdwaita

/// A widget for a text.
open class TextInput: Widget {
    /// Calls `body` with the text after each change.
    package func onChange(_ body: @escaping (String) -> Void) {}
    package var text: String {
        get { "" }
        set {}
    }
    package var isEditable: Bool {
        get { true }
        set {}
    }
}

/// A text of one line.
package final class TextLine: TextInput {
    /// - Parameter isNumber: Whether a screen keyboard should offer digits.
    package init(name: String, placeholder: String, isNumber: Bool) {
        super.init(gtk_entry_new())
        gtk_entry_set_placeholder_text(c(), placeholder)
        gtk_entry_set_input_purpose(c(), isNumber ? GTK_INPUT_PURPOSE_NUMBER : GTK_INPUT_PURPOSE_FREE_FORM)
        gtk_entry_set_max_length(c(), 100)
        hark_name(c(), name)
    }

    package override func onChange(_ body: @escaping (String) -> Void) {
        on("changed") { [weak self] in
            if let self { body(text) }
        }
    }
    package override var text: String {
        get { gtk_editable_get_text(c()).map { String(cString: $0) } ?? "" }
        set {
            gtk_editable_set_text(c(), newValue)
            gtk_editable_set_position(c(), -1)
        }
    }
    package override var isEditable: Bool {
        get { gtk_editable_get_editable(c()) != 0 }
        set { gtk_editable_set_editable(c(), newValue ? 1 : 0) }
    }
    // The text inside has the focus.
    package override var hasFocus: Bool { containsFocus }
    package override func takeFocus() -> Bool { gtk_entry_grab_focus_without_selecting(c()) != 0 }
}

/// A text of several lines, with a placeholder.
package final class TextArea: TextInput {
    private let view: Widget
    private let placeholder: Label
    private var buffer: UnsafeMutablePointer<GtkTextBuffer> { gtk_text_view_get_buffer(view.c()) }

    package init(name: String, placeholder words: String, height: Int32) {
        view = Widget(gtk_text_view_new()).styled("hark-text").named(name)
        placeholder = Label(words, .decoration, wraps: true).leading().styled("dim-label", "hark-placeholder")
            .ignoringPointer().aligned(x: .fill, y: .start)
        super.init(gtk_overlay_new())
        gtk_text_view_set_wrap_mode(view.c(), GTK_WRAP_WORD_CHAR)
        gtk_text_view_set_accepts_tab(view.c(), 0)
        let scrolled = Widget(gtk_scrolled_window_new()).sized(height: height)
        gtk_scrolled_window_set_policy(scrolled.c(), GTK_POLICY_NEVER, GTK_POLICY_AUTOMATIC)
        gtk_scrolled_window_set_child(scrolled.c(), view.c())
        gtk_overlay_set_child(c(), scrolled.c())
        gtk_overlay_add_overlay(c(), placeholder.c())
    }

    package override func onChange(_ body: @escaping (String) -> Void) {
        Object(borrowing: buffer).on("changed") { [weak self] in
            guard let self else { return }
            let text = text
            placeholder.isVisible = text.isEmpty
            body(text)
        }
    }

    package override var text: String {
        get {
            var (start, end) = (GtkTextIter(), GtkTextIter())
            gtk_text_buffer_get_bounds(buffer, &start, &end)
            guard let text = gtk_text_buffer_get_text(buffer, &start, &end, 0) else { return "" }
            defer { g_free(text) }
            return String(cString: text)
        }
        set {
            gtk_text_buffer_set_text(buffer, newValue, -1)
            placeholder.isVisible = newValue.isEmpty
        }
    }

    package override var isEditable: Bool {
        get { gtk_text_view_get_editable(view.c()) != 0 }
        set { gtk_text_view_set_editable(view.c(), newValue ? 1 : 0) }
    }

    package override var hasFocus: Bool { view.hasFocus }
    package override func takeFocus() -> Bool { view.takeFocus() }
    package override func describe(_ text: String) { view.describe(text) }
    package override func markInvalid(_ isInvalid: Bool) { view.markInvalid(isInvalid) }
}
