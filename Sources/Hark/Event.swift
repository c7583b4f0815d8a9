internal import HarkClient

/// A recorded event.
public struct Event: Sendable, Hashable, Identifiable {
    /// A UUID.
    public let id: String
    /// Its number, ascending over the whole store of the daemon.
    public let seq: UInt64
    /// The name of the event: 1 to 256 bytes.
    public let name: String
    /// ISO-8601, UTC, with milliseconds: `2026-11-21T11:08:00.123Z`. Timestamps can be compared as strings.
    public let timestamp: String
    /// The session it belongs to.
    public let sessionID: String
    /// The user of the session; nil if it is anonymous.
    public let userID: String?
    /// Further details: strings, integers, doubles and bools.
    public let properties: [String: Value]

    init?(_ json: JSONText) {
        guard let id = json.member("id")?.string, let seq = json.member("seq")?.int else { return nil }
        self.id = id
        self.seq = UInt64(seq)
        name = json.member("name")?.string ?? ""
        timestamp = json.member("timestamp")?.string ?? ""
        sessionID = json.member("sessionId")?.string ?? ""
        userID = json.member("userId")?.string
        properties = json.member("properties").map { Value($0) }?.object ?? [:]
    }
}

/// A period that groups the events of one user in one application.
public struct EventSession: Sendable, Hashable, Identifiable {
    /// A UUID.
    public let id: String
    /// The user; nil if the session is anonymous.
    public let userID: String?
    /// The application of the session.
    public let app: String
    /// ISO-8601, UTC, with milliseconds.
    public let startedAt: String
    /// nil while the session is open.
    public let endedAt: String?
    /// The metadata given at the start.
    public let metadata: [String: Value]

    init?(_ json: JSONText) {
        guard let id = json.member("id")?.string else { return nil }
        self.id = id
        userID = json.member("userId")?.string
        app = json.member("app")?.string ?? ""
        startedAt = json.member("startedAt")?.string ?? ""
        endedAt = json.member("endedAt")?.string
        metadata = json.member("metadata").map { Value($0) }?.object ?? [:]
    }
}

/// The daemon's confirmation that an event is on disk.
///
/// If the connection broke before the reply and other events were recorded after it, `id` and `sessionID` are empty and
/// `seq` is 0: the daemon then only knows that the event was recorded.
public struct RecordedEvent: Sendable, Hashable {
    /// A UUID.
    public let id: String
    /// Its number, ascending over the whole store of the daemon.
    public let seq: UInt64
    /// The session of the event.
    public let sessionID: String

    init(_ json: JSONText) {
        id = json.member("id")?.string ?? ""
        seq = UInt64(json.member("seq")?.int ?? 0)
        sessionID = json.member("sessionId")?.string ?? ""
    }
}
