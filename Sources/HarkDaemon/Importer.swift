import HarkCore
import HarkStore
import HarkSystem
import HarkWire

/// Takes over exported sessions and events, each once however often it is sent.
///
/// One request after the other, up to its decision; the commits are waited for together. Lines of an export come by the
/// million and session by session, so the event ids of the sessions lately imported into are kept at hand instead of
/// being looked up one by one.
@DaemonActor
final class Importer: Desk {
    // Made by the daemon, which lives as long as the process does and is the only way to it: nobody comes here without one.
    private unowned let daemon: Daemon
    private var known = Cache<Identifier, Known>(capacity: Importer.sessionsAtHand)
    private static let sessionsAtHand = 16
    /// Sessions that were decided on and are not on disk yet.
    private var unsettled: [Identifier: Decided<Session>] = [:]
    /// Grows whenever what was read before is no longer true.
    private var age = 0
    /// `Ledger.restarts` when what is at hand was looked up.
    private var restarts = 0
    private var isBusy = false
    private var queue: [CheckedContinuation<Void, Never>] = []

    /// A session and the events it has, those that are not on disk yet among them.
    @DaemonActor
    private final class Known {
        let session: Session
        var events: Set<Identifier>

        init(_ session: Session, events: Set<Identifier> = []) {
            self.session = session
            self.events = events
        }
    }

    init(daemon: Daemon) {
        self.daemon = daemon
    }

    /// What is at hand is no longer true once sessions are removed.
    func follow(_ changes: Stored<Changes>, _ report: CommitReport) {
        if report.marked.contains(where: \.isAny) { forget() }
    }

    func forget() {
        known.removeAll()
        age += 1
    }

    /// Nor is it once the engine has started again.
    private func recall() {
        guard restarts != daemon.ledger.restarts else { return }
        restarts = daemon.ledger.restarts
        unsettled = [:]
        forget()
    }

    private func enter() async {
        if isBusy {
            await withCheckedContinuation { queue.append($0) }
        } else {
            isBusy = true
        }
    }

    private func leave() {
        if queue.isEmpty { isBusy = false } else { queue.removeFirst().resume() }
    }

    // MARK: Sessions

    func takeSession(_ call: Call) async throws(WireError) -> (Stored<Session>, isNew: Bool) {
        let source = try call.params.required(.exportedSession)
        let given = Params(object: source)
        do throws(WireError) {
            let id = try given.required("id", .identifier)
            let (decided, isNew) = try await decideSession(id, given, call)
            // After a refusal it may stand there for one that was decided since.
            let restarts = daemon.ledger.restarts
            defer { if isNew, restarts == daemon.ledger.restarts { unsettled[id] = nil } }
            let session = try await decided.stored()
            guard isNew || call.peer.maySee(uid: session.value.identity.scope.uid) else {
                throw WireError(.conflict, "a session of this id belongs to somebody else", path: "id")
            }
            return (session, isNew)
        } catch {
            throw error.inside(.exportedSession)
        }
    }

    /// Finds the session, which may have come with a request that still waits for its commit, or makes it.
    private func decideSession(
        _ id: Identifier, _ given: Params, _ call: Call
    ) async throws(WireError) -> (Decided<Session>, isNew: Bool) {
        await enter()
        defer { leave() }
        while true {
            if daemon.ledger.isRemoving { try await daemon.ledger.settle() }
            recall()
            if let decided = unsettled[id] { return (decided, false) }
            if known.use(id), let session = known[id]?.session {
                return (try daemon.ledger.decide { _, _, _ in session }, false)
            }
            let holder = try await call.readToAct { reader throws(StoreError) in try reader.holder(ofSessionId: id) }
            recall()
            switch holder {
            case .session(let session): return (try daemon.ledger.decide { _, _, _ in session }, false)
            // It has to be gone first.
            case .removed: try await daemon.sweeper.finish()
            case .nobody:
                let session = try create(id, given, call).note { session in remember(Known(session)) }
                unsettled[id] = session
                return (session, true)
            }
        }
    }

    private func remember(_ session: Known) {
        known.admit(session.session.identity.id, session)
    }

    private func create(_ id: Identifier, _ given: Params, _ call: Call) throws(WireError) -> Decided<Session> {
        // Only root may speak for others; everybody else imports what is to be their own.
        let claimed = try given.read("uid", .integer(in: 0...Int64(UInt32.max))).map(UInt32.init)
        let uid = call.peer.uid == 0 ? claimed ?? 0 : call.peer.uid
        let scope = Scope(uid: uid, app: try given.read("app", .string) ?? Scope.defaultApp)
        let userId = try given.read("userId", .string)
        let metadata = try given.properties("metadata")
        let startedAt = try given.required("startedAt", .time)
        let endedAt = try given.read("endedAt", .time)
        return try daemon.ledger.decide { engine, changes, _ throws(WireError) in
            try engine.importSession(
                id: id, scope: scope, userId: userId, metadata: metadata, startedAt: startedAt, endedAt: endedAt,
                source: call.source, into: &changes)
        }
    }

    // MARK: Events

    /// - Returns: the event's id, and its number here; nil when it was here already.
    func takeEvent(_ call: Call) async throws(WireError) -> (Identifier, Stored<Recorded>?) {
        let sessionId = try call.params.required(.sessionOfEvent)
        let given = Params(object: try call.params.required(.exportedEvent))
        let (id, decided) = try await decideEvent(of: sessionId, given, call)
        guard let decided else {
            // It may have come with a request that still waits for its commit.
            try await daemon.ledger.settle()
            return (id, nil)
        }
        return (id, try await decided.stored())
    }

    private func decideEvent(
        of sessionId: Identifier, _ given: Params, _ call: Call
    ) async throws(WireError) -> (Identifier, Decided<Recorded>?) {
        await enter()
        defer { leave() }
        let known = try await find(sessionId, call)
        guard call.peer.maySee(uid: known.session.identity.scope.uid) else { throw SessionMethods.notFound(sessionId) }
        do throws(WireError) {
            let id = try given.required("id", .identifier)
            guard !known.events.contains(id) else { return (id, nil) }
            let name = try given.required("name", .string)
            let at = try given.required("timestamp", .time)
            let properties = try given.properties("properties")
            let source = try source(given, call)
            let recorded = try daemon.ledger.decide { engine, changes, _ throws(WireError) in
                try engine.importEvent(
                    id: id, name: name, properties: properties, at: at, session: known.session.identity,
                    source: source, into: &changes)
            }
            known.events.insert(id)
            return (id, recorded)
        } catch {
            throw error.inside(.exportedEvent)
        }
    }

    private func source(_ given: Params, _ call: Call) throws(WireError) -> Source {
        guard let object = try given.read("source", .object) else { return call.source }
        let params = Params(object: object)
        let uid = try params.read("uid", .integer(in: 0...Int64(UInt32.max))).map(UInt32.init) ?? call.peer.uid
        let pid = try params.read("pid", .integer(in: 0...Int64(Int32.max))).map(Int32.init) ?? 0
        return call.peer.uid == 0 || uid == call.peer.uid ? Source(uid: uid, pid: pid) : call.source
    }

    private func find(_ id: Identifier, _ call: Call) async throws(WireError) -> Known {
        while true {
            recall()
            if known.use(id), let known = known[id] { return known }
            let age = age
            try await daemon.ledger.settle()
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
            // What was removed while we looked is found no more.
            guard age == self.age else { continue }
            guard let session else {
                throw WireError(
                    .notFound, "there is no session \(id); import it first (session.import)",
                    path: .sessionOfEvent)
            }
            let known = Known(session, events: events)
            remember(known)
            return known
        }
    }
}

extension WireError {
    /// The same error about a member of an object parameter.
    func inside(_ parameter: Parameter<JSONObject>) -> WireError {
        let inner = path.map { $0.hasPrefix("$.params.") ? String($0.dropFirst("$.params.".count)) : $0 }
        return WireError(reason, message, path: inner.map { "\(Params.path(parameter)).\($0)" })
    }
}
