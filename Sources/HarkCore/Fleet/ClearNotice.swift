package import HarkWire

/// A notice that data was cleared, as sent to the hub of a fleet in a record.
package struct ClearNotice: Sendable, Equatable {
    package enum Target: Sendable, Equatable {
        case all
        /// By name, as version 0.1.0 writes it; nil for all anonymous users.
        case user(String?)
        /// By a hash that only a reader who already knows the user can match: the clear must not reveal the user to
        /// others.
        case hashedUser(KeyedHash)
        case session(Identifier)
    }

    package let target: Target
    /// The uid whose sessions were cleared; nil for all users.
    package let uid: UInt32?

    /// - Parameter key: the id of the session that holds the record.
    package init(_ selection: Selection, key: Identifier) {
        target =
            switch selection.target {
            case .all: .all
            case .user(let userId): userId.map { .hashedUser(KeyedHash(of: $0, key: key)) } ?? .user(nil)
            case .session(let id): .session(id)
            }
        uid = selection.uid
    }

    package init(target: Target, uid: UInt32?) {
        self.target = target
        self.uid = uid
    }

    package static func == (left: ClearNotice, right: ClearNotice) -> Bool {
        // Texts are compared byte for byte, as in the packed form.
        left.recordProperties == right.recordProperties
    }

    /// The app of the sessions that hold such records.
    static let app = "hark"

    private enum Key {
        static let target = "target"
        static let user = "userId"
        static let hash = "userHash"
        static let session = "sessionId"
        static let uid = "uid"
    }

    private enum Word: String {
        case all, user, session
    }

    /// The target in a word: `all`, `user` or `session`.
    package var word: String {
        switch target {
        case .all: Word.all.rawValue
        case .user, .hashedUser: Word.user.rawValue
        case .session: Word.session.rawValue
        }
    }

    /// The properties of the record: `target`, with a `userHash` or a `userId` (neither: all anonymous users) or a
    /// `sessionId`; `uid`.
    package var recordProperties: Properties {
        var properties = Properties.none
        func put(_ target: Word) { properties.append(Key.target, .string(target.rawValue)) }
        switch target {
        case .all: put(.all)
        case .user(let userId):
            put(.user)
            if let userId { properties.append(Key.user, .string(userId)) }
        case .hashedUser(let hash):
            put(.user)
            properties.append(Key.hash, .string(hash.description))
        case .session(let id):
            put(.session)
            properties.append(Key.session, .string(id.description))
        }
        if let uid { properties.append(Key.uid, .integer(Int64(uid))) }
        return properties
    }

    /// The greatest size of such properties, in bytes.
    private static let mostBytes = Limits.userIdBytes + 256

    /// - Returns: nil unless the properties are exactly as `recordProperties` writes them. An unknown member might
    ///   narrow the target, so none is ignored: clearing nothing is better than clearing too much.
    package init?(record properties: Properties) {
        guard properties.byteCount <= ClearNotice.mostBytes, let word = properties.text(Key.target).flatMap(Word.init)
        else { return nil }
        switch word {
        case .all: target = .all
        case .user:
            target =
                properties.text(Key.hash).flatMap { KeyedHash($0) }.map(Target.hashedUser)
                ?? .user(properties.text(Key.user))
        case .session:
            guard let id = properties.text(Key.session).flatMap({ Identifier($0) }) else { return nil }
            target = .session(id)
        }
        uid = properties.number(Key.uid).flatMap { UInt32(exactly: $0) }
        if case .user(let userId) = target, (try? Limits.check(userId: userId)) == nil { return nil }
        guard recordProperties == properties else { return nil }
    }

    /// - Returns: nil also for a record of another kind.
    package init?(_ record: Record) {
        guard record.kind == .clear, record.name.isEmpty else { return nil }
        self.init(record: record.properties)
    }
}

extension Properties {
    /// The text of a key; nil if there is none.
    func text(_ key: String) -> String? {
        if case .string(let text) = self[key] { text } else { nil }
    }

    /// The integer of a key; nil if there is none.
    func number(_ key: String) -> Int64? {
        if case .integer(let number) = self[key] { number } else { nil }
    }
}
