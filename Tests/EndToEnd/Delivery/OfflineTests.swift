import Foundation
import HarkWire
import Testing

/// A network that goes and comes: a link between two namespaces, with the daemon in one and the server in the other.
@Suite(.endToEnd, .enabled(if: NetworkSpace.isPossible, "only root can make a network namespace"))
struct OfflineTests {
    private let scene: DeliveryScene
    private let space: NetworkSpace
    private let far: NetworkSpace.Neighbour
    private let receiver: Receiver
    private let door: Receiver.Door

    init() throws {
        scene = try DeliveryScene()
        space = try NetworkSpace()
        far = try NetworkSpace.Neighbour(of: space)
        receiver = try Receiver(prefix: far.prefix)
        door = try receiver.door("core", #""host":"10.77.0.1""#)
        scene.home.prefix = space.prefix
        // While the cable is out a try has the kernel look for its neighbour, once a second; the next time may be a whole
        // second after the return, which is not what is measured here.
        try space.set("net/ipv4/neigh/up0/retrans_time_ms", to: "50")
        // A single try that counted would make a dead letter.
        try scene.configure(
            #"{"name":"core","kind":"sensorcore","host":"http://10.77.0.1:\#(door.port)","apiKeyFile":"core.key","#
                + #""maxAttempts":1,"kinds":["log","event"]}"#)
        try scene.start()
    }

    /// Pulls the cable, and plugs it in again.
    private func setLink(_ state: String) throws {
        try far.ip("link set far0 \(state)")
        // The kernel lets a link that has just come up carry something a moment later, at both of its ends.
        for (prefix, name) in [(space.prefix, "up0"), (far.prefix, "far0")] where state == "up" {
            try waitUntil("\(name) is up") {
                try Child.run(prefix + ["ip", "link", "show", name]).output.contains("state UP")
            }
        }
    }

    private func isOnline() throws -> Bool { try scene.client.call("network.status")["network"]?["satisfied"] == true }

    @Test("L7: without the network the buffer fills and costs nothing; its return delivers within a second")
    func goneAndBack() throws {
        try scene.log(0...4)
        try scene.wait(for: door, toHave: 5)
        var number = 5
        var fastest = Double.infinity
        // Long enough for a connection to fail, to be waited for, and to be under way again; and in between.
        for seconds in [0.5, 3.7, 6] {
            try setLink("down")
            try waitUntil("it is noticed") { try !isOnline() }
            try scene.log(number...number + 9)
            try scene.record(number...number + 4)
            pass(seconds: seconds)
            let status = try scene.client.destination("core")
            #expect(status.pending == 15 && status.dropped.isEmpty, "\(status)")
            #expect(status.state == "offline", "\(status)")
            try setLink("up")
            let start = Date()
            try waitUntil("the network is back") { try isOnline() }
            try waitUntil("all is delivered") { try door.report.unique == 5 + (number + 5) / 10 * 15 }
            let seconds = Date().timeIntervalSince(start)
            fastest = min(fastest, seconds)
            #expect(seconds < 5, "it took \(seconds) s")
            try scene.client.wait(for: "core", "the accounts know it") { $0.pending == 0 }
            number += 10
        }
        // Others use this machine too, so not every time.
        #expect(fastest < 1)
        let status = try scene.client.destination("core")
        #expect(status.dropped.isEmpty && status.deadLetters == 0 && status.state == "idle", "\(status)")
        #expect(try door.report.disorder.isEmpty)
    }

    @Test("L7: a request that hung while the network was away is made anew when it returns, and costs no try")
    func hanging() throws {
        try door.set(Receiver.Rule("hang", times: 1))
        try scene.log(0...2)
        try waitUntil("a request is under way") { try door.report.requests == 1 }
        try setLink("down")
        try waitUntil("it is noticed") { try !isOnline() }
        try setLink("up")
        let start = Date()
        try waitUntil("all is delivered") { try door.report.unique == 3 }
        // On its own it would give up after ten seconds.
        #expect(Date().timeIntervalSince(start) < 5)
        try scene.client.wait(for: "core", "the accounts know it") { $0.pending == 0 }
        #expect(try scene.client.destination("core").dropped.isEmpty)
        #expect(try door.report.disorder.isEmpty)
    }

    @Test("L7: a restart without the network forgets nothing, and the return delivers it all")
    func restart() throws {
        try setLink("down")
        try waitUntil("it is noticed") { try !isOnline() }
        try scene.log(0...19)
        try scene.restart(killed: true)
        try scene.log(20...29)
        try scene.client.wait(for: "core", "it is told") { $0.state == "offline" && $0.pending == 30 }
        try setLink("up")
        let start = Date()
        try waitUntil("all is delivered") { try door.report.unique == 30 }
        #expect(Date().timeIntervalSince(start) < 5)
        #expect(try scene.client.destination("core").dropped.isEmpty)
    }

    @Test("without a network servers on this machine are reached all the same, and their requests go on")
    func local() throws {
        let near = try Receiver(prefix: space.prefix)
        let door = try near.door("near")
        try scene.configure(DeliveryScene.core(door))
        try scene.reload()
        try setLink("down")
        try waitUntil("it is noticed") { try !isOnline() }
        try scene.log(0...9)
        try scene.wait(for: door, toHave: 10)
        #expect(try scene.client.destination("near").state == "idle")
        try door.set(Receiver.Rule("delay", times: 1, #""seconds":1"#))
        try scene.log(10...10)
        try waitUntil("a request is under way") { try door.report.requests == 11 }
        try setLink("up")
        try waitUntil("it is noticed") { try isOnline() }
        try scene.wait(for: door, toHave: 11)
        #expect(try door.report.entries == 11)
    }
}

extension NetworkSpace {
    /// A namespace at the other end of the link.
    final class Neighbour {
        private let holder: Child

        init(of space: NetworkSpace) throws {
            holder = try Child(["unshare", "--net", "sleep", "infinity"])
            let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/ns/net")
            let holder = holder
            try waitUntil("the namespace is there") {
                guard holder.isRunning else { throw Failure("unshare failed") }
                return try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(holder.id)/ns/net") != own
            }
            try space.ip("link set far0 netns \(holder.id)")
            try ip("link set lo up", "link set far0 up", "address add 10.77.0.1/24 dev far0")
        }

        /// The command that runs a program in the namespace.
        var prefix: [String] { ["nsenter", "--target", "\(holder.id)", "--net", "--"] }

        func ip(_ commands: String...) throws {
            let files = try TemporaryFiles()
            try files.write(commands.joined(separator: "\n") + "\n", to: "batch")
            let result = try Child.run(prefix + ["ip", "-batch", files.path("batch")])
            guard result.ending == .exited(0) else { throw Failure("ip: \(result.errors)") }
        }
    }
}
