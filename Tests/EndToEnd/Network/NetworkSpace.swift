import Foundation

/// A network namespace of a test's own, gone with this object: `up0` leads to a neighbour, `far0`, who is in it as well.
///
/// Taking `far0` down takes the carrier of `up0` away, as pulling a cable does.
final class NetworkSpace {
    /// Without root there is none.
    static let isPossible = (try? Child.run(["unshare", "--net", "true"]).ending) == .exited(0)

    private let holder: Child

    init() throws {
        holder = try Child(["unshare", "--net", "sleep", "infinity"])
        let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/ns/net")
        try waitUntil("the namespace is there") {
            guard holder.isRunning else { throw Failure("unshare failed") }
            return try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(holder.id)/ns/net") != own
        }
        // IPv6 would add addresses by itself some time later; the tests add their own.
        try ip(
            "link set lo up", "link add up0 type veth peer name far0", "link set up0 addrgenmode none",
            "link set far0 addrgenmode none", "link set far0 up", "link set up0 up",
            "address add 10.77.0.2/24 dev up0", "route add default via 10.77.0.1")
    }

    /// The command that runs a program in the namespace.
    var prefix: [String] { ["nsenter", "--target", "\(holder.id)", "--net", "--"] }

    /// Sets a parameter of the kernel for this namespace.
    func set(_ parameter: String, to value: String) throws {
        let result = try Child.run(prefix + ["sh", "-c", "echo \(value) > /proc/sys/\(parameter)"])
        guard result.ending == .exited(0) else { throw Failure("\(parameter): \(result.errors)") }
    }

    /// Runs `ip` once over all the commands, in order.
    func ip(_ commands: String...) throws { try ip(commands) }

    func ip(_ commands: [String]) throws {
        let files = try TemporaryFiles()
        try files.write(commands.joined(separator: "\n") + "\n", to: "batch")
        let result = try Child.run(prefix + ["ip", "-batch", files.path("batch")])
        guard result.ending == .exited(0) else { throw Failure("ip: \(result.errors)") }
    }
}
