import HarkCore
import HarkHub
import HarkLedger
import HarkServer
import HarkStore
import HarkSystem
import HarkWire

/// `session.*`: the sessions of events.
enum SessionMethods {
    static let all: [Method] = [start, end, current, list, get, importSession]

    /// A session for the examples.
    private static let imported = """
        {"id":0,"method":"session.import","params":{"session":{"id":"0199e0f4-8c7a-7000-8000-00000000abcd",\
        "userId":"user-7","app":"shop","startedAt":"2026-01-02T03:04:05.678Z",\
        "endedAt":"2026-01-02T04:00:00.000Z","metadata":{}}}}
        """

    static let start = Method(
        SessionStart.self, summary: "Starts a session and makes it the current one; the session before ends.",
        details: "Each user of the machine has one current session for each `app`; its events go there.",
        examples: [
            .init(
                params: #"{"userId":"user-123","metadata":{"plan":"pro","ab":"variantA"}}"#,
                result: """
                    {"session":{"id":"0199e0f4-8c7a-7000-8000-000000000000","userId":"user-123","app":"default",\
                    "uid":1000,"startedAt":"2026-11-21T11:08:00.123Z","endedAt":null,"anonymous":false,\
                    "metadata":{"plan":"pro","ab":"variantA"}}}
                    """)
        ],
        deciding: { call, request throws(WireError) in
            let scope = call.scope(of: request.app)
            let (metadata, dropped) = try PropertyRules.properties(request.metadata)
            return try call.decide(needing: .scope(scope)) { engine, changes, now throws(WireError) in
                try engine.startSession(
                    scope, userId: request.user.name(else: nil), metadata: metadata, source: call.source, now: now,
                    into: &changes)
            }.map { session in
                var result = StartedSession()
                result.of.session = SessionInfo(session)
                result.droppedMetadata = dropped.nonEmpty
                return result
            }
        })

    static let end = Method(
        SessionEnd.self, summary: "Ends the current session of an app.",
        refusals: [
            .init(reason: .notFound, when: "the app has no current session", params: #"{"app":"kiosk"}"#),
            .init(
                reason: .notFound, when: "the session has ended already, or is not yours to see",
                params: #"{"sessionId":"0199e0f4-8c7a-7000-8000-00000000dead"}"#),
        ],
        examples: [
            .init(
                before: [#"{"id":0,"method":"session.start","params":{"userId":"user-123"}}"#], params: "{}",
                result: """
                    {"session":{"id":"0199e0f4-8c7a-7000-8000-000000000000","userId":"user-123","app":"default",\
                    "uid":1000,"startedAt":"2026-11-21T11:08:00.123Z","endedAt":"2026-11-21T11:09:00.000Z",\
                    "anonymous":false,"metadata":{}}}
                    """)
        ],
        deciding: { call, request throws(WireError) in
            try scopeToEnd(call, request).flatMap { scope throws(WireError) in
                try call.ledger.decide(needing: .scope(scope)) { engine, changes, now throws(WireError) in
                    let ended = engine.endSession(scope, source: call.source, now: now, into: &changes)
                    guard let ended else { throw noCurrent(scope.app) }
                    return ended
                }
            }.map { ended in
                var result = SessionResult()
                result.session = SessionInfo(ended)
                return result
            }
        })

    /// The scope for `session.end`: that of the app, or of the named session.
    @DaemonActor
    private static func scopeToEnd(_ call: Call, _ request: SessionEnd) throws(WireError) -> Decided<Scope> {
        let ledger = call.ledger
        let scope = call.scope(of: request.app)
        guard let id = request.sessionId.flatMap(Identifier.init) else { return try ledger.decide { _, _, _ in scope } }
        // The engine knows sessions that are not on disk yet.
        return try ledger.decide { engine, _, _ in engine.sessions.scope(ofCurrent: id) }.flatMap {
            scope throws(WireError) in
            if let scope, call.peer.maySee(uid: scope.uid) { return try ledger.decide { _, _, _ in scope } }
            guard
                let session = try ledger.lookUp({ reader throws(StoreError) in try reader.session(id: id) }),
                call.peer.maySee(uid: session.identity.scope.uid)
            else { throw WireError.unknown(session: id) }
            let scope = session.identity.scope
            return try place(of: id, in: [scope, scope.unattended], ledger)
        }
    }

    /// The scope whose current session has this id.
    @DaemonActor
    private static func place(
        of id: Identifier, in places: ArraySlice<Scope>, _ ledger: Ledger
    ) throws(WireError) -> Decided<Scope> {
        guard let place = places.first else {
            throw WireError(.notFound, "session \(id) has ended already", path: Params.path("sessionId"))
        }
        return try ledger.currentSession(of: place).flatMap { current throws(WireError) in
            if current?.identity.id == id { return try ledger.decide { _, _, _ in place } }
            return try self.place(of: id, in: places.dropFirst(), ledger)
        }
    }

    private static func noCurrent(_ app: String) -> WireError {
        WireError(.notFound, "app '\(app)' has no current session; start one with session.start, or record an event")
    }

    static let current = Method(
        SessionCurrent.self, summary: "Returns the current session of an app.",
        examples: [
            .init(params: #"{"app":"kiosk"}"#, result: #"{"session":null}"#),
            .init(
                before: [#"{"id":0,"method":"session.start","params":{"userId":"user-123"}}"#], params: "{}",
                result: """
                    {"session":{"id":"0199e0f4-8c7a-7000-8000-000000000000","userId":"user-123","app":"default",\
                    "uid":1000,"startedAt":"2026-11-21T11:08:00.123Z","endedAt":null,"anonymous":false,\
                    "metadata":{}}}
                    """),
        ],
        deciding: { call, request throws(WireError) in
            // A session that is not on disk yet is returned once it is.
            try call.ledger.currentSession(of: call.scope(of: request.app)).map { session in
                var result = CurrentSession()
                result.session = session.map { SessionInfo($0) }
                return result
            }
        })

    static let get = Method(
        SessionGet.self, summary: "Returns one session with the number of its events.",
        refusals: [
            .init(
                reason: .notFound, when: "there is no such session, or it is not yours to see",
                params: #"{"sessionId":"0199e0f4-8c7a-7000-8000-00000000dead"}"#)
        ],
        examples: [
            .init(
                before: [imported], params: #"{"sessionId":"0199e0f4-8c7a-7000-8000-00000000abcd"}"#,
                result: """
                    {"session":{"id":"0199e0f4-8c7a-7000-8000-00000000abcd","userId":"user-7","app":"shop","uid":1000,\
                    "startedAt":"2026-01-02T03:04:05.678Z","endedAt":"2026-01-02T04:00:00.000Z","anonymous":false,\
                    "metadata":{},"eventCount":0}}
                    """)
        ],
        answering: { call, request throws(WireError) in
            let id = request.session
            let found = try await call.readSettled { reader throws(StoreError) in
                guard let session = try reader.session(id: id) else { return nil as (Session, Int)? }
                return (session, try reader.eventCount(ofSession: session.identity.row))
            }
            guard let (session, events) = found, call.peer.maySee(uid: session.identity.scope.uid) else {
                throw WireError.unknown(session: id)
            }
            var result = CountedSession()
            result.session = SessionInfo(session, eventCount: events)
            return result
        })

    static let list = Method(
        SessionList.self, summary: "Lists sessions by when they started, oldest first, a page at a time.",
        details: "Imported sessions are in their places by time. A page also ends at about 1 MiB.",
        examples: [
            .init(params: #"{"userId":"nobody-yet"}"#, result: #"{"sessions":[],"next":null}"#),
            .init(
                before: [imported, #"{"id":0,"method":"session.start","params":{"app":"shop"}}"#],
                params: #"{"app":"shop","limit":1}"#,
                result: """
                    {"sessions":[{"id":"0199e0f4-8c7a-7000-8000-00000000abcd","userId":"user-7","app":"shop",\
                    "uid":1000,"startedAt":"2026-01-02T03:04:05.678Z","endedAt":"2026-01-02T04:00:00.000Z",\
                    "anonymous":false,"metadata":{},"eventCount":0}],"next":"1767323045678.1"}
                    """),
        ],
        handler: .deferred { call, request, json throws(WireError) in
            var query = SessionQuery(limit: Int(request.limit ?? 100))
            query.uid = call.peer.visibleUID
            query.user = request.user.filter
            query.app = request.app
            query.machines = try request.machines.filter()
            query.onlyCurrent = request.current ?? false
            query.descending = request.order == .desc
            if let cursor = request.after {
                query.after = SessionCursor(cursor)
                if query.after == nil { throw Method.noCursor }
            }
            let (found, next) = try await call.readSettled { [query] reader throws(StoreError) in
                try reader.sessions(query)
            }
            json.member("sessions", found.map { SessionInfo($0, eventCount: $1) })
            json.member("next", orNull: next?.description)
        })

    static let importSession = Method(
        byHand: SessionImport.self, summary: "Imports a session that was exported elsewhere.",
        details: """
            It keeps its id, times and metadata, and does not become the current one. A session that is here already stays as it \
            is. The session becomes the caller's own; its `uid` is kept only if root imports it.
            """,
        refusals: [.init(reason: .conflict, when: "a session of this id belongs to another user of the machine")],
        examples: [
            .init(
                params: """
                    {"session":{"id":"0199e0f4-8c7a-7000-8000-00000000abcd","userId":"user-7","app":"shop",\
                    "startedAt":"2026-01-02T03:04:05.678Z","endedAt":"2026-01-02T04:00:00.000Z","metadata":{}}}
                    """,
                result: """
                    {"session":{"id":"0199e0f4-8c7a-7000-8000-00000000abcd","userId":"user-7","app":"shop","uid":1000,\
                    "startedAt":"2026-01-02T03:04:05.678Z","endedAt":"2026-01-02T04:00:00.000Z","anonymous":false,\
                    "metadata":{}},"created":true}
                    """)
        ],
        handler: .deferred { call, json throws(WireError) in
            let (session, isNew, dropped) = try await call.desk(Importer.self).takeSession(call)
            var result = ImportedSession()
            result.of.session = SessionInfo(session.value)
            result.created = isNew
            result.droppedMetadata = dropped.isEmpty ? nil : dropped
            result.writeMembers(to: &json)
        })
}
