package import HarkWire

/// The sessions covered by a removal.
package struct Selection: Sendable, Equatable {
    package enum Target: Sendable, Equatable {
        case all
        /// Every session of one user; nil for all anonymous users.
        case user(String?)
        case session(Identifier)
    }

    package let target: Target
    /// Only sessions of this uid; nil for all (root and administrators).
    package let uid: UInt32?
    /// Sessions stored later are not covered.
    package let upToRow: Int64

    package init(target: Target, uid: UInt32?, upToRow: Int64) {
        self.target = target
        self.uid = uid
        self.upToRow = upToRow
    }

    package func contains(_ session: SessionIdentity) -> Bool {
        guard session.row <= upToRow, uid == nil || uid == session.scope.uid, !session.outlastsClears else {
            return false
        }
        return switch target {
        case .all: true
        case .user(let userId): session.userId.hasSameBytes(as: userId)
        case .session(let id): session.id == id
        }
    }
}

extension Selection {
    /// The form in the store until all covered sessions are marked.
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

    /// - Returns: nil for text that `packed` has not written.
    package init?(packed text: String) {
        // Invalid JSON was not written by `packed`.
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
