package import HarkWire

extension Engine {
    /// The name of the notice that entries of systemd's journal were removed before they could be read.
    package static let journalGap = "journal.gap"

    /// Records the content of journal entries, and the position after them, in one commit: so each entry is recorded once,
    /// however the daemon ends.
    ///
    /// - Parameters:
    ///   - place: the position after the entries, as a text of the daemon's own.
    ///   - source: the name of the source.
    /// - Returns: the errors of the entries that could not be recorded; these are skipped.
    package mutating func takeJournal(
        _ orders: [JournalOrder], upTo place: String, of source: String, in scope: Scope, by sender: Source,
        now: Timestamp, into changes: inout Changes
    ) -> [WireError] {
        var refusals: [WireError] = []
        for order in orders {
            do throws(WireError) {
                try take(order, in: scope, by: sender, now: now, into: &changes)
            } catch {
                refusals.append(error)
            }
        }
        remember(place, as: Engine.journalKey(source), into: &changes)
        return refusals
    }

    /// The key in the store for the position in a source.
    package static func journalKey(_ source: String) -> String { "journal.\(source)" }

    private mutating func take(
        _ order: JournalOrder, in scope: Scope, by sender: Source, now: Timestamp, into changes: inout Changes
    ) throws(WireError) {
        switch order.content {
        case .event(let name, let properties):
            try Limits.check(eventName: name)
            recordNotice(name, properties, in: scope, timestamp: order.at, source: sender, now: now, into: &changes)
        case .log(let entry):
            _ = try writeLog(
                entry, in: scope, owner: nil, isUnattended: true, timestamp: order.at, source: sender, now: now,
                into: &changes)
        }
    }
}
