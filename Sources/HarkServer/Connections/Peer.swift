package import HarkSystem
package import HarkWire

/// The client at the other end, identified by the kernel, and its permissions.
package struct Peer: Sendable {
    package let credentials: PeerCredentials
    /// Whether the peer sees and manages the records of other users too.
    package let isAdministrator: Bool

    package var uid: UInt32 { credentials.uid }

    /// The uid whose records this peer may see; nil for all users.
    package var visibleUID: UInt32? { isAdministrator ? nil : uid }

    /// The error as this peer may see it: the store's own message names its file.
    package func told(_ error: WireError) -> WireError {
        guard error.reason == .storeUnavailable, !isAdministrator else { return error }
        return WireError(
            .storeUnavailable, "it cannot be stored or read at present; try again later, or tell an administrator",
            path: error.path)
    }

    package func maySee(uid other: UInt32) -> Bool { isAdministrator || other == uid }
}

/// The rules for who may connect, and with which permissions.
package struct AccessPolicy: Sendable {
    package enum Mode: String, Sendable {
        /// The daemon of one user: only that user and root may connect, and both see everything.
        case user
        /// The daemon of the machine: everybody may record; root, the daemon itself and the administrators' group see
        /// everything. (`systemctl reload` connects as the daemon's own user.)
        case system
    }

    package let mode: Mode
    package let ownUID: UInt32
    /// Members of this group are administrators in system mode.
    package let administratorGroup: UInt32?

    package init(mode: Mode, ownUID: UInt32, administratorGroup: UInt32?) {
        self.mode = mode
        self.ownUID = ownUID
        self.administratorGroup = administratorGroup
    }

    /// The peer, or nil if it may not connect.
    package func admit(_ credentials: PeerCredentials) -> Peer? {
        let isTrusted = credentials.uid == 0 || credentials.uid == ownUID
        switch mode {
        case .user:
            guard isTrusted else { return nil }
            return Peer(credentials: credentials, isAdministrator: true)
        case .system:
            let isMember = administratorGroup.map(credentials.isMember) ?? false
            return Peer(credentials: credentials, isAdministrator: isTrusted || isMember)
        }
    }
}

/// The limits of the socket. Each has its own error.
package struct SocketLimits: Sendable, Equatable {
    package var lineBytes = 1 << 20
    /// The bound over all connections of a user, for lines of more than `LineBuffer.freeCapacity`.
    package var lineBytesPerUser = 64 << 20
    package var connectionsPerUser = 256
    /// The bound over all connections of a user.
    package var subscriptionsPerUser = 1_024
    package var queuedBytes = 8 << 20
    /// The bound over all connections of a user.
    package var queuedBytesPerUser = 64 << 20
    /// The bound of incomplete lines and unread replies, over all connections of all users.
    package var clientBytes = 256 << 20
    package var nesting = 32

    package init() {}
}
