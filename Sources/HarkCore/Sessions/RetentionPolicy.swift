package import HarkWire

/// How long sessions and answers to surveys are kept. A nil limit does not apply. The current session of a scope is
/// never removed.
package struct RetentionPolicy: Sendable, Hashable {
    /// The age after which sessions are removed, counted from their end (or from their start if they never ended). A
    /// day is 86,400 seconds; fractions such as 0.5 are allowed.
    package var maxAgeDays: Double?
    /// The number of newest sessions kept per user of a uid.
    package var maxSessionsPerUser: Int?
    /// The size of the store's file above which the oldest sessions are removed.
    package var maxStoreBytes: Int64?
    /// The age after which closed showings of surveys are removed with their answers, whether or not their session is
    /// kept. A survey may have its own limit (`Survey.keepAnswers`).
    package var maxAnswerAgeDays: Double?

    package init(
        maxAgeDays: Double? = nil, maxSessionsPerUser: Int? = nil, maxStoreBytes: Int64? = nil,
        maxAnswerAgeDays: Double? = nil
    ) {
        self.maxAgeDays = maxAgeDays
        self.maxSessionsPerUser = maxSessionsPerUser
        self.maxStoreBytes = maxStoreBytes
        self.maxAnswerAgeDays = maxAnswerAgeDays
    }

    package init(_ preset: RetentionPreset) {
        switch preset {
        case .none: self.init()
        case .long:
            self.init(
                maxAgeDays: RetentionPolicy.longDays, maxStoreBytes: RetentionPolicy.longBytes,
                maxAnswerAgeDays: RetentionPolicy.longDays)
        case .conservative:
            self.init(maxAgeDays: 90, maxSessionsPerUser: 100, maxAnswerAgeDays: RetentionPolicy.longDays)
        case .standard:
            self.init(maxAgeDays: 30, maxSessionsPerUser: 50, maxAnswerAgeDays: RetentionPolicy.longDays)
        case .aggressive:
            self.init(maxAgeDays: 7, maxSessionsPerUser: 20, maxAnswerAgeDays: RetentionPolicy.longDays)
        }
    }

    /// Two years. Answers are kept as long unless the settings say otherwise.
    package static let longDays: Double = 730
    /// The size limit of `long`, if a tenth of the disk is not less.
    package static let longBytes: Int64 = 4_000_000_000

    /// The default: keeps data up to an age and a size, without a limit on the number of sessions.
    package static let long = RetentionPolicy(.long)

    /// A preset for a disk of a given size: `long` takes at most a tenth of it.
    package init(_ preset: RetentionPreset, diskBytes: UInt64?) {
        self.init(preset)
        if preset == .long, let diskBytes {
            maxStoreBytes = min(RetentionPolicy.longBytes, max(1, Int64(clamping: diskBytes / 10)))
        }
    }

    /// Whether the policy never removes a session.
    package var keepsSessions: Bool { maxAgeDays == nil && maxSessionsPerUser == nil && maxStoreBytes == nil }

    /// Older sessions are removed.
    package func cutoff(now: Timestamp) -> Timestamp? { RetentionPolicy.cutoff(maxAgeDays, now) }

    /// Showings that closed earlier are removed.
    package func answerCutoff(now: Timestamp) -> Timestamp? { RetentionPolicy.cutoff(maxAnswerAgeDays, now) }

    private static func cutoff(_ days: Double?, _ now: Timestamp) -> Timestamp? {
        days.map { now.adding(milliseconds: -Int64($0 * 86_400_000)) }
    }

    /// Writes by hand, because days are written as in the settings: whole ones without a fraction.
    package func write(to json: inout JSONWriter) {
        func write(_ name: StaticString, _ limit: Int64?) {
            json.key(name)
            if let limit { json.int(limit) } else { json.null() }
        }
        func write(days: Double?) {
            if let days, Int64(exactly: days) == nil {
                json.key("maxAgeDays")
                json.double(days)
            } else {
                write("maxAgeDays", days.flatMap(Int64.init(exactly:)))
            }
        }
        json.beginObject()
        write(days: maxAgeDays)
        write("maxSessionsPerUser", maxSessionsPerUser.map(Int64.init))
        write("maxStoreBytes", maxStoreBytes)
        json.key("answers")
        json.beginObject()
        write(days: maxAnswerAgeDays)
        json.endObject()
        json.endObject()
    }
}

/// The users that a policy is applied to.
package enum RetentionScope: Sendable, Hashable {
    case everybody
    case user(uid: UInt32, userId: String?)
    /// All users of one uid.
    case uid(UInt32)
}

/// The rules by which closed showings of surveys are removed. A showing outlives its session, because answers are the purpose of
/// Hark.
package struct ShowingRetention: Sendable {
    /// The uid of the showings; nil for all.
    package var uid: UInt32?
    /// Removes showings that closed earlier; nil for none.
    package var cutoff: Timestamp?
    /// Cutoffs of surveys with a rule of their own.
    package var ownCutoffs: [ExactName: Timestamp] = [:]
    /// Cutoffs for the free texts alone: those of showings that closed earlier are redacted.
    package var textCutoffs: [ExactName: Timestamp] = [:]
    /// Further bytes to remove, oldest showings first: the store is too large, and no more sessions may go.
    package var excess: Int64 = 0

    package init(uid: UInt32? = nil, cutoff: Timestamp? = nil, ownCutoffs: [ExactName: Timestamp] = [:]) {
        self.uid = uid
        self.cutoff = cutoff
        self.ownCutoffs = ownCutoffs
    }
}
