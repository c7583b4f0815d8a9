package import HarkWire

extension Engine {
    /// Stores a line for the servers' logs.
    ///
    /// The entry goes into the current session. If it is about another user, or there is no current session, it goes
    /// into a session for such entries. It triggers nothing, and begins or ends no session.
    /// - Parameters:
    ///   - owner: the user that the entry is about; nil when no user was named.
    ///   - isUnattended: whether the entry comes without a person, and so does not belong to the current session's
    ///     user.
    ///   - timestamp: as for `record`.
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

    /// The current session if it is this user's, else a session for entries.
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

    /// Creates a session that appears in no list.
    ///
    /// - Parameter outlastsClears: whether clears leave the session alone.
    mutating func makeSessionForEntries(
        of owner: String?, in scope: Scope, outlastsClears: Bool = false, now: Timestamp, into changes: inout Changes
    ) -> SessionIdentity {
        lastSessionRow += 1
        let session = SessionIdentity(
            row: lastSessionRow, id: identifiers.next(at: now), scope: scope, userId: owner, startedAt: now,
            metadata: .none, isImplicit: true, isForLogs: true, outlastsClears: outlastsClears)
        // Created as ended, so that it is never current.
        changes.rows.append(.session(.insert(Session(session, endedAt: now))))
        return session
    }

    /// How long retention spares a session made for entries.
    package static let logSessionGraceMilliseconds = 2 * LogBook.lifetimeMilliseconds
}
