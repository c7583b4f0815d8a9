package import HarkWire

/// How long sessions, and the answers of surveys, are kept. A limit that is nil does not apply. The current session of a scope is
/// never removed.
package struct RetentionPolicy: Sendable, Hashable {
    /// Sessions that ended (or, if they never did, started) longer ago are removed.
    /// A day is 86,400 seconds; a part of one is 0.5 and the like.
    package var maxAgeDays: Double?
    /// Of each user (of each uid), only so many of the newest sessions are kept.
    package var maxSessionsPerUser: Int?
    /// When the store's file is larger, the oldest sessions are removed until it fits.
    package var maxStoreBytes: Int64?
    /// Showings of surveys that closed longer ago are removed with their answers, whether or not their session is kept. A survey
    /// may say otherwise for its own (`Survey.keepAnswers`).
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
    /// The cap of `long`, where a tenth of the disk is not less.
    package static let longBytes: Int64 = 4_000_000_000

    /// The default keeps what it is given, by age and never by a count of sessions.
    package static let long = RetentionPolicy(.long)

    /// A preset on a disk of that size: `long` takes at most a tenth of it.
    package init(_ preset: RetentionPreset, diskBytes: UInt64?) {
        self.init(preset)
        if preset == .long, let diskBytes {
            maxStoreBytes = min(RetentionPolicy.longBytes, max(1, Int64(clamping: diskBytes / 10)))
        }
    }

    /// Whether it never removes a session.
    package var keepsSessions: Bool { maxAgeDays == nil && maxSessionsPerUser == nil && maxStoreBytes == nil }

    /// Sessions older than this are too old.
    package func cutoff(now: Timestamp) -> Timestamp? { RetentionPolicy.cutoff(maxAgeDays, now) }

    /// Showings that closed before this are too old.
    package func answerCutoff(now: Timestamp) -> Timestamp? { RetentionPolicy.cutoff(maxAnswerAgeDays, now) }

    private static func cutoff(_ days: Double?, _ now: Timestamp) -> Timestamp? {
        days.map { now.adding(milliseconds: -Int64($0 * 86_400_000)) }
    }

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

/// Whose sessions a policy is applied to.
package enum RetentionScope: Sendable, Hashable {
    case everybody
    case user(uid: UInt32, userId: String?)
    /// Everything of one uid.
    case uid(UInt32)
}

/// Which closed showings of surveys are too old. A showing outlasts its session: answers are what Hark is for.
package struct ShowingRetention: Sendable {
    /// Whose showings; nil: everybody's.
    package var uid: UInt32?
    /// Those that closed before are removed; nil: none.
    package var cutoff: Timestamp?
    /// Of surveys with a rule of their own.
    package var ownCutoffs: [ExactName: Timestamp] = [:]
    /// Of surveys whose free texts go before: of showings that closed before this.
    package var textCutoffs: [ExactName: Timestamp] = [:]
    /// So many bytes are to go beyond that, the oldest first: the store is too large, and has no more sessions that may go.
    package var excess: Int64 = 0

    package init(uid: UInt32? = nil, cutoff: Timestamp? = nil, ownCutoffs: [ExactName: Timestamp] = [:]) {
        self.uid = uid
        self.cutoff = cutoff
        self.ownCutoffs = ownCutoffs
    }
}
