package import HarkCore
package import HarkWire

/// A query for a page of records.
package struct RecordQuery: Sendable {
    package var uid: UInt32?
    package var session: Identifier?
    package var user: UserFilter?
    package var app: String?
    package var machines: MachineFilter?
    package var name: NamePattern?
    /// The least severity of log entries; `messages` accepts only messages.
    package var level: LogEntry.Level?
    /// A condition that events must meet.
    package var condition: EventCondition?
    package var since: Timestamp?
    package var until: Timestamp?
    package var kinds: Record.Kinds = [.event]
    package var descending = false
    /// Only records after (or, descending, before) this sequence number.
    package var from: UInt64?
    package var limit: Int
    /// The time after which the page ends early, in microseconds, to continue later; nil for no limit.
    package var patience: Int?
    /// - Parameter limit: the greatest number of records. The page also ends when the caller says that it is full.
    package init(limit: Int) { self.limit = limit }

    /// Only records with a higher number match.
    var behind: UInt64? { descending ? nil : from }
    /// Only records with a lower number match.
    var before: UInt64? { descending ? from : nil }

    /// The accepted kinds if the query tests nothing else about a record; nil if it does.
    var kindsAlone: Record.Kinds? {
        name == nil && level == nil && condition == nil && since == nil && until == nil ? kinds : nil
    }

    /// Whether a session's records can match.
    package func includes(_ session: SessionIdentity) -> Bool {
        if let uid, uid != session.scope.uid { return false }
        if let id = self.session, id != session.id { return false }
        if case .user(let userId) = user, !userId.hasSameBytes(as: session.userId) { return false }
        if let app, !app.hasSameBytes(as: session.scope.app) { return false }
        if let machines, !machines.includes(session.machine) { return false }
        return true
    }

    /// Whether records in this time range, in milliseconds, can match.
    func mayInclude(earliest: Int64, latest: Int64) -> Bool {
        if let since, latest < since.milliseconds { return false }
        if let until, earliest >= until.milliseconds { return false }
        return true
    }

    /// Whether a record of an included session matches.
    package func includes(_ record: RecordView, of session: SessionIdentity) -> Bool {
        guard kinds.contains(record.kind) else { return false }
        if let since, record.at < since { return false }
        if let until, record.at >= until { return false }
        if name != nil || level != nil, !includes(record.name, of: record.kind) { return false }
        guard let condition, record.kind == .event else { return true }
        return condition.holds(record, of: session)
    }

    /// Whether a record of this name and kind can match.
    private func includes(_ name: UnsafeBufferPointer<UInt8>, of kind: Record.Kind) -> Bool {
        if kind == .event { return self.name?.matches(name) ?? true }
        guard let level, kind == .log else { return true }
        let own = LogEntry.Level(rawValue: String(decoding: name, as: UTF8.self))
        return level == .messages ? own == .messages : own.map { $0.gravity >= level.gravity } ?? false
    }

    /// Whether records of any of these kinds can match with this name; nil for any name.
    func mayInclude(_ kinds: Record.Kinds, called name: UnsafeBufferPointer<UInt8>?) -> Bool {
        let meant = self.kinds.intersection(kinds)
        guard let name, self.name != nil || level != nil else { return !meant.isEmpty }
        return Record.Kind.allCases.contains { meant.contains($0) && includes(name, of: $0) }
    }

    /// Whether the query selects by names, kinds or times of records.
    var isSelective: Bool { kinds != .all || name != nil || level != nil || since != nil || until != nil }
}
