package import HarkWire

/// A session as its machine describes it.
package struct MachineSession: Sendable {
    package let id: Identifier
    /// The account on the machine.
    package let uid: UInt32
    package let app: String
    package let userId: String?
    package let startedAt: Timestamp
    /// Nil while the session is open; a record of its end also ends it.
    package let endedAt: Timestamp?
    package let metadata: Properties
    package let isImplicit: Bool
    /// As in `SessionIdentity`.
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

    /// A session as its own machine knows it.
    package init(_ session: SessionIdentity, id: Identifier, endedAt: Timestamp? = nil) {
        self.init(
            id: id, uid: session.machineUID ?? session.scope.uid, app: session.scope.app, userId: session.userId,
            startedAt: session.startedAt, endedAt: endedAt, metadata: session.metadata, isImplicit: session.isImplicit,
            isForLogs: session.isForLogs)
    }
}

/// A record as its machine describes it.
package struct MachineRecord: Sendable {
    /// The record's number on the machine.
    package let origin: UInt64
    package let kind: Record.Kind
    package let id: Identifier
    package let at: Timestamp
    package let name: String
    package let properties: Properties
    package let source: Source
    /// The session's id on the machine.
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

/// The outcome of taking over a machine's records.
package struct Taken: Sendable {
    /// The number of records added to the hub's log.
    package var taken = 0
    /// The number of records that were there already.
    package var known = 0
    /// Records that break a rule, in the order received; none of them is stored.
    package var refused: [Refused] = []
    /// Sessions that break a rule. Their records are among the refused.
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
