internal import CAdwaita

/// A slider with a number of steps, without a handle until it has a position.
package final class Slider: Widget {
    /// One step below the first: there it has no position. So an assistive program that sets the first one sets
    /// something new.
    private static let none = -1.0

    /// - Parameters:
    ///   - steps: The number of steps from one end to the other.
    ///   - page: How many of them a page key moves.
    package init(name: String, steps: Int, page: Int) {
        super.init(gtk_scale_new_with_range(GTK_ORIENTATION_HORIZONTAL, Self.none, Double(steps), 1))
        gtk_scale_set_draw_value(c(), 0)
        gtk_range_set_increments(c(), 1, Double(page))
        gtk_range_set_round_digits(c(), 0)
        gtk_range_set_value(c(), Self.none)
        gtk_widget_add_css_class(c(), "hark-unset")
        hark_name(c(), name)
    }

    /// Writes words below a place.
    package func mark(_ place: Int, _ words: String) {
        let escaped = g_markup_escape_text(words, -1)
        gtk_scale_add_mark(c(), Double(place), GTK_POS_BOTTOM, escaped)
        g_free(escaped)
    }

    /// Calls `body` with the place that a person or an assistive program moves it to.
    package func onMove(_ body: @escaping (Int) -> Void) {
        on("value-changed") { [weak self] in
            guard let self else { return }
            body(max(0, Int(gtk_range_get_value(c()).rounded())))
        }
        // A press on the low end of a slider without a position changes no value.
        on("change-value") { arguments in
            guard arguments.count > 2, let values = arguments.baseAddress else { return false }
            if g_value_get_double(values + 2) < 0 { body(0) }
            return false
        }
    }

    /// Sets the position, and the words that tell it; nil for none.
    package func set(_ place: Int?, _ words: String) {
        let value = place.map { Double($0) } ?? Self.none
        if gtk_range_get_value(c()) != value { gtk_range_set_value(c(), value) }
        style("hark-unset", place == nil)
        hark_describe_value(c(), words)
    }
}
