import HarkWire

@testable import HarkCore

extension Stage {
    /// Counts the events of the log from before rules were in force, as the daemon does.
    ///
    /// - Parameters:
    ///   - pages: how many pages it gets to before it is interrupted.
    ///   - size: how many records a page has.
    mutating func readPast(pages: Int = .max, of size: Int = 3) {
        var left = pages
        while left > 0, let reading = engine.pastToRead(now: now) {
            left -= 1
            let gap = reading.gap
            let page = disk.records.filter { $0.sequence > gap.after && $0.sequence <= gap.through }
                .sorted { $0.sequence > $1.sequence }.prefix(size)
            let found = page.filter { record in
                record.kind == .event && record.name == reading.name && record.at >= reading.since ?? .earliest
                    && record.at < gap.before ?? .latest && disk.sessions[record.session.row] != nil
                    && reading.condition.holds(record.properties)
            }.map { PastEvent($0.session, at: $0.at) }
            let position = page.count < size ? gap.after : (page.last?.sequence ?? 1) - 1
            disk.bring(.all(found.map { .user($0.user) }), to: &engine)
            engine.count(found, reading, downTo: position, now: now, into: &changes)
            step()
        }
    }

    /// The state at a start: nothing in memory, not even the surveys.
    mutating func startWithoutSurveys() {
        changes = Changes()
        engine = Engine(watermark: disk.watermark)
    }
}
