internal import CAdwaita

/// An animated check mark in a circle; it is static if the desktop disables animations.
package final class CheckMark: Widget {
    private static let milliseconds: UInt32 = 700
    private var progress = 0.0
    private var animation: Object?

    package init(size: Int32) {
        super.init(UnsafeMutableRawPointer(hark_new(gtk_drawing_area_get_type(), GTK_ACCESSIBLE_ROLE_PRESENTATION)))
        gtk_drawing_area_set_content_width(c(), size)
        gtk_drawing_area_set_content_height(c(), size)
        gtk_drawing_area_set_draw_func(
            c(),
            { area, cairo, width, height, context in
                // GTK draws on the main thread.
                nonisolated(unsafe) let (area, cairo, context) = (area, cairo, context)
                MainActor.assumeIsolated {
                    guard let area, let cairo, let context else { return }
                    let mark = Unmanaged<Progress>.fromOpaque(context).takeUnretainedValue().of
                    mark?.draw(area, cairo, Double(min(width, height)))
                }
            }, Unmanaged.passRetained(Progress(self)).toOpaque(),
            { context in
                if let context { Unmanaged<AnyObject>.fromOpaque(context).release() }
            })
    }

    private final class Progress {
        weak var of: CheckMark?
        init(_ mark: CheckMark) { of = mark }
    }

    /// Plays the animation from the start.
    package func play() {
        let target = adw_callback_animation_target_new(
            { value, context in
                // Animations run on the main thread as well.
                nonisolated(unsafe) let context = context
                MainActor.assumeIsolated {
                    guard let context else { return }
                    let mark = Unmanaged<Progress>.fromOpaque(context).takeUnretainedValue().of
                    mark?.progress = value
                    if let mark { gtk_widget_queue_draw(mark.c()) }
                }
            }, Unmanaged.passRetained(Progress(self)).toOpaque(),
            { context in
                if let context { Unmanaged<AnyObject>.fromOpaque(context).release() }
            })
        guard let timed = adw_timed_animation_new(c(), 0, 1, Self.milliseconds, target) else { return }
        let animation = Object(UnsafeMutableRawPointer(timed))
        adw_timed_animation_set_easing(animation.c(), ADW_EASE_IN_OUT_CUBIC)
        self.animation = animation
        adw_animation_play(animation.c())
    }

    /// Draws the circle in the first half of the time, and the mark in the second.
    private func draw(_ area: UnsafeMutablePointer<GtkDrawingArea>, _ cairo: OpaquePointer, _ size: Double) {
        var color = GdkRGBA()
        gtk_style_context_get_color(gtk_widget_get_style_context(c()), &color)
        gdk_cairo_set_source_rgba(cairo, &color)
        let width = size / 14
        cairo_set_line_width(cairo, width)
        cairo_set_line_cap(cairo, CAIRO_LINE_CAP_ROUND)
        cairo_set_line_join(cairo, CAIRO_LINE_JOIN_ROUND)
        let circle = min(progress / 0.55, 1)
        let top = -Double.pi / 2
        cairo_arc(cairo, size / 2, size / 2, size / 2 - width, top, top + circle * 2 * Double.pi)
        cairo_stroke(cairo)
        let points = [(0.29, 0.52), (0.44, 0.67), (0.72, 0.36)].map { ($0.0 * size, $0.1 * size) }
        let lengths = zip(points, points.dropFirst()).map { a, b in
            ((b.0 - a.0) * (b.0 - a.0) + (b.1 - a.1) * (b.1 - a.1)).squareRoot()
        }
        var left = max(0, (progress - 0.5) / 0.5) * lengths.reduce(0, +)
        guard left > 0 else { return }
        cairo_move_to(cairo, points[0].0, points[0].1)
        for (index, length) in lengths.enumerated() where left > 0 {
            let (from, to) = (points[index], points[index + 1])
            let part = min(left / length, 1)
            cairo_line_to(cairo, from.0 + (to.0 - from.0) * part, from.1 + (to.1 - from.1) * part)
            left -= length
        }
        cairo_stroke(cairo)
    }
}
