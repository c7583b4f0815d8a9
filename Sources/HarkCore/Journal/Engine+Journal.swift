package import HarkWire

extension Engine {
    /// Entries of systemd's journal were left out, which were gone before they were read.
    package static let journalGap = "journal.gap"

    /// Records what entries of the journal say, and how far it was read, in one commit: so each entry is recorded once, whatever ends
    /// the daemon.
    ///
    /// - Parameters:
    ///   - place: how far, as a text of the daemon's own.
    ///   - source: the name of the source.
    /// - Returns: why entries could not be recorded, each; they are passed over.
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

    /// Under which the store remembers how far a source was read.
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
