internal import CAdwaita

open class Label: Widget {
    package enum Kind {
        case text
        /// A heading for screen readers.
        case heading
        /// A text that screen readers read when it appears.
        case alert
        /// A text that is also available elsewhere, so screen readers skip it.
        case decoration

        fileprivate var role: GtkAccessibleRole {
            switch self {
            case .text: GTK_ACCESSIBLE_ROLE_LABEL
            case .heading: GTK_ACCESSIBLE_ROLE_HEADING
            case .alert: GTK_ACCESSIBLE_ROLE_ALERT
            case .decoration: GTK_ACCESSIBLE_ROLE_PRESENTATION
            }
        }
    }

    private let kind: Kind

    package init(_ text: String = "", _ kind: Kind = .text, wraps: Bool = false) {
        self.kind = kind
        super.init(UnsafeMutableRawPointer(hark_new(gtk_label_get_type(), kind.role)))
        self.text = text
        guard wraps else { return }
        gtk_label_set_wrap(c(), 1)
        gtk_label_set_wrap_mode(c(), PANGO_WRAP_WORD_CHAR)
    }

    /// Breaks lines only between words, so that its longest word is its least width.
    package func wholeWords() -> Self {
        gtk_label_set_wrap_mode(c(), PANGO_WRAP_WORD)
        return self
    }

    package var text: String {
        get { String(cString: gtk_label_get_text(c())) }
        set {
            gtk_label_set_text(c(), newValue)
            if kind != .decoration { hark_name(c(), newValue) }
        }
    }

    package func centered() -> Self {
        gtk_label_set_justify(c(), GTK_JUSTIFY_CENTER)
        return self
    }

    /// Aligns the text with the end of its lines.
    package func trailing() -> Self {
        gtk_label_set_xalign(c(), 1)
        gtk_label_set_justify(c(), GTK_JUSTIFY_RIGHT)
        return self
    }

    /// Aligns the text with the start of its lines.
    package func leading() -> Self {
        gtk_label_set_xalign(c(), 0)
        return self
    }
}

/// A picture from a file, as large as there is room for.
package final class Picture: Widget {
    /// - Parameter alternative: What screen readers read instead of it; empty for nothing.
    /// - Returns: Nil if the file cannot be read, or is no picture.
    package init?(_ file: String, alternative: String) {
        guard let texture = gdk_texture_new_from_filename(file, nil) else { return nil }
        super.init(gtk_picture_new_for_paintable(texture))
        g_object_unref(UnsafeMutableRawPointer(texture))
        gtk_picture_set_can_shrink(c(), 1)
        gtk_picture_set_alternative_text(c(), alternative)
    }
}

package final class ProgressBar: Widget {
    package init(name: String) {
        super.init(gtk_progress_bar_new())
        hark_name(c(), name)
    }

    package func set(_ fraction: Double, _ words: String) {
        gtk_progress_bar_set_fraction(c(), fraction)
        hark_describe_value(c(), words)
    }
}

package final class HeaderBar: Widget {
    package init(title: Widget) {
        super.init(adw_header_bar_new())
        adw_header_bar_set_title_widget(c(), title.c())
        adw_header_bar_set_decoration_layout(c(), ":close")
    }

    package func add(start: Widget) { adw_header_bar_pack_start(c(), start.c()) }
}

package final class WindowTitle: Widget {
    package init() { super.init(adw_window_title_new("", "")) }

    package func set(_ title: String, _ subtitle: String) {
        adw_window_title_set_title(c(), title)
        adw_window_title_set_subtitle(c(), subtitle)
    }
}
