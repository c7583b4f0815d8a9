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
    /// A size in units of the layout.
    package struct Room {
        package let width: Int32
        package let height: Int32

        package init(width: Int32, height: Int32) {
            self.width = max(1, width)
            self.height = max(1, height)
        }
    }

    private let width: Int32
    private let height: Int32

    /// - Parameters:
    ///   - alternative: The text that screen readers read instead of it; empty for none.
    ///   - room: The maximum size, so that no more memory is used; nil for the file's own size.
    /// - Returns: Nil if the file cannot be read, or is no picture.
    package init?(_ file: String, alternative: String, room: Room? = nil) {
        guard let texture = Self.texture(file, room) else { return nil }
        width = gdk_texture_get_width(texture)
        height = gdk_texture_get_height(texture)
        let role = alternative.isEmpty ? GTK_ACCESSIBLE_ROLE_PRESENTATION : GTK_ACCESSIBLE_ROLE_IMG
        super.init(UnsafeMutableRawPointer(hark_new(gtk_picture_get_type(), role)))
        gtk_picture_set_paintable(c(), texture)
        g_object_unref(UnsafeMutableRawPointer(texture))
        gtk_picture_set_can_shrink(c(), 1)
        if !alternative.isEmpty {
            gtk_picture_set_alternative_text(c(), alternative)
            // GTK makes the text its description alone.
            hark_name(c(), alternative)
        }
    }

    private static func texture(_ file: String, _ room: Room?) -> OpaquePointer? {
        guard let room else { return gdk_texture_new_from_filename(file, nil) }
        var (width, height): (Int32, Int32) = (0, 0)
        guard let format = gdk_pixbuf_get_file_info(file, &width, &height) else { return nil }
        // Twice the room, for screens with a scale of 2. Only drawings are made larger than they are.
        let isLarge = width > 2 * room.width || height > 2 * room.height
        let isFitted = isLarge || gdk_pixbuf_format_is_scalable(format) != 0
        let read =
            isFitted
            ? gdk_pixbuf_new_from_file_at_scale(file, 2 * room.width, 2 * room.height, 1, nil)
            : gdk_pixbuf_new_from_file(file, nil)
        guard let read else { return nil }
        defer { g_object_unref(UnsafeMutableRawPointer(read)) }
        // Cameras store the orientation of an image in its metadata.
        guard let turned = gdk_pixbuf_apply_embedded_orientation(read) else { return nil }
        defer { g_object_unref(UnsafeMutableRawPointer(turned)) }
        return gdk_texture_new_for_pixbuf(turned)
    }

    /// The number of pixels of a file; 0 if it is no picture.
    package static func pixels(of file: String) -> Int {
        var (width, height): (Int32, Int32) = (0, 0)
        guard gdk_pixbuf_get_file_info(file, &width, &height) != nil else { return 0 }
        return Int(max(0, width)) * Int(max(0, height))
    }

    /// Lays the picture out in its own proportions: as large as the room, or smaller where there is less.
    ///
    /// - Parameter scale: How much larger than its own pixels it may be.
    package func fitted(in room: Room, scale: Double) -> Widget {
        let inRoom = min(Double(room.width), Double(room.height) * Double(width) / Double(height))
        let most = max(1, Int32(min(inRoom, Double(width) * scale)))
        return Fitted(self, width: most, height: max(1, Int32(Double(most) * Double(height) / Double(width))))
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
