package import HarkWire

/// A session as the machine has it that it belongs to.
package struct MachineSession: Sendable {
    package let id: Identifier
    /// The account there.
    package let uid: UInt32
    package let app: String
    package let userId: String?
    package let startedAt: Timestamp
    /// Nil while it goes on; a record that it has ended says so as well.
    package let endedAt: Timestamp?
    package let metadata: Properties
    package let isImplicit: Bool
    /// As of `SessionIdentity`.
    package let isForLogs: Bool

    package init(
        id: Identifier, uid: UInt32, app: String, userId: String?, startedAt: Timestamp, endedAt: Timestamp?,
        metadata: Properties, isImplicit: Bool, isForLogs: Bool
    ) {
        self.id = id
        self.uid = uid
        self.app = app
        self.userId = userId
        self.startedAt = startedAt
        self.endedAt = endedAt
        self.metadata = metadata
        self.isImplicit = isImplicit
        self.isForLogs = isForLogs
    }

    /// As somebody sees it who knows it as the session of a machine.
    package init(_ session: SessionIdentity, id: Identifier, endedAt: Timestamp? = nil) {
        self.init(
            id: id, uid: session.machineUID ?? session.scope.uid, app: session.scope.app, userId: session.userId,
            startedAt: session.startedAt, endedAt: endedAt, metadata: session.metadata, isImplicit: session.isImplicit,
            isForLogs: session.isForLogs)
    }
}

/// A record as the machine has it that it comes from.
package struct MachineRecord: Sendable {
    /// Its number there.
    package let origin: UInt64
    package let kind: Record.Kind
    package let id: Identifier
    package let at: Timestamp
    package let name: String
    package let properties: Properties
    package let source: Source
    /// By the id that it has there.
    package let session: Identifier

    package init(
        origin: UInt64, kind: Record.Kind, id: Identifier, at: Timestamp, name: String, properties: Properties,
        source: Source, session: Identifier
    ) {
        self.origin = origin
        self.kind = kind
        self.id = id
        self.at = at
        self.name = name
        self.properties = properties
        self.source = source
        self.session = session
    }
}

/// What became of records that a machine sent.
package struct Taken: Sendable {
    /// How many are in the hub's log now.
    package var taken = 0
    /// How many were there already.
    package var known = 0
    /// What breaks a rule, in the order in which it came; nothing of it is stored.
    package var refused: [Refused] = []
    /// Sessions that break a rule. Records of them are among the refused.
    package var refusedSessions: [RefusedSession] = []

    package init() {}

    package struct Refused: Sendable {
        /// The record's number on its machine.
        package let origin: UInt64
        package let reason: WireError

        package init(origin: UInt64, reason: WireError) {
            self.origin = origin
            self.reason = reason
        }
    }

    package struct RefusedSession: Sendable {
        package let id: Identifier
        package let reason: WireError

        package init(id: Identifier, reason: WireError) {
            self.id = id
            self.reason = reason
        }
    }
}
