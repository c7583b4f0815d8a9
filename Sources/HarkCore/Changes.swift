package import HarkWire

/// What commands have decided but the store does not hold yet: the content of one transaction.
///
/// `rows` are carried out first and in order, then `producers`, then `records` are appended, then `upkeep` runs over the
/// result. Only the engine adds to them.
package struct Changes: Sendable {
    package internal(set) var rows: [Row] = []
    /// How far producers have come with these records, filled in when they go to the store.
    package internal(set) var producers: [ProducerRow] = []
    package internal(set) var records: [Record] = []
    package internal(set) var upkeep: [Upkeep] = []
    /// Nothing to store, but to be told of.
    package internal(set) var passedOver: [PassedOver] = []
    /// So many of the rows may be taken back by a power cut (not by a crash), as it only has something done again.
    package private(set) var repeatableRows = 0

    package init() {}

    /// Adds a row that is to outlast a crash, but is not worth a sync of the disk.
    mutating func appendRepeatable(_ row: Row) {
        rows.append(row)
        repeatableRows += 1
    }

    /// Whether something of it must be on disk before anybody is told.
    package var needsSync: Bool { !records.isEmpty || !upkeep.isEmpty || rows.count > repeatableRows }

    package var isEmpty: Bool { rows.isEmpty && records.isEmpty && upkeep.isEmpty }

    /// Has everything that removes by age go by this time: the engine knows the machine's clock only, which may have jumped.
    package mutating func setAges(to now: Timestamp) {
        for index in upkeep.indices {
            if case .retire(let policy, let scope, _) = upkeep[index] {
                upkeep[index] = .retire(policy, of: scope, now: now)
            }
        }
    }

    package enum Row: Sendable {
        case insertSession(Session)
        case endSession(row: Int64, at: Timestamp)
        /// Makes a session the current one of its scope; nil leaves the scope without one.
        case setCurrent(Scope, sessionRow: Int64?)
        /// Keeps a presentation as it is now, new or changed.
        case putPresentation(Presentation)
        /// Keeps what gating remembers about a survey and a user; nil forgets it.
        case putGating(Gating?, survey: String, SurveyUser)
        /// Deletes presentations, and gating where all of a user goes. `ended` is what of it was open, as far as the engine
        /// remembers it: for those who show it.
        case removeSurveyState(Selection, ended: [Presentation])
        /// Remembers how far a lane of a destination has come, and what else there is to know about it.
        case setDestination(name: String, cursor: UInt64, state: Properties)
        /// Remembers a text of the daemon's own.
        case setMeta(key: String, value: String)
        case putDeadLetters([DeadLetter])
        /// Keeps only so many dead letters of a destination, the newest.
        case trimDeadLetters(destination: String, keep: Int)
        /// Forgets dead letters; nil for all of a destination.
        case removeDeadLetters(destination: String, [UInt64]?)
        /// Has dead letters tried again; nil for all of a destination.
        case replayDeadLetters(destination: String, [UInt64]?)
        /// Deletes rows that cannot be read, unless they were written anew.
        case removeUnreadable([UnreadableRow])
        /// About what users answer to forms.
        case form(FormRow)
        /// What becomes of counters and executions.
        case counters(CounterRow)
        /// Forgets all producers of a uid; nil for everybody's.
        case removeProducers(uid: UInt32?)
        /// Keeps only so many producers of a uid, those that recorded last.
        case trimProducers(uid: UInt32, keep: Int)
    }

    /// Removal of what is old or unwanted. Sessions are first marked as removed, which hides them from every reader at
    /// once, and then swept away piece by piece.
    package enum Upkeep: Sendable {
        /// Marks what a selection means. Of many, only some are: whoever asked has the others marked by their rows.
        case remove(Selection)
        /// Marks what a policy no longer keeps, or some of it.
        case retire(RetentionPolicy, of: RetentionScope, now: Timestamp)
        /// Marks the sessions in these rows.
        case mark([Int64])
        /// Deletes up to so many blocks of a marked session, and the session itself with the last of them.
        case sweep(sessionRow: Int64, maxBlocks: Int)
        /// Gives up to so many free pages back to the file system.
        case shrink(maxPages: Int)
    }
}

extension Changes.Row {
    /// What a row costs the store however little is in it, in bytes of records.
    package static let baseWeight = 2_048

    /// What it costs the store to write, in bytes of records that take as long.
    package var weight: Int {
        guard case .counters(let row) = self else { return Changes.Row.baseWeight }
        return switch row {
        case .putCounter(let counter, _, _): Changes.Row.baseWeight + counter.weight
        case .putExecution(let added): (1 + added.execution.listensTo.count) * Changes.Row.baseWeight + added.size.bytes
        case .putRun(let run, _):
            Changes.Row.baseWeight + (run.value?.weight ?? 0) + JSONValue.object(run.counters).weight
        default: Changes.Row.baseWeight
        }
    }
}

/// Which sessions a removal means.
package struct Selection: Sendable, Equatable {
    package enum Target: Sendable, Equatable {
        case all
        /// Every session of one user; nil is everybody anonymous.
        case user(String?)
        case session(Identifier)
    }

    package let target: Target
    /// Only sessions of this uid; nil for all (root and administrators).
    package let uid: UInt32?
    /// Sessions that came to the store later are not meant.
    package let upToRow: Int64

    package init(target: Target, uid: UInt32?, upToRow: Int64) {
        self.target = target
        self.uid = uid
        self.upToRow = upToRow
    }

    package func contains(_ session: SessionIdentity) -> Bool {
        guard session.row <= upToRow, uid == nil || uid == session.scope.uid else { return false }
        return switch target {
        case .all: true
        case .user(let userId): session.userId.hasSameBytes(as: userId)
        case .session(let id): session.id == id
        }
    }
}

extension Selection {
    /// As the store keeps it until all of it is marked.
    package var packed: String {
        var members: [(String, JSONValue)] = [("upToRow", .int(upToRow))]
        if let uid { members.append(("uid", .int(Int64(uid)))) }
        switch target {
        case .all: break
        case .user(let userId): members.append(("user", userId.map(JSONValue.string) ?? .null))
        case .session(let id): members.append(("session", .string(id.description)))
        }
        return JSONValue.object(JSONObject(members)).description
    }

    /// - Returns: nil for what nobody packed.
    package init?(packed text: String) {
        // What is no JSON, nobody packed either.
        guard let members = try? JSONDocument(Array(text.utf8), .json).value.objectValue,
            let upToRow = members["upToRow"]?.intValue
        else { return nil }
        var target = Target.all
        if let user = members["user"] {
            target = .user(user.stringValue)
        } else if let session = members["session"] {
            guard let id = session.stringValue.flatMap({ Identifier($0) }) else { return nil }
            target = .session(id)
        }
        self.init(target: target, uid: members["uid"]?.intValue.map(UInt32.init(truncatingIfNeeded:)), upToRow: upToRow)
    }
}
