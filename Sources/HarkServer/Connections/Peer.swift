import HarkSystem
import HarkWire

/// The client at the other end, identified by the kernel, and its permissions.
struct Peer: Sendable {
    let credentials: PeerCredentials
    /// Whether the peer sees and manages the records of other users too.
    let isAdministrator: Bool

    var uid: UInt32 { credentials.uid }

    /// The uid whose records this peer may see; nil for all users.
    var visibleUID: UInt32? { isAdministrator ? nil : uid }

    /// The error as this peer may see it: the store's own message names its file.
    func told(_ error: WireError) -> WireError {
        guard error.reason == .storeUnavailable, !isAdministrator else { return error }
        return WireError(
            .storeUnavailable, "it cannot be stored or read at present; try again later, or tell an administrator",
            path: error.path)
    }

    func maySee(uid other: UInt32) -> Bool { isAdministrator || other == uid }
}

/// The rules for who may connect, and with which permissions.
struct AccessPolicy: Sendable {
    enum Mode: String, Sendable {
        /// The daemon of one user: only that user and root may connect, and both see everything.
        case user
        /// The daemon of the machine: everybody may record; root, the daemon itself and the administrators' group see
        /// everything. (`systemctl reload` connects as the daemon's own user.)
        case system
    }

    let mode: Mode
    let ownUID: UInt32
    /// Members of this group are administrators in system mode.
    let administratorGroup: UInt32?

    /// The peer, or nil if it may not connect.
    func admit(_ credentials: PeerCredentials) -> Peer? {
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
struct SocketLimits: Sendable, Equatable {
    var lineBytes = 1 << 20
    /// The bound over all connections of a user, for lines of more than `LineBuffer.freeCapacity`.
    var lineBytesPerUser = 64 << 20
    var connectionsPerUser = 256
    /// The bound over all connections of a user.
    var subscriptionsPerUser = 1_024
    var queuedBytes = 8 << 20
    /// The bound over all connections of a user.
    var queuedBytesPerUser = 64 << 20
    /// The bound of incomplete lines and unread replies, over all connections of all users.
    var clientBytes = 256 << 20
    var nesting = 32
}
