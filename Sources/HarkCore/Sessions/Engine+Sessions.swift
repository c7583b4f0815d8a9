package import HarkWire

extension Engine {
    /// Starts a session and makes it the current one of its scope; the earlier one ends.
    package mutating func startSession(
        _ scope: Scope, userId: String?, metadata: Properties = .none, isImplicit: Bool = false, source: Source,
        now: Timestamp, into changes: inout Changes
    ) throws(WireError) -> Session {
        try Limits.check(userId: userId)
        try Limits.check(app: scope.app)
        if sessions.current(scope) == nil { try checkRoomForApp(of: scope.uid) }
        return beginSession(
            scope, userId: userId, metadata: metadata, isImplicit: isImplicit, source: source, now: now,
            into: &changes)
    }

    func checkRoomForApp(of uid: UInt32) throws(WireError) {
        guard let held = holdings[uid]?[.apps], held.count >= Limits.appsPerUser else { return }
        throw WireError(
            .tooLarge,
            "this user has open sessions in \(held.count) apps, and may have them in \(Limits.appsPerUser); end some "
                + "(session.end), or record into an app that has one", path: "app")
    }

    /// Ends the current session of a scope, if there is one.
    ///
    /// - Parameters:
    ///   - isOfApp: whether the app's instance counters end with it.
    ///   - earlier: when the session ended, if before now.
    package mutating func endSession(
        _ scope: Scope, isOfApp: Bool = true, source: Source, now: Timestamp, earlier: Timestamp? = nil,
        into changes: inout Changes
    ) -> Session? {
        guard var session = sessions.current(scope) else { return nil }
        // A session must not end before it began, even if the clock was set back.
        let end = max(earlier ?? now, session.identity.startedAt)
        session.endedAt = end
        changes.rows.append(.session(.end(row: session.identity.row, at: end)))
        changes.rows.append(.session(.setCurrent(scope, sessionRow: nil)))
        sessions.setCurrent(scope, nil)
        hold(Amount(count: -1), .apps, of: scope.uid)
        if isOfApp, !scope.isUnattended { resetInstanceCounters(of: scope, into: &changes) }
        _ = append(
            .sessionEnded, of: session.identity, source: source, id: earlier == nil ? nil : identifiers.next(at: now),
            at: end, into: &changes)
        return session
    }

    /// Starts a session next to the current one of its scope. It never becomes current, so it holds no records of another user.
    /// The caller ends it with `endSessionAside`.
    mutating func beginSessionAside(
        _ scope: Scope, userId: String?, source: Source, now: Timestamp, into changes: inout Changes
    ) -> SessionIdentity {
        lastSessionRow += 1
        let identity = SessionIdentity(
            row: lastSessionRow, id: identifiers.next(at: now), scope: scope, userId: userId, startedAt: now,
            metadata: .none, isImplicit: true)
        changes.rows.append(.session(.insert(Session(identity))))
        _ = append(.sessionStarted, of: identity, source: source, at: now, into: &changes)
        retireSessions(of: identity, now: now, into: &changes)
        return identity
    }

    mutating func endSessionAside(
        _ session: SessionIdentity, source: Source, now: Timestamp, into changes: inout Changes
    ) {
        let end = max(now, session.startedAt)
        changes.rows.append(.session(.end(row: session.row, at: end)))
        _ = append(.sessionEnded, of: session, source: source, at: end, into: &changes)
    }

    func retireSessions(of session: SessionIdentity, now: Timestamp, into changes: inout Changes) {
        guard !retention.keepsSessions else { return }
        let scope = RetentionScope.user(uid: session.scope.uid, userId: session.userId)
        changes.upkeep.append(.retire(retention, of: scope, now: now))
    }

    /// The session for a new record: the current one, or a new anonymous one.
    mutating func sessionForRecording(
        _ scope: Scope, userId: String?, source: Source, now: Timestamp, into changes: inout Changes
    ) throws(WireError) -> SessionIdentity {
        if let current = sessions.current(scope)?.identity {
            if userId != nil, !userId.hasSameBytes(as: current.userId) {
                throw WireError(
                    .conflict,
                    "the current session of app '\(scope.app)' belongs to another user; "
                        + "start a session for this user first (session.start), or leave userId out",
                    path: "userId")
            }
            return current
        }
        return try startSession(
            scope, userId: userId, isImplicit: true, source: source, now: now, into: &changes
        ).identity
    }

    /// The session for records without a person: an implicit anonymous one. If a user's session is current, it exists next to
    /// that one, so it does not belong to the user and is not removed with the user's data.
    mutating func sessionForUnattended(
        _ scope: Scope, source: Source, now: Timestamp, into changes: inout Changes
    ) throws(WireError) -> SessionIdentity {
        let current = sessions.current(scope)?.identity
        if let current, current.isImplicit, current.userId == nil { return current }
        if let beside = sessions.current(scope.unattended)?.identity { return beside }
        return try startSession(
            current == nil ? scope : scope.unattended, userId: nil, isImplicit: true, source: source, now: now,
            into: &changes
        ).identity
    }

    mutating func beginSession(
        _ scope: Scope, userId: String?, metadata: Properties = .none, isImplicit: Bool, source: Source, now: Timestamp,
        into changes: inout Changes
    ) -> Session {
        _ = endSession(scope, source: source, now: now, into: &changes)
        lastSessionRow += 1
        let identity = SessionIdentity(
            row: lastSessionRow, id: identifiers.next(at: now), scope: scope.ofSessions, userId: userId, startedAt: now,
            metadata: metadata, isImplicit: isImplicit)
        let session = Session(identity)
        changes.rows.append(.session(.insert(session)))
        changes.rows.append(.session(.setCurrent(scope, sessionRow: identity.row)))
        sessions.setCurrent(scope, session)
        hold(Amount(count: 1), .apps, of: scope.uid)
        // An implicit anonymous session says nothing about who is present.
        if !isImplicit || userId != nil {
            releaseShown(in: scope, unlessTo: UserKey(identity), now: now, into: &changes)
        }
        _ = append(.sessionStarted, of: identity, properties: metadata, source: source, at: now, into: &changes)
        retireSessions(of: identity, now: now, into: &changes)
        return session
    }
}

/// Loading state.
extension Engine {
    /// Marks the session of a scope as used.
    ///
    /// - Returns: whether it is loaded; if not, it must be admitted.
    package mutating func use(_ scope: Scope) -> Bool { sessions.use(scope) }

    /// Adds a scope as the store has it; required before a command uses the scope.
    package mutating func admit(_ scope: Scope, current: Session?) {
        let isGoing = current.map { session in unsettledRemovals.contains { $0.contains(session.identity) } } ?? false
        sessions.admit(scope, current: isGoing ? nil : current)
    }
}
