package import HarkWire

/// The key of a current session: one per user of the machine and app, and another one for activity without a person.
package struct Scope: Hashable, Sendable {
    package let uid: UInt32
    package let app: String
    /// Whether this is the key of the session for activity without a person. No session has such a scope itself.
    package let isUnattended: Bool

    package static let defaultApp = "default"

    package init(uid: UInt32, app: String = Scope.defaultApp) {
        self.init(uid: uid, app: app, isUnattended: false)
    }

    private init(uid: UInt32, app: String, isUnattended: Bool) {
        self.uid = uid
        self.app = app
        self.isUnattended = isUnattended
    }

    /// The key of the session for activity without a person.
    package var unattended: Scope { Scope(uid: uid, app: app, isUnattended: true) }

    /// The scope of a session with this key.
    package var ofSessions: Scope { isUnattended ? Scope(uid: uid, app: app) : self }
}

/// The name of a scope in the store's app column.
extension Scope {
    /// Longer than any app name may be.
    private static let mark = " unattended" + String(repeating: " ", count: Limits.appBytes)

    package var placeName: String { isUnattended ? app + Scope.mark : app }

    package init(uid: UInt32, placeName name: String) {
        let isUnattended = name.hasSuffix(Scope.mark)
        let app = isUnattended ? String(name.dropLast(Scope.mark.count)) : name
        self.init(uid: uid, app: app, isUnattended: isUnattended)
    }
}

extension Scope {
    package static func == (left: Scope, right: Scope) -> Bool {
        left.uid == right.uid && left.isUnattended == right.isUnattended && left.app.hasSameBytes(as: right.app)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(uid)
        var app = app
        app.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

/// The sending process according to the kernel (peer credentials), not to its own claim.
///
/// A pid of 0 means the daemon itself, on behalf of the uid.
package struct Source: Sendable, Equatable {
    package let uid: UInt32
    package let pid: Int32

    package init(uid: UInt32, pid: Int32) {
        self.uid = uid
        self.pid = pid
    }

    /// Writes by hand, because it is a part of each record.
    package func write(to json: inout JSONWriter) {
        json.beginObject()
        json.key("uid")
        json.int(Int(uid))
        json.key("pid")
        json.int(Int(pid))
        json.endObject()
    }
}

/// The constant part of a session, shared by all of its records instead of copied into each.
package final class SessionIdentity: Sendable {
    /// The session's row in the store; ascending in the order of insertion.
    package let row: Int64
    package let id: Identifier
    package let scope: Scope
    /// nil: an anonymous user.
    package let userId: String?
    package let startedAt: Timestamp
    package let metadata: Properties
    /// Whether a first event, rather than a request, started the session.
    package let isImplicit: Bool
    /// Whether the session was made for entries without a current session, above all log entries; it is in no list, and
    /// never current.
    package let isForLogs: Bool
    /// Whether the session was made for notices of clears, which no clear may remove; only its age does. Such a session
    /// is also for entries.
    package let outlastsClears: Bool
    /// The machine of the session, whose uid is in `scope`; nil for the hub's own sessions, and for all sessions on a machine
    /// that is no hub.
    package let machine: MachineIdentity?
    /// The uid on the machine.
    package let machineUID: UInt32?
    /// The id on the machine, if that id is taken here; nil if it is the same.
    package let machineSession: Identifier?

    package init(
        row: Int64, id: Identifier, scope: Scope, userId: String?, startedAt: Timestamp, metadata: Properties,
        isImplicit: Bool, isForLogs: Bool = false, outlastsClears: Bool = false, machine: MachineIdentity? = nil,
        machineUID: UInt32? = nil, machineSession: Identifier? = nil
    ) {
        self.row = row
        self.id = id
        self.scope = scope
        self.userId = userId
        self.startedAt = startedAt
        self.metadata = metadata
        self.isImplicit = isImplicit
        self.isForLogs = isForLogs || outlastsClears
        self.outlastsClears = outlastsClears
        self.machine = machine
        self.machineUID = machineUID
        self.machineSession = machineSession
    }

    /// A copy with equal content, for a thread that counts many references to it: threads that share one object wait
    /// for each other.
    package convenience init(copyOf other: SessionIdentity) {
        self.init(
            row: other.row, id: other.id, scope: other.scope, userId: other.userId, startedAt: other.startedAt,
            metadata: other.metadata, isImplicit: other.isImplicit, isForLogs: other.isForLogs,
            outlastsClears: other.outlastsClears, machine: other.machine, machineUID: other.machineUID,
            machineSession: other.machineSession)
    }
}

extension SessionIdentity: Equatable {
    package static func == (left: SessionIdentity, right: SessionIdentity) -> Bool { left.id == right.id }
}

/// A session: a period in which one user's events of one application belong together.
package struct Session: Sendable {
    package let identity: SessionIdentity
    package var endedAt: Timestamp?

    package init(_ identity: SessionIdentity, endedAt: Timestamp? = nil) {
        self.identity = identity
        self.endedAt = endedAt
    }

    /// Writes the session as in `session.json` and in replies; `eventCount` only if it was counted. A session of a
    /// machine has its uid there.
    package func write(to json: inout JSONWriter, eventCount: Int? = nil) {
        SessionInfo(self, eventCount: eventCount).write(to: &json)
    }
}

extension SessionInfo {
    package init(_ session: Session, eventCount: Int? = nil) {
        self.init()
        let identity = session.identity
        id = identity.id
        userId = identity.userId
        app = identity.scope.app
        uid = Int64(identity.machineUID ?? identity.scope.uid)
        startedAt = identity.startedAt
        endedAt = session.endedAt
        anonymous = identity.userId == nil
        metadata = AnyJSON(writing: { identity.metadata.write(to: &$0) })
        self.eventCount = eventCount.map { Int64($0) }
        guard let machine = identity.machine else { return }
        self.machine = machine.name
        group = machine.group
        machineSessionId = identity.machineSession
    }
}
