internal import HarkClient

/// Something that happened, as it is kept.
public struct Event: Sendable, Hashable, Identifiable {
    /// A UUID.
    public let id: String
    /// Its number, ascending over the whole store of the daemon.
    public let seq: UInt64
    /// What happened: 1 to 256 bytes.
    public let name: String
    /// ISO-8601, UTC, with milliseconds: `2026-11-21T11:08:00.123Z`. Two of them compare as text.
    public let timestamp: String
    /// The session it belongs to.
    public let sessionID: String
    /// Whose session it is; nil for nobody in particular.
    public let userID: String?
    /// What else is known: strings, integers, doubles and bools.
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

/// A stretch of time in which one user's events of one application belong together.
public struct EventSession: Sendable, Hashable, Identifiable {
    /// A UUID.
    public let id: String
    /// nil: nobody in particular.
    public let userID: String?
    /// Which application's it is.
    public let app: String
    /// ISO-8601, UTC, with milliseconds.
    public let startedAt: String
    /// nil while it lasts.
    public let endedAt: String?
    /// What describes it, as it was given at the start.
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

/// What the daemon says of an event that is on disk.
///
/// Where the connection broke before the answer and others were recorded after it, `id` and `sessionID` are empty and `seq` is
/// 0: the daemon then only knows that it was recorded.
public struct RecordedEvent: Sendable, Hashable {
    /// A UUID.
    public let id: String
    /// Its number, ascending over the whole store of the daemon.
    public let seq: UInt64
    /// The session it went into.
    public let sessionID: String

    init(_ json: JSONText) {
        id = json.member("id")?.string ?? ""
        seq = UInt64(json.member("seq")?.int ?? 0)
        sessionID = json.member("sessionId")?.string ?? ""
    }
}
