internal import HarkClient
internal import HarkWire

/// Reading back, and removing.
extension EventRecorder {
    /// The events of the current session of this app, oldest first; empty without a session.
    public func eventsInCurrentSession() async throws(HarkError) -> [Event] {
        try await events(params.with(.onlyCurrentSession, true))
    }

    /// All events there are, oldest first. Of another user's, only root and administrators see any.
    public func allEvents() async throws(HarkError) -> [Event] {
        try await events(RequestParams())
    }

    /// The events of a session, oldest first.
    public func events(forSessionID id: String) async throws(HarkError) -> [Event] {
        try await events(RequestParams().with(.onlySession, id))
    }

    /// All sessions there are, in the order in which they came to the store.
    public func listAllSessions() async throws(HarkError) -> [EventSession] {
        try await sessions(RequestParams())
    }

    /// The sessions of a user; nil for those of nobody in particular.
    public func listSessions(forUserID userID: String?) async throws(HarkError) -> [EventSession] {
        try await sessions(RequestParams().with(.onlyUser, userID.map { Value.string($0) } ?? Value.null))
    }

    /// What to remove.
    public enum Selection: Sendable, Hashable {
        /// Everything one may see.
        case all
        /// Everything of a user; nil for nobody in particular.
        case user(String?)
        /// One session, by its id.
        case session(String)
    }

    /// Removes events and sessions for good: from the store, the archive tree and everything that waits for a server.
    /// - Returns: The servers that had got some of it before, and keep it.
    @discardableResult
    public func clear(_ selection: Selection = .all) async throws(HarkError) -> [String] {
        let params =
            switch selection {
            case .all: RequestParams().with(.everything, true)
            case .user(let id): RequestParams().with(.userToClear, id.map { Value.string($0) } ?? Value.null)
            case .session(let id): RequestParams().with(.sessionToClear, id)
            }
        return try await link.call(.eventClear, params).member("delivered")?.elements.compactMap(\.string) ?? []
    }

    private func events(_ filter: RequestParams) async throws(HarkError) -> [Event] {
        try await pages(.eventList, filter, list: "events", next: "nextAfterSeq", from: .afterSeq) { Event($0) }
    }

    private func sessions(_ filter: RequestParams) async throws(HarkError) -> [EventSession] {
        try await pages(.sessionList, filter, list: "sessions", next: "next", from: .after) { EventSession($0) }
    }

    /// Reads page after page.
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
