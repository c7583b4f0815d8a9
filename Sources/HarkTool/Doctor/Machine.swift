import Glibc
import HarkClient
import HarkWire

/// The queries that `hark doctor` makes of the machine. None changes anything, and each has a timeout.
struct Machine: Sendable {
    /// The timeout in seconds.
    static let patience = 2.0

    struct Entry: Sendable, Equatable {
        enum Kind: Sendable { case file, folder, socket, other }

        var kind: Kind
        var owner: UInt32
        /// The lower twelve bits of the mode.
        var mode: UInt32
        /// Whether this user may read the file, or make files in the folder.
        var isUsable = true
    }

    struct Room: Sendable, Equatable {
        var free: UInt64
        var total: UInt64
    }

    /// The result of a connection to a socket.
    enum Contact: Sendable, Equatable {
        /// No connection, with the error number.
        case unreachable(CInt)
        /// A connection without a reply, with the peer's process if the kernel knows it.
        case silent(Int32?)
        /// Replies to `daemon.status`, and to `config.get` and `fleet.status` if this user may ask.
        case answers(status: String, configuration: String?, fleet: String? = nil)
        /// The daemon refused, or something else listens.
        case refuses(String)
    }

    struct Terminal: Sendable, Equatable {
        var isThere: Bool
        var columns: Int
    }

    var uid: UInt32
    var environment: @Sendable (String) -> String?
    var entry: @Sendable (String) -> Entry?
    var room: @Sendable (String) -> Room?
    var contact: @Sendable (SocketAddress) -> Contact
    var run: @Sendable ([String]) -> BoundedProgram.Outcome
    /// Returns the path of a program next to this one or on the PATH; nil if there is none.
    var program: @Sendable (String) -> String?
    var terminal: Terminal
    /// Returns the bytes of a file; nil if it is absent, unreadable for this user, or too long.
    var contents: @Sendable (String) -> [UInt8]? = { _ in nil }

    /// Returns an environment variable; nil if it is unset or empty.
    func value(_ name: String) -> String? { environment(name).flatMap { $0.isEmpty ? nil : $0 } }
}
