import Foundation

/// A mount namespace of a test's own: what is mounted in it is seen by nobody else and gone with this object.
final class MountSpace {
    /// Without root there is none.
    static let isPossible = (try? Child.run(["unshare", "--mount", "true"]).ending) == .exited(0)

    private let holder: Child

    init() throws {
        holder = try Child(["unshare", "--mount", "--propagation", "private", "sleep", "infinity"])
        let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/ns/mnt")
        try waitUntil("the namespace is there") {
            guard holder.isRunning else { throw Failure("unshare failed") }
            return try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(holder.id)/ns/mnt") != own
        }
    }

    /// What a program is run through to be in the namespace.
    var prefix: [String] { ["nsenter", "--target", "\(holder.id)", "--mount", "--"] }

    /// How the test, which is outside, names a path inside.
    func outside(_ path: String) -> String { "/proc/\(holder.id)/root\(path)" }

    func run(_ command: String...) throws {
        let result = try Child.run(prefix + command)
        guard result.ending == .exited(0) else { throw Failure("\(command): \(result.errors)") }
    }
}
