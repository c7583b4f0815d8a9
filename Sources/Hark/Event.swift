internal import HarkClient
internal import HarkWire

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
        let told = EventInfo(json)
        guard let seq = UInt64(exactly: told.seq), seq > 0 else { return nil }
        id = told.id.description
        self.seq = seq
        name = told.name
        timestamp = told.timestamp.description
        sessionID = told.sessionId.description
        userID = told.userId
        properties = Value(told.properties.json).object ?? [:]
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

    init(_ json: JSONText) { self.init(SessionInfo(json)) }

    init(_ told: SessionInfo) {
        id = told.id.description
        userID = told.userId
        app = told.app
        startedAt = told.startedAt.description
        endedAt = told.endedAt?.description
        metadata = Value(told.metadata.json).object ?? [:]
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

    init(_ told: RecordedEventInfo) {
        id = told.id?.description ?? ""
        seq = UInt64(clamping: told.seq ?? 0)
        sessionID = told.sessionId?.description ?? ""
    }
}
