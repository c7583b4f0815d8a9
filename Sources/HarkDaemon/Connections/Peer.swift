import HarkSystem
import HarkWire

/// Who is at the other end, as the kernel vouches for it, and what that allows.
struct Peer: Sendable {
    let credentials: PeerCredentials
    /// Sees and manages what belongs to others too.
    let isAdministrator: Bool

    var uid: UInt32 { credentials.uid }

    /// The uid whose records this peer may see; nil for everybody's.
    var visibleUID: UInt32? { isAdministrator ? nil : uid }

    /// An error as this peer may read it: the store's own names its file.
    func told(_ error: WireError) -> WireError {
        guard error.reason == .storeUnavailable, !isAdministrator else { return error }
        return WireError(
            .storeUnavailable, "it cannot be stored or read at present; try again later, or tell an administrator",
            path: error.path)
    }

    func maySee(uid other: UInt32) -> Bool { isAdministrator || other == uid }
}

/// Who may connect, and as what.
struct AccessPolicy: Sendable {
    enum Mode: String, Sendable {
        /// The daemon of one user: only that user and root get in, and both see everything.
        case user
        /// The daemon of the machine: everybody may record; root, the daemon itself and the administrators' group see
        /// everything. (`systemctl reload` speaks to it as its own user.)
        case system
    }

    let mode: Mode
    let ownUID: UInt32
    /// Members of this group are administrators in system mode.
    let administratorGroup: UInt32?

    /// The peer, or nil when it may not connect.
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

/// The bounds of the socket. Each has an error of its own.
struct SocketLimits: Sendable, Equatable {
    var lineBytes = 1 << 20
    /// Over all connections of a user, for lines of more than `LineBuffer.freeCapacity`.
    var lineBytesPerUser = 64 << 20
    var connectionsPerUser = 256
    /// Over all connections of a user.
    var subscriptionsPerUser = 1_024
    var queuedBytes = 8 << 20
    /// Over all connections of a user.
    var queuedBytesPerUser = 64 << 20
    /// Of lines that have not wholly come and replies that are not read, over all connections of all users.
    var clientBytes = 256 << 20
    var nesting = 32
}
