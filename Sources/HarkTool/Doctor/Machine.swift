import Glibc
import HarkClient
import HarkWire

/// What `hark doctor` looks at. None of it changes anything, and each look has an end.
struct Machine: Sendable {
    /// How long a look may take, in seconds.
    static let patience = 2.0

    struct Entry: Sendable, Equatable {
        enum Kind: Sendable { case file, folder, socket, other }

        var kind: Kind
        var owner: UInt32
        /// The lower twelve bits.
        var mode: UInt32
        /// Whether this user may read a file, or make files in a folder.
        var isUsable = true
    }

    struct Room: Sendable, Equatable {
        var free: UInt64
        var total: UInt64
    }

    /// What there is at the place of a socket.
    enum Contact: Sendable, Equatable {
        /// Nobody was reached; with the error number.
        case unreachable(CInt)
        /// It takes the connection and does not answer; with its process, where the kernel tells.
        case silent(Int32?)
        /// What it answers to `daemon.status`, and to `config.get` and `fleet.status` where this user may ask.
        case answers(status: String, configuration: String?, fleet: String? = nil)
        /// It refused, or something else is there.
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
    /// A program beside this one, or on the PATH; nil where there is none.
    var program: @Sendable (String) -> String?
    var terminal: Terminal
    /// The bytes of a file; nil where there is none that this user may read, or where it is too long for what is looked for.
    var contents: @Sendable (String) -> [UInt8]? = { _ in nil }

    /// A variable that is not empty.
    func value(_ name: String) -> String? { environment(name).flatMap { $0.isEmpty ? nil : $0 } }
}
