internal import HarkClient
internal import HarkWire

/// Reading and removing records.
extension EventRecorder {
    /// Returns the events of this app's current session, oldest first; empty if there is no session.
    public func eventsInCurrentSession() async throws(HarkError) -> [Event] {
        try await events(params.with(.onlyCurrentSession, true))
    }

    /// Returns all events, oldest first. Only root and administrators see events of other users.
    public func allEvents() async throws(HarkError) -> [Event] {
        try await events(RequestParams())
    }

    /// Returns the events of a session, oldest first.
    public func events(forSessionID id: String) async throws(HarkError) -> [Event] {
        try await events(RequestParams().with(.onlySession, id))
    }

    /// Returns all sessions, in the order in which the daemon stored them.
    public func listAllSessions() async throws(HarkError) -> [EventSession] {
        try await sessions(RequestParams())
    }

    /// Returns the sessions of a user; nil for anonymous sessions.
    public func listSessions(forUserID userID: String?) async throws(HarkError) -> [EventSession] {
        try await sessions(RequestParams().with(.onlyUser, userID.map { Value.string($0) } ?? Value.null))
    }

    /// The records to remove.
    public enum Selection: Sendable, Hashable {
        /// Everything that the caller may see.
        case all
        /// All records of a user; nil for anonymous ones.
        case user(String?)
        /// One session, by its id.
        case session(String)
    }

    /// Removes events and sessions for good: from the store, the archive tree and all queues for servers.
    /// - Returns: The servers that had received some of them before, and keep them.
    @discardableResult
    public func clear(_ selection: Selection = .all) async throws(HarkError) -> [String] {
        let params =
            switch selection {
            case .all: RequestParams().with(.everything, true)
            case .user(let id): RequestParams().with(.userToClear, id.map { Value.string($0) } ?? Value.null)
            case .session(let id): RequestParams().with(.sessionToClear, id)
            }
        return ClearedRecords(try await link.call(.eventClear, params)).delivered ?? []
    }

    private func events(_ filter: RequestParams) async throws(HarkError) -> [Event] {
        try await pages(.eventList, filter, list: "events", next: "nextAfterSeq", from: .afterSeq) { Event($0) }
    }

    private func sessions(_ filter: RequestParams) async throws(HarkError) -> [EventSession] {
        try await pages(.sessionList, filter, list: "sessions", next: "next", from: .after) { EventSession($0) }
    }

    /// Reads all pages of a list.
    private func pages<Element, Place>(
        _ method: MethodShape, _ filter: RequestParams, list: StaticString, next: StaticString, from: Parameter<Place>,
        _ make: (JSONText) -> Element?
    ) async throws(HarkError) -> [Element] {
        var found: [Element] = []
        var place: Value?
        while true {
            let result = try await link.call(method, filter.with(from, place))
            found += (result.member(list)?.elements ?? []).compactMap(make)
            guard let next = result.member(next), !next.isNull else { return found }
            place = Value(next)
        }
    }
}
