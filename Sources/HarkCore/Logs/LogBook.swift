internal import HarkWire

/// The sessions of log entries that belong to no current session.
///
/// Every log entry lies in a session, so that clears and retention cover it. An entry about another user than the
/// current session's, or without a current session, gets a session made for entries: one per day, scope and user, never
/// current and in no list. Only the latest are remembered; for the others a new one is made.
struct LogBook: Sendable {
    static let capacity = 1_024
    /// Retention spares sessions of entries for twice as long, so no entry goes into a session that is about to be
    /// deleted.
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
    /// The user id for entries that name no user; nil until it was read from the store.
    var deviceId: DeviceId?

    enum DeviceId: Sendable {
        /// The store has none yet.
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
