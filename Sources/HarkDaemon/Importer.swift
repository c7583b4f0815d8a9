import HarkCore
import HarkStore
import HarkSystem
import HarkWire

/// Takes over exported sessions and events, each once however often it is sent.
///
/// Lines of an export come by the million and session by session, so the event ids of the sessions lately imported into
/// are kept at hand instead of being looked up one by one.
@DaemonActor
final class Importer {
    private unowned let daemon: Daemon
    private var known: [Identifier: Task<Found, Never>] = [:]
    private static let sessionsAtHand = 16

    private typealias Found = Result<Known, WireError>

    @DaemonActor
    private final class Known {
        let session: SessionIdentity
        var events: Set<Identifier>

        init(session: SessionIdentity, events: Set<Identifier>) {
            self.session = session
            self.events = events
        }
    }

    init(daemon: Daemon) {
        self.daemon = daemon
    }

    /// Sessions were removed, or a commit failed: what is at hand may no longer be true.
    func forget() {
        known = [:]
    }

    func takeSession(_ call: Call) async throws(WireError) -> (Session, isNew: Bool) {
        let source = try call.params.required("session", call.params.object("session"), .object)
        let given = Params(object: source)
        do throws(WireError) {
            let id = try given.required("id", given.identifier("id"), .id)
            // A session of this id that is being removed has to be gone first.
            if try await daemon.readSettled({ reader throws(StoreError) in try reader.isBeingRemoved(id) }) {
                try await daemon.sweeper.finish()
            }
            if let known = known[id] { return (Session(try await known.value.get().session), false) }
            if let found = try await daemon.readSettled({ reader throws(StoreError) in try reader.session(id: id) }) {
                guard call.peer.maySee(uid: found.identity.scope.uid) else {
                    throw WireError(.conflict, "a session of this id belongs to somebody else", path: "id")
                }
                return (found, false)
            }
            // Another request may have brought it while we looked.
            if let known = known[id] { return (Session(try await known.value.get().session), false) }
            let session = try create(id, given, call)
            makeRoom()
            known[id] = DaemonActor.task { .success(Known(session: session.identity, events: [])) }
            do throws(WireError) {
                _ = try await daemon.ledger.commitment().report()
            } catch {
                forget()
                throw error
            }
            return (session, true)
        } catch {
            throw error.inside("session")
        }
    }

    private func create(_ id: Identifier, _ given: Params, _ call: Call) throws(WireError) -> Session {
        // Only root may speak for others; everybody else imports what is to be their own.
        let claimed = try given.integer("uid", in: 0...Int64(UInt32.max)).map(UInt32.init)
        let uid = call.peer.uid == 0 ? claimed ?? 0 : call.peer.uid
        let scope = Scope(uid: uid, app: try given.string("app") ?? Scope.defaultApp)
        let userId = try given.string("userId")
        let metadata = try given.properties("metadata")
        let startedAt = try given.required("startedAt", given.time("startedAt"), .time)
        let endedAt = try given.time("endedAt")
        return try daemon.ledger.decide { engine, changes, _ throws(WireError) in
            try engine.importSession(
                id: id, scope: scope, userId: userId, metadata: metadata, startedAt: startedAt, endedAt: endedAt,
                source: call.source, into: &changes)
        }
    }

    /// - Returns: the event's id, and its number here; nil when it was here already.
    func takeEvent(_ call: Call) async throws(WireError) -> (Identifier, UInt64?) {
        let sessionId = try call.params.required("sessionId", call.params.identifier("sessionId"), .id)
        let given = Params(object: try call.params.required("event", call.params.object("event"), .object))
        let known = try await events(of: sessionId, for: call.peer)
        do throws(WireError) {
            let id = try given.required("id", given.identifier("id"), .id)
            guard !known.events.contains(id) else {
                // It may have come with a request that still waits for its commit.
                try await daemon.ledger.settle()
                return (id, nil)
            }
            let name = try given.required("name", given.string("name"), .string)
            let at = try given.required("timestamp", given.time("timestamp"), .time)
            let properties = try given.properties("properties")
            let source = try source(given, call)
            let recorded = try daemon.ledger.decide { engine, changes, _ throws(WireError) in
                try engine.importEvent(
                    id: id, name: name, properties: properties, at: at, session: known.session, source: source,
                    into: &changes)
            }
            known.events.insert(id)
            do throws(WireError) {
                _ = try await daemon.ledger.commitment().report()
            } catch {
                forget()
                throw error
            }
            return (id, recorded.sequence)
        } catch {
            throw error.inside("event")
        }
    }

    private func source(_ given: Params, _ call: Call) throws(WireError) -> Source {
        guard let object = try given.object("source") else { return call.source }
        let params = Params(object: object)
        let uid = try params.integer("uid", in: 0...Int64(UInt32.max)).map(UInt32.init) ?? call.peer.uid
        let pid = try params.integer("pid", in: 0...Int64(Int32.max)).map(Int32.init) ?? 0
        return call.peer.uid == 0 || uid == call.peer.uid ? Source(uid: uid, pid: pid) : call.source
    }

    private func events(of id: Identifier, for peer: Peer) async throws(WireError) -> Known {
        let task: Task<Found, Never>
        if let known = known[id] {
            task = known
        } else {
            makeRoom()
            task = DaemonActor.task { [self] in await find(id) }
            known[id] = task
        }
        do throws(WireError) {
            let found = try await task.value.get()
            guard peer.maySee(uid: found.session.scope.uid) else { throw SessionMethods.notFound(id) }
            return found
        } catch {
            known[id] = nil
            throw error
        }
    }

    private func find(_ id: Identifier) async -> Found {
        do throws(WireError) {
            let found = try await daemon.readSettled { reader throws(StoreError) in
                guard let session = try reader.session(id: id) else {
                    return nil as (SessionIdentity, Set<Identifier>)?
                }
                return (session.identity, try reader.eventIds(ofSession: id))
            }
            guard let (session, events) = found else {
                throw WireError(
                    .notFound, "there is no session \(id); import it first (session.import)",
                    path: Params.path("sessionId"))
            }
            return .success(Known(session: session, events: events))
        } catch {
            return .failure(error)
        }
    }

    private func makeRoom() {
        if known.count >= Importer.sessionsAtHand { known = [:] }
    }
}

extension WireError {
    /// The same error about a member of an object parameter.
    func inside(_ name: String) -> WireError {
        let inner = path.map { $0.hasPrefix("$.params.") ? String($0.dropFirst("$.params.".count)) : $0 }
        return WireError(reason, message, path: inner.map { "\(Params.path(name)).\($0)" })
    }
}
