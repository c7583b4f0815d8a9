package import HarkWire

extension Engine {
    /// Keeps a line for the servers' logs.
    ///
    /// It lies in the current session, or, if it is about another user or there is none, in a session for such entries.
    /// Nothing is triggered and no session begins or ends by it.
    /// - Parameters:
    ///   - owner: The user it is about; nil when nobody was named.
    ///   - isUnattended: it comes without a person, and so is not the current session's user's.
    ///   - timestamp: as of `record`.
    package mutating func writeLog(
        _ entry: LogEntry, in scope: Scope, owner: String?, isUnattended: Bool = false, timestamp: Timestamp? = nil,
        source: Source, now: Timestamp, into changes: inout Changes
    ) throws(WireError) -> Recorded {
        try Limits.check(userId: owner)
        try Limits.check(app: scope.app)
        let session =
            isUnattended
            ? sessionForEntry(of: owner, in: scope, now: now, into: &changes)
            : sessionForLog(in: scope, owner: owner, now: now, into: &changes)
        return append(
            .log, of: session, name: entry.level.rawValue, properties: entry.properties, source: source,
            id: timestamp == nil ? nil : identifiers.next(at: now), at: timestamp ?? now, into: &changes)
    }

    private mutating func sessionForLog(
        in scope: Scope, owner: String?, now: Timestamp, into changes: inout Changes
    ) -> SessionIdentity {
        if owner == nil, let current = sessions.current(scope)?.identity { return current }
        return sessionForEntry(of: owner, in: scope, now: now, into: &changes)
    }

    /// The current session where it is this user's, else one made for entries.
    mutating func sessionForEntry(
        of owner: String?, in scope: Scope, now: Timestamp, into changes: inout Changes
    ) -> SessionIdentity {
        if let current = sessions.current(scope)?.identity, owner.hasSameBytes(as: current.userId) { return current }
        let place = LogBook.Owner(scope: scope, userId: owner)
        if let session = logs.session(of: place, now: now) { return session }
        let session = makeSessionForEntries(of: owner, in: scope, now: now, into: &changes)
        logs.remember(session, of: place)
        return session
    }

    /// A session that is in no list.
    ///
    /// - Parameter outlastsClears: no clear means it.
    mutating func makeSessionForEntries(
        of owner: String?, in scope: Scope, outlastsClears: Bool = false, now: Timestamp, into changes: inout Changes
    ) -> SessionIdentity {
        lastSessionRow += 1
        let session = SessionIdentity(
            row: lastSessionRow, id: identifiers.next(at: now), scope: scope, userId: owner, startedAt: now,
            metadata: .none, isImplicit: true, isForLogs: true, outlastsClears: outlastsClears)
        // It has ended already, as far as anybody asks: it is never current.
        changes.rows.append(.session(.insert(Session(session, endedAt: now))))
        return session
    }

    /// How long retention leaves a session that was made for entries alone.
    package static let logSessionGraceMilliseconds = 2 * LogBook.lifetimeMilliseconds
}
