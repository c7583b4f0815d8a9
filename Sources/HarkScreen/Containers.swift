internal import CAdwaita

/// Widgets in a row or column.
open class Box: Widget {
    fileprivate init(_ axis: GtkOrientation, _ spacing: Int32, _ role: GtkAccessibleRole, _ children: [Widget]) {
        super.init(UnsafeMutableRawPointer(hark_new(gtk_box_get_type(), role)))
        gtk_orientable_set_orientation(c(), axis)
        gtk_box_set_spacing(c(), spacing)
        for child in children { append(child) }
    }

    package func append(_ child: Widget) { gtk_box_append(c(), child.c()) }
}

package final class VerticalBox: Box {
    /// - Parameter isGroup: Whether assistive programs see its children as one control, which needs a name.
    package init(spacing: Int32 = 0, isGroup: Bool = false, _ children: Widget...) {
        super.init(
            GTK_ORIENTATION_VERTICAL, spacing, isGroup ? GTK_ACCESSIBLE_ROLE_GROUP : GTK_ACCESSIBLE_ROLE_GENERIC,
            children)
    }
}

/// Equal cells side by side, in as many rows as the width makes necessary.
package final class Cells: Box {
    package init(gap: Int32, _ children: [Widget]) {
        super.init(GTK_ORIENTATION_HORIZONTAL, 0, GTK_ACCESSIBLE_ROLE_GENERIC, children)
        hark_lay_out_cells(c(), gap)
    }
}

/// A widget that keeps its proportions.
final class Fitted: Box {
    init(_ child: Widget, width: Int32, height: Int32) {
        super.init(GTK_ORIENTATION_HORIZONTAL, 0, GTK_ACCESSIBLE_ROLE_GENERIC, [child])
        hark_lay_out_fitted(c(), width, height)
    }
}

package final class HorizontalBox: Box {
    /// - Parameter isGroup: Whether assistive programs see its children as one control, which needs a name.
    package init(spacing: Int32 = 0, sameWidth: Bool = false, isGroup: Bool = false, _ children: Widget...) {
        super.init(
            GTK_ORIENTATION_HORIZONTAL, spacing, isGroup ? GTK_ACCESSIBLE_ROLE_GROUP : GTK_ACCESSIBLE_ROLE_GENERIC,
            children)
        gtk_box_set_homogeneous(c(), sameWidth ? 1 : 0)
    }
}

/// Rows in a frame, without selection.
package final class List: Widget {
    package init(_ rows: [Widget]) {
        super.init(gtk_list_box_new())
        gtk_list_box_set_selection_mode(c(), GTK_SELECTION_NONE)
        gtk_widget_add_css_class(c(), "boxed-list")
        for row in rows { gtk_list_box_append(c(), row.c()) }
    }
}

/// A widget with others on top of it.
package final class Overlay: Widget {
    package init(_ child: Widget, _ above: Widget...) {
        super.init(gtk_overlay_new())
        gtk_overlay_set_child(c(), child.c())
        for widget in above { gtk_overlay_add_overlay(c(), widget.c()) }
    }
}

/// A centred widget with a maximum width.
package final class Clamp: Widget {
    package init(width: Int32, _ child: Widget) {
        super.init(adw_clamp_new())
        adw_clamp_set_maximum_size(c(), width)
        adw_clamp_set_tightening_threshold(c(), width)
        adw_clamp_set_child(c(), child.c())
    }
}

/// A widget that can be shown and hidden.
package final class Revealer: Widget {
    package init(_ child: Widget) {
        super.init(gtk_revealer_new())
        gtk_revealer_set_transition_type(c(), GTK_REVEALER_TRANSITION_TYPE_SLIDE_UP)
        gtk_revealer_set_child(c(), child.c())
        isVisible = false
        on("notify::child-revealed") { [weak self] in self?.settle() }
    }

    package var isRevealed: Bool {
        get { gtk_revealer_get_reveal_child(c()) != 0 }
        set {
            if newValue { isVisible = true }
            gtk_revealer_set_reveal_child(c(), newValue ? 1 : 0)
            settle()
        }
    }

    /// Removes a hidden widget from the layout and the accessibility tree.
    private func settle() {
        if !isRevealed, gtk_revealer_get_child_revealed(c()) == 0 { isVisible = false }
    }
}

/// A widget as high as its content, which scrolls beyond a maximum height.
package final class ScrollArea: Widget {
    /// The widget that takes the focus itself if no control in it should.
    package var body: Widget?

    package init(maximumHeight: Int32, _ child: Widget) {
        super.init(gtk_scrolled_window_new())
        gtk_scrolled_window_set_policy(c(), GTK_POLICY_NEVER, GTK_POLICY_AUTOMATIC)
        gtk_scrolled_window_set_propagate_natural_height(c(), 1)
        gtk_scrolled_window_set_max_content_height(c(), maximumHeight)
        gtk_scrolled_window_set_child(c(), child.c())
        // The content takes the focus and scrolls the view.
        isFocusable = false
    }

    /// Scrolls by most of the visible height.
    package func scrollPage(_ direction: Double) {
        guard let adjustment = gtk_scrolled_window_get_vadjustment(c()) else { return }
        let step = gtk_adjustment_get_page_size(adjustment) * 0.9
        gtk_adjustment_set_value(adjustment, gtk_adjustment_get_value(adjustment) + direction * step)
    }

    /// Scrolls as little as makes the whole widget visible.
    package func scroll(to widget: Widget) {
        guard let adjustment = gtk_scrolled_window_get_vadjustment(c()),
            let viewport = gtk_scrolled_window_get_child(c()), let content = gtk_widget_get_first_child(viewport)
        else { return }
        var (top, height) = (0.0, 0.0)
        guard hark_place_in(widget.c(), content, &top, &height) != 0 else { return }
        gtk_adjustment_clamp_page(adjustment, top - Self.margin, top + height + Self.margin)
    }
    private static let margin = 6.0

    package func scrollToTop() { gtk_adjustment_set_value(gtk_scrolled_window_get_vadjustment(c()), 0) }
}

/// A stack that shows one page. The others are neither in the accessibility tree nor reached by the keyboard.
package final class Stack: Widget {
    package enum Change {
        case fade, forward, back
    }

    private var pages: [Widget] = []

    package init(milliseconds: UInt32 = 250) {
        super.init(gtk_stack_new())
        gtk_stack_set_transition_duration(c(), milliseconds)
        gtk_stack_set_vhomogeneous(c(), 0)
        on("notify::transition-running") { [weak self] in self?.forgetOthers() }
    }

    /// Shows a page instead of the current one.
    package func show(_ page: Widget, by change: Change = .fade) {
        if gtk_widget_get_parent(page.c()) == nil {
            gtk_stack_add_child(c(), page.c())
            pages.append(page)
        }
        let isForward = (change == .forward) != isRightToLeft
        let slide = isForward ? GTK_STACK_TRANSITION_TYPE_SLIDE_LEFT : GTK_STACK_TRANSITION_TYPE_SLIDE_RIGHT
        gtk_stack_set_transition_type(c(), change == .fade ? GTK_STACK_TRANSITION_TYPE_CROSSFADE : slide)
        gtk_stack_set_visible_child(c(), page.c())
        forgetOthers()
    }

    /// The height that a page wants at a width, whether it is shown or not.
    package func height(of page: Widget, width: Int32) -> Int32 {
        let isNew = gtk_widget_get_parent(page.c()) == nil
        // The style of a widget is that of its place.
        if isNew { gtk_stack_add_child(c(), page.c()) }
        var natural: Int32 = 0
        gtk_widget_measure(page.c(), GTK_ORIENTATION_VERTICAL, width, nil, &natural, nil, nil)
        if isNew { gtk_stack_remove(c(), page.c()) }
        return natural
    }

    private func forgetOthers() {
        guard gtk_stack_get_transition_running(c()) == 0, let shown = gtk_stack_get_visible_child(c()) else { return }
        for page in pages where page.reference != UnsafeMutableRawPointer(shown) { gtk_stack_remove(c(), page.c()) }
        pages.removeAll { $0.reference != UnsafeMutableRawPointer(shown) }
    }
}
