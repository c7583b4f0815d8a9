internal import HarkWire

/// The sessions that log entries lie in which belong to no current session.
///
/// Every log entry lies in a session, so that a clear and retention take it along. An entry about another user than the
/// current session's, or without any, gets a session made for entries: one a day for each scope and user, which is never
/// current and in no list. Only the latest are remembered; for the others a new one is made.
struct LogBook: Sendable {
    static let capacity = 1_024
    /// Retention leaves sessions of entries alone for twice as long, so an entry is never put into one that goes.
    static let lifetimeMilliseconds: Int64 = 86_400_000

    struct Owner: Hashable, Sendable {
        let scope: Scope
        let userId: String?

        static func == (left: Owner, right: Owner) -> Bool {
            left.scope == right.scope && left.userId.hasSameBytes(as: right.userId)
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(scope)
            var userId = userId ?? ""
            userId.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        }
    }

    private var sessions = Cache<Owner, SessionIdentity>(capacity: LogBook.capacity)
    /// Whom entries are about that name nobody; nil until it was asked of the store.
    var deviceId: DeviceId?

    enum DeviceId: Sendable {
        /// There is none yet.
        case none
        case known(String)
    }

    mutating func session(of owner: Owner, now: Timestamp) -> SessionIdentity? {
        guard sessions.use(owner), let session = sessions[owner] else { return nil }
        let age = now.milliseconds - session.startedAt.milliseconds
        return (0..<LogBook.lifetimeMilliseconds).contains(age) ? session : nil
    }

    mutating func remember(_ session: SessionIdentity, of owner: Owner) {
        sessions.admit(owner, session)
        sessions.adjust(owner) { $0 = session }
    }

    mutating func forget(_ selection: Selection) {
        sessions.drop { selection.contains($1) }
    }
}
