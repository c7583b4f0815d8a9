package import HarkWire

/// How long sessions are kept. A limit that is nil does not apply. The current session of a scope is never removed.
package struct RetentionPolicy: Sendable, Hashable {
    /// Sessions that ended (or, if they never did, started) longer ago are removed.
    /// A day is 86,400 seconds; a part of one is 0.5 and the like.
    package var maxAgeDays: Double?
    /// Of each user (of each uid), only so many of the newest sessions are kept.
    package var maxSessionsPerUser: Int?
    /// When the store's file is larger, the oldest sessions are removed until it fits.
    package var maxStoreBytes: Int64?

    package init(maxAgeDays: Double? = nil, maxSessionsPerUser: Int? = nil, maxStoreBytes: Int64? = nil) {
        self.maxAgeDays = maxAgeDays
        self.maxSessionsPerUser = maxSessionsPerUser
        self.maxStoreBytes = maxStoreBytes
    }

    package init(_ preset: RetentionPreset) {
        switch preset {
        case .none: self.init()
        case .conservative: self.init(maxAgeDays: 90, maxSessionsPerUser: 100)
        case .standard: self.init(maxAgeDays: 30, maxSessionsPerUser: 50)
        case .aggressive: self.init(maxAgeDays: 7, maxSessionsPerUser: 20)
        }
    }

    package static let standard = RetentionPolicy(.standard)

    package static func preset(_ name: String) -> RetentionPolicy? {
        RetentionPreset(rawValue: name).map { RetentionPolicy($0) }
    }

    package var isUnlimited: Bool { self == RetentionPolicy() }

    /// Sessions older than this are too old.
    package func cutoff(now: Timestamp) -> Timestamp? {
        maxAgeDays.map { now.adding(milliseconds: -Int64($0 * 86_400_000)) }
    }

    package func write(to json: inout JSONWriter) {
        func write(_ name: StaticString, _ limit: Int64?) {
            json.key(name)
            if let limit { json.int(limit) } else { json.null() }
        }
        json.beginObject()
        if let days = maxAgeDays, Int64(exactly: days) == nil {
            json.key("maxAgeDays")
            json.double(days)
        } else {
            write("maxAgeDays", maxAgeDays.flatMap(Int64.init(exactly:)))
        }
        write("maxSessionsPerUser", maxSessionsPerUser.map(Int64.init))
        write("maxStoreBytes", maxStoreBytes)
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
