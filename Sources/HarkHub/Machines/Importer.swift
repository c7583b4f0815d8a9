package import HarkCore
package import HarkLedger
package import HarkServer
package import HarkStore
package import HarkSystem
package import HarkWire

/// Imports exported sessions and events, each once however often it is sent.
///
/// Requests are decided one after the other, and wait for their commits together. Exports have millions of lines,
/// session by session, so the event ids of recent sessions are cached instead of being looked up one by one.
@DaemonActor
package final class Importer: Desk, EventImporter {
    private let ledger: Ledger
    package let sweeper: Sweeper
    /// They create sessions with external ids, too.
    package weak var machines: MachineRecords?
    private var known = Cache<Identifier, Known>(capacity: Importer.sessionsAtHand)
    private static let sessionsAtHand = 16
    /// Sessions that were decided on and are not on disk yet.
    private var unsettled: [Identifier: Decided<Session>] = [:]
    /// Incremented whenever cached data becomes invalid.
    private var age = 0
    /// `Ledger.restarts` when the cached data was read.
    private var restarts = 0
    /// One at a time decides about sessions with external ids.
    let turnstile = Turnstile()

    /// A session and its events, including events that are not on disk yet.
    @DaemonActor
    private final class Known {
        let session: Session
        var events: Set<Identifier>

        init(_ session: Session, events: Set<Identifier> = []) {
            self.session = session
            self.events = events
        }
    }

    package init(_ sweeper: Sweeper) {
        self.sweeper = sweeper
        ledger = sweeper.ledger
    }

    /// Invalidates the cache when sessions are removed.
    package func follow(_ changes: Stored<Changes>, _ report: CommitReport) {
        if report.marked.contains(where: \.isAny) { forget() }
    }

    package func forget() {
        known.removeAll()
        age += 1
    }

    /// Invalidates the cache when the engine has restarted.
    private func recall() {
        guard restarts != ledger.restarts else { return }
        restarts = ledger.restarts
        unsettled = [:]
        forget()
    }

    /// Whether there are decided sessions that may not be on disk yet.
    var hasUnsettledSessions: Bool {
        recall()
        return !unsettled.isEmpty
    }

    // MARK: Sessions

    /// - Returns: The dropped metadata keys too.
    package func takeSession(
        _ call: Call
    ) async throws(WireError) -> (Stored<Session>, isNew: Bool, dropped: [String]) {
        let source = try call.params.required("session", .object)
        do throws(WireError) {
            let given = try ExportedSession(Params(object: source))
            let id = given.id
            let (decided, isNew) = try await decideSession(given, call)
            // After a refusal, the entry may belong to a later decision.
            let restarts = ledger.restarts
            defer { if isNew, restarts == ledger.restarts { unsettled[id] = nil } }
            let session = try await decided.stored()
            let known = session.value.identity
            guard isNew || call.peer.maySee(uid: known.scope.uid) && !known.outlastsClears else {
                throw WireError(.conflict, "a session with this id belongs to another user", path: "id")
            }
            return (session, isNew, given.dropped)
        } catch {
            throw error.inside("session")
        }
    }

    /// Finds the session, which may belong to a request that still waits for its commit, or creates it.
    private func decideSession(
        _ given: ExportedSession, _ call: Call
    ) async throws(WireError) -> (Decided<Session>, isNew: Bool) {
        let id = given.id
        await turnstile.enter()
        defer { turnstile.leave() }
        while true {
            if ledger.isRemoving || machines?.hasUnsettledSessions == true { try await ledger.settle() }
            recall()
            if let decided = unsettled[id] { return (decided, false) }
            if known.use(id), let session = known[id]?.session {
                return (try ledger.decide { _, _, _ in session }, false)
            }
            let holder = try await call.readToAct { reader throws(StoreError) in try reader.holder(ofSessionId: id) }
            recall()
            switch holder {
            case .session(let session): return (try ledger.decide { _, _, _ in session }, false)
            // The removed one must be gone first.
            case .removed: try await sweeper.finish()
            case .nobody:
                let session = try create(given, call).note { session in remember(Known(session)) }
                unsettled[id] = session
                return (session, true)
            }
        }
    }

    private func remember(_ session: Known) {
        known.admit(session.session.identity.id, session)
    }

    private func create(_ given: ExportedSession, _ call: Call) throws(WireError) -> Decided<Session> {
        // Only root may import for others; everybody else imports for themselves.
        let uid = call.peer.uid == 0 ? given.uid ?? 0 : call.peer.uid
        guard !MachineIdentity.isMachine(uid: uid) || machines?.isHub != true else {
            throw WireError(
                .invalidParams,
                "on a hub, uids from \(MachineIdentity.firstUID) on stand for machines, whose records cannot be imported",
                path: Params.path("uid"))
        }
        return try ledger.decide { engine, changes, _ throws(WireError) in
            try engine.importSession(
                id: given.id, scope: Scope(uid: uid, app: given.app), userId: given.userId, metadata: given.metadata,
                startedAt: given.startedAt, endedAt: given.endedAt, source: call.source, into: &changes)
        }
    }

    // MARK: Events

    /// - Returns: The event and its record; nil if it was here already.
    package func takeEvent(_ call: Call) async throws(WireError) -> (ExportedEvent, Stored<Recorded>?) {
        let sessionId = try call.params.required("sessionId", .identifier)
        let given = Params(object: try call.params.required("event", .object))
        let (event, decided) = try await decideEvent(of: sessionId, given, call)
        guard let decided else {
            // The known event may belong to a request that still waits for its commit.
            try await ledger.settle()
            return (event, nil)
        }
        return (event, try await decided.stored())
    }

    /// Checks the session first, then the event's content, and last whether it is known. `takeAtOnce` uses the same
    /// order, so that both refuse the same.
    private func decideEvent(
        of sessionId: Identifier, _ given: Params, _ call: Call
    ) async throws(WireError) -> (ExportedEvent, Decided<Recorded>?) {
        await turnstile.enter()
        defer {
            turnstile.leave()
            call.connection.importsAhead = max(0, call.connection.importsAhead - 1)
        }
        let known = try await find(sessionId, call)
        guard call.peer.maySee(uid: known.session.identity.scope.uid) else {
            throw WireError.unknown(session: sessionId)
        }
        do throws(WireError) {
            let event = try ExportedEvent(given)
            guard !known.events.contains(event.id) else { return (event, nil) }
            let recorded = try decide(event, of: known, call.peer)
            known.events.insert(event.id)
            return (event, recorded)
        } catch {
            throw error.inside("event")
        }
    }

    /// Decides on an event synchronously, without error messages.
    ///
    /// - Returns: Its record, or nothing if it was known; nil, and nothing was done, if `takeEvent` must handle it: the
    ///   session must be looked up, others come first, or the event is refused.
    package func takeAtOnce(_ event: ExportedEvent, of sessionId: Identifier, from peer: Peer) -> Decided<Recorded?>? {
        recall()
        guard !turnstile.isTaken, known.use(sessionId), let known = known[sessionId],
            peer.maySee(uid: known.session.identity.scope.uid)
        else { return nil }
        do throws(WireError) {
            guard known.events.insert(event.id).inserted else {
                // A wait for all decisions so far includes the known event.
                return try ledger.decide { _, _, _ in nil }
            }
            do throws(WireError) {
                return try decide(event, of: known, peer).map { $0 }
            } catch {
                known.events.remove(event.id)
                return nil
            }
        } catch {
            return nil
        }
    }

    private func decide(
        _ event: ExportedEvent, of known: Known, _ peer: Peer
    ) throws(WireError) -> Decided<Recorded> {
        try ledger.decide { engine, changes, _ throws(WireError) in
            try engine.importEvent(
                id: event.id, name: event.name, properties: event.properties, at: event.at,
                session: known.session.identity, source: event.source(from: peer), into: &changes)
        }
    }

    private func find(_ id: Identifier, _ call: Call) async throws(WireError) -> Known {
        while true {
            recall()
            if known.use(id), let known = known[id] { return known }
            let age = age
            try await ledger.settle()
            let session = try await call.readToAct { reader throws(StoreError) in try reader.session(id: id) }
            var events: Set<Identifier> = []
            if session != nil {
                var after: UInt64? = 0
                while let from = after {
                    let page = try await call.readToAct { reader throws(StoreError) in
                        try reader.eventIds(ofSession: id, after: from, patience: RecordPages.patience)
                    }
                    events.formUnion(page.ids)
                    after = page.next
                }
            }
            recall()
            // Sessions may have been removed during the look-up.
            guard age == self.age else { continue }
            // Events in the daemon's own session would survive a clear of everything.
            guard let session, !session.identity.outlastsClears else {
                throw WireError(
                    .notFound, "there is no session \(id); import it first (session.import)",
                    path: Params.path("sessionId"))
            }
            let known = Known(session, events: events)
            remember(known)
            return known
        }
    }
}

extension WireError {
    /// There is no such session.
    package static func unknown(session id: Identifier) -> WireError {
        WireError(
            .notFound, "there is no session \(id) (session.list shows those you may see)",
            path: Params.path("sessionId"))
    }
}
