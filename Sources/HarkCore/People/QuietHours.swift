package import HarkWire

/// Hours of local time at which surveys are not shown: some spans, each on some days of the week. A span over midnight
/// belongs to the day on which it begins.
///
/// It is quiet whenever the local clock shows such a time. In an hour that the clock skips, it begins or ends with the
/// skip; in an hour that the clock repeats, it is quiet twice.
///
/// Invariant: some minute of the week is outside all spans.
package struct QuietHours: Sendable, Equatable {
    /// At least one span.
    let spans: [WatchHours]

    package static let mostSpans = 20

    /// - Parameter spans: spans that all have hours.
    package init(_ spans: [WatchHours]) throws(WireError) {
        guard !spans.isEmpty, spans.count <= QuietHours.mostSpans else {
            throw WireError(.invalidParams, "there are 1 to \(QuietHours.mostSpans) spans of quiet hours")
        }
        self.spans = spans
        guard wallEnd(from: 0) != nil else {
            throw WireError(.invalidParams, "these quiet hours take the whole week, and leave no time to ask")
        }
    }

    /// The end of the current quiet time; nil when it is not quiet.
    package func end(at now: Timestamp, in zone: LocalZone) -> Timestamp? {
        guard isQuiet(zone.wall(now)) else { return nil }
        for stretch in Stretch.following(now, in: zone) {
            // At the start of a later stretch the local clock has been changed.
            let wall = stretch.from.milliseconds + stretch.offset
            guard let end = wallEnd(from: wall) else { return nil }
            let at = stretch.from.adding(milliseconds: end - wall)
            if at < stretch.to { return at }
        }
        return nil
    }

    /// The start of the next quiet time; nil when it is quiet now, or none begins in the next days.
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

    /// The end of the quiet time, ignoring changes of the clock; nil when there is none.
    private func wallEnd(from wall: Int64) -> Int64? {
        var end = wall
        // Each step ends a span on one of at most nine days.
        for _ in 0...(spans.count * 9) {
            guard let next = spans.compactMap({ $0.end(around: end) }).max() else { return end }
            end = next
        }
        return nil
    }
}

/// A time without changes of the local clock.
private struct Stretch {
    let from: Timestamp
    /// The beginning of the next stretch.
    let to: Timestamp
    /// The local offset from UTC, in milliseconds.
    let offset: Int64

    private static let day: Int64 = 86_400_000
    /// A week, and the most by which clocks may change.
    private static let days: Int64 = 9

    /// The stretches of the next days. A clock changes at most once a day.
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
