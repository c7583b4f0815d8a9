package import HarkWire

/// Hours at which nobody is to be asked, by the clock on the wall: some spans, each on some days of the week. A span over
/// midnight belongs to the day on which it begins.
///
/// It is quiet whenever the wall shows such a time: in an hour that is skipped it ends, or begins, with the leap, and one that
/// comes twice is quiet twice.
///
/// Invariant: some minute of the week is outside all of them.
package struct QuietHours: Sendable, Equatable {
    /// At least one.
    let spans: [WatchHours]

    package static let mostSpans = 20

    /// - Parameter spans: all of them with hours.
    package init(_ spans: [WatchHours]) throws(WireError) {
        guard !spans.isEmpty, spans.count <= QuietHours.mostSpans else {
            throw WireError(.invalidParams, "there are 1 to \(QuietHours.mostSpans) spans of quiet hours")
        }
        self.spans = spans
        guard wallEnd(from: 0) != nil else {
            throw WireError(.invalidParams, "these quiet hours take the whole week, and leave no time to ask")
        }
    }

    /// Until when it is quiet; nil where it is not.
    package func end(at now: Timestamp, in zone: LocalZone) -> Timestamp? {
        guard isQuiet(zone.wall(now)) else { return nil }
        for stretch in Stretch.following(now, in: zone) {
            // The clocks were set, and show another time now.
            let wall = stretch.from.milliseconds + stretch.offset
            guard let end = wallEnd(from: wall) else { return nil }
            let at = stretch.from.adding(milliseconds: end - wall)
            if at < stretch.to { return at }
        }
        return nil
    }

    /// When it is quiet next; nil while it is.
    package func begin(after now: Timestamp, in zone: LocalZone) -> Timestamp? {
        guard !isQuiet(zone.wall(now)) else { return nil }
        for stretch in Stretch.following(now, in: zone) {
            let wall = stretch.from.milliseconds + stretch.offset
            if isQuiet(wall) { return stretch.from }
            guard let start = spans.flatMap({ $0.starts(after: wall) }).min() else { return nil }
            let at = stretch.from.adding(milliseconds: start - wall)
            if at < stretch.to { return at }
        }
        return nil
    }

    private func isQuiet(_ wall: Int64) -> Bool { spans.contains { $0.end(around: wall) != nil } }

    /// When it is quiet no more on a wall whose clock is never set; nil: never.
    private func wallEnd(from wall: Int64) -> Int64? {
        var end = wall
        // Each step ends a span of one of at most nine days.
        for _ in 0...(spans.count * 9) {
            guard let next = spans.compactMap({ $0.end(around: end) }).max() else { return end }
            end = next
        }
        return nil
    }
}

/// A time in which nobody sets the clocks on the wall.
private struct Stretch {
    let from: Timestamp
    /// The next one's beginning.
    let to: Timestamp
    /// By how much the wall is ahead of UTC, in milliseconds.
    let offset: Int64

    private static let day: Int64 = 86_400_000
    /// A week, and what clocks may be set by.
    private static let days: Int64 = 9

    /// Those of the next days. Clocks are set once a day at most.
    static func following(_ now: Timestamp, in zone: LocalZone) -> [Stretch] {
        func offset(_ time: Timestamp) -> Int64 { zone.wall(time) - time.milliseconds }
        var stretches: [Stretch] = []
        var (from, current) = (now, offset(now))
        for day in 1...days {
            let next = now.adding(milliseconds: day * Stretch.day)
            let after = offset(next)
            guard after != current else { continue }
            var (low, high) = (next.milliseconds - Stretch.day, next.milliseconds)
            while high - low > 1 {
                let middle = low + (high - low) / 2
                if offset(Timestamp(milliseconds: middle)) == current { low = middle } else { high = middle }
            }
            let leap = Timestamp(milliseconds: high)
            stretches.append(Stretch(from: from, to: leap, offset: current))
            (from, current) = (leap, after)
        }
        stretches.append(Stretch(from: from, to: now.adding(milliseconds: days * Stretch.day), offset: current))
        return stretches
    }
}
