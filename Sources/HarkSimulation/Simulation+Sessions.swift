import HarkCore
import HarkWire

/// A session that the daemon may have started for a showing whose user had none. It begins with the showing.
struct OwnSession: Hashable {
    let user: UserKey
    let app: String
    let startedAt: Timestamp
}

/// Sessions, at their real times.
extension Simulation {
    func take(_ session: SimulatedSession) throws {
        guard sessions[session.id] == nil, session.startedAt < terms.until else { return }
        try advance(to: session.startedAt)
        var session = session
        let current = currents[session.scope].flatMap { sessions[$0] }
        let isOpen = current.map { current in current.endedAt.map { $0 > session.startedAt } ?? true } ?? false
        let isOwn = isSurveys(session)
        session.isBeside = isOpen || isOwn
        // A session ends the one before, and names its user, only if a program asked for it.
        session.isImplicit = session.userId == nil && current?.endedAt != session.startedAt
        sessions[session.id] = session
        if let ended = session.endedAt { timeline.add(.endSession(session.id), at: ended.adding(milliseconds: 1)) }
        if !session.isBeside {
            try begin(session)
        } else if !isOwn, session.userId == nil {
            try beginUnattended(session)
        }
    }

    /// Whether the daemon started the session for a survey: it began with a showing, or ended with the end of one.
    private func isSurveys(_ session: SimulatedSession) -> Bool {
        let user = UserKey(uid: session.scope.uid, userId: session.userId)
        let begun = ownSessions.remove(OwnSession(user: user, app: session.scope.app, startedAt: session.startedAt))
        let closed = closings.removeValue(forKey: session.id)
        return begun != nil || closed != nil && closed == session.endedAt
    }

    /// Notes the facts that tell sessions for showings from sessions that people began.
    func noteSessions(of showing: RealShowing) {
        guard let presented = showing.presentedAt, showing.closedAt ?? .latest >= terms.since else { return }
        ownSessions.insert(OwnSession(user: showing.user, app: showing.app, startedAt: presented))
        if let session = showing.session, let closed = showing.closedAt { closings[session] = closed }
    }

    func begin(_ session: SimulatedSession) throws {
        try bring(.countedScope(session.scope))
        currents[session.scope] = session.id
        _ = try engine.startSession(
            session.scope, userId: session.userId, isImplicit: session.isImplicit, source: session.source, now: now,
            into: &changes)
        try follow()
    }

    private func beginUnattended(_ session: SimulatedSession) throws {
        let scope = session.scope.unattended
        try bring(.countedScope(scope))
        unattended[session.scope] = session.id
        _ = try engine.startSession(
            scope, userId: nil, isImplicit: true, source: session.source, now: now, into: &changes)
        try follow()
    }

    func endSession(_ id: Identifier) throws {
        guard let session = sessions.removeValue(forKey: id) else { return }
        var scope = session.scope
        if currents[scope] == id {
            currents[scope] = nil
        } else if unattended[scope] == id {
            unattended[scope] = nil
            scope = scope.unattended
        } else {
            return
        }
        try bring(.countedScope(scope))
        _ = engine.endSession(scope, source: session.source, now: now, into: &changes)
    }
}
