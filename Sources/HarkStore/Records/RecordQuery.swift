package import HarkCore
package import HarkWire

/// Which records to read, a page at a time.
package struct RecordQuery: Sendable {
    package var uid: UInt32?
    package var session: Identifier?
    package var user: UserFilter?
    package var app: String?
    package var name: NamePattern?
    /// Of log entries, only those at least this grave; `messages` means only those.
    package var level: LogEntry.Level?
    package var since: Timestamp?
    package var until: Timestamp?
    package var kinds: Record.Kinds = [.event]
    package var descending = false
    /// Records after (or, descending, before) this sequence number.
    package var from: UInt64?
    package var limit: Int
    /// After about so many microseconds the page ends where it is, to go on in another turn; nil: it takes what it takes.
    package var patience: Int?
    /// The page also ends once the caller says it is full.
    package init(limit: Int) { self.limit = limit }

    /// Whether a session's records are meant at all.
    package func includes(_ session: SessionIdentity) -> Bool {
        if let uid, uid != session.scope.uid { return false }
        if let id = self.session, id != session.id { return false }
        if case .user(let userId) = user, !userId.hasSameBytes(as: session.userId) { return false }
        if let app, !app.hasSameBytes(as: session.scope.app) { return false }
        return true
    }

    /// Whether records of this span of time, in milliseconds, may be meant.
    func mayInclude(earliest: Int64, latest: Int64) -> Bool {
        if let since, latest < since.milliseconds { return false }
        if let until, earliest >= until.milliseconds { return false }
        return true
    }

    /// Whether a record of an included session is meant.
    package func includes(_ record: RecordView) -> Bool {
        guard kinds.contains(record.kind) else { return false }
        if let since, record.at < since { return false }
        if let until, record.at >= until { return false }
        if let name, record.kind == .event, !name.matches(record.name) { return false }
        if let level, record.kind == .log {
            let own = LogEntry.Level(rawValue: String(decoding: record.name, as: UTF8.self))
            return level == .messages ? own == .messages : own.map { $0.gravity >= level.gravity } ?? false
        }
        return true
    }
}
