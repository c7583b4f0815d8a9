internal import HarkClient
internal import HarkWire

/// Reading and removing records.
extension EventRecorder {
    /// Returns the events of this app's current session, oldest first; empty if there is no session.
    public func eventsInCurrentSession() async throws(HarkError) -> [Event] {
        var request = EventList()
        (request.filter.current, request.filter.app) = (true, app)
        return try await events(request)
    }

    /// Returns all events, oldest first. Only root and administrators see events of other users.
    public func allEvents() async throws(HarkError) -> [Event] {
        try await events(EventList())
    }

    /// Returns the events of a session, oldest first.
    public func events(forSessionID id: String) async throws(HarkError) -> [Event] {
        var request = EventList()
        request.filter.session = id
        return try await events(request)
    }

    /// Returns all sessions, in the order in which the daemon stored them.
    public func listAllSessions() async throws(HarkError) -> [EventSession] {
        try await sessions(SessionList())
    }

    /// Returns the sessions of a user; nil for anonymous sessions.
    public func listSessions(forUserID userID: String?) async throws(HarkError) -> [EventSession] {
        var request = SessionList()
        request.user = UserChoice(userID)
        return try await sessions(request)
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
        var request = EventClear()
        switch selection {
        case .all: request.everything = true
        case .user(let id): request.user = UserChoice(id)
        case .session(let id): request.session = id
        }
        return try await link.call(request).delivered ?? []
    }

    /// - Parameter request: The first page.
    private func events(_ request: EventList) async throws(HarkError) -> [Event] {
        var (request, found) = (request, [Event]())
        repeat {
            let page = try await link.call(request)
            found += (page.events?.json.elements ?? []).compactMap { Event($0) }
            request.page.afterSeq = page.nextAfterSeq
        } while request.page.afterSeq != nil
        return found
    }

    /// - Parameter request: The first page.
    private func sessions(_ request: SessionList) async throws(HarkError) -> [EventSession] {
        var (request, found) = (request, [EventSession]())
        repeat {
            let page = try await link.call(request)
            found += page.sessions.json.elements.compactMap { EventSession($0) }
            request.after = page.next
        } while request.after != nil
        return found
    }
}
