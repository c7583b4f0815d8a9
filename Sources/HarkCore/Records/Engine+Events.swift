package import HarkWire

extension Engine {
    /// Records an event in the current session of the scope; without one, starts an anonymous session.
    ///
    /// Surveys that listen to the event are scheduled in the same changes; `surveyUser` names the user whose state must be
    /// admitted for that.
    ///
    /// - Parameters:
    ///   - isUnattended: whether the event happens without a person and, unless a user is named, is about no user. A
    ///     survey that listens to it asks the people present.
    ///   - timestamp: when the event happened, for readers; nil for now. All decisions here use `now`.
    package mutating func record(
        _ name: String, properties: Properties, in scope: Scope, userId: String? = nil, isUnattended: Bool = false,
        timestamp: Timestamp? = nil, source: Source, now: Timestamp, into changes: inout Changes
    ) throws(WireError) -> Recorded {
        try Limits.check(eventName: name)
        let isUnattended = isUnattended && userId == nil
        let session =
            isUnattended
            ? try sessionForUnattended(scope, source: source, now: now, into: &changes)
            : try sessionForRecording(scope, userId: userId, source: source, now: now, into: &changes)
        let recorded = append(
            .event, of: session, name: name, properties: properties, source: source,
            id: timestamp == nil ? nil : identifiers.next(at: now), at: timestamp ?? now, into: &changes)
        noteWatched(name, in: session, now: now, into: &changes)
        fireListeners(
            to: name, properties, recorded, of: session, in: scope, at: timestamp, source: source, now: now,
            into: &changes)
        trigger(
            name, properties, in: session, isUnattended, at: timestamp, source: source, now: now, into: &changes)
        return recorded
    }

    /// Imports a session that was exported elsewhere. It never becomes the current one.
    package mutating func importSession(
        id: Identifier, scope: Scope, userId: String?, metadata: Properties, startedAt: Timestamp,
        endedAt: Timestamp?, source: Source, into changes: inout Changes
    ) throws(WireError) -> Session {
        try Limits.check(userId: userId)
        try Limits.check(app: scope.app)
        lastSessionRow += 1
        let identity = SessionIdentity(
            row: lastSessionRow, id: id, scope: scope, userId: userId, startedAt: startedAt, metadata: metadata,
            isImplicit: false)
        let session = Session(identity, endedAt: endedAt)
        changes.rows.append(.session(.insert(session)))
        _ = append(
            .sessionStarted, of: identity, properties: metadata, source: source, at: startedAt, into: &changes)
        if let endedAt {
            _ = append(.sessionEnded, of: identity, source: source, at: endedAt, into: &changes)
        }
        return session
    }

    /// Imports an event that was exported elsewhere, with its own id, time and source. It triggers nothing.
    package mutating func importEvent(
        id: Identifier, name: String, properties: Properties, at: Timestamp, session: SessionIdentity,
        source: Source, into changes: inout Changes
    ) throws(WireError) -> Recorded {
        try Limits.check(eventName: name)
        return append(
            .event, of: session, name: name, properties: properties, source: source, id: id, at: at, into: &changes)
    }
}
