import Foundation
import HarkWire
import Testing

/// The network as the real daemon sees it, in a namespace where it comes and goes.
@Suite(.endToEnd, .enabled(if: NetworkSpace.isPossible, "only root can make a network namespace"))
struct NetworkTests {
    private let home: DaemonHome
    private let space: NetworkSpace

    init() throws {
        home = try DaemonHome()
        space = try NetworkSpace()
        home.prefix = space.prefix
    }

    /// The stream of a client that has subscribed.
    private final class Stream {
        private let client: SocketClient
        private(set) var network: JSONValue

        init(_ daemon: DaemonProcess) throws {
            client = try daemon.connect()
            network = try client.call("network.subscribe")["network"] ?? .null
        }

        var isThere: Bool? { network["satisfied"]?.boolValue }

        /// Waits until the network is as asked for; how long that took.
        @discardableResult
        func wait(_ what: String, _ condition: (JSONValue) -> Bool) throws -> Double {
            let start = Date()
            while !condition(network) { try next(what) }
            return Date().timeIntervalSince(start)
        }

        func next(_ what: String = "a change") throws {
            do {
                let message = try client.notification()
                #expect(message["method"] == "network.changed")
                #expect(message["params"]?["subscription"] == 1)
                network = message["params"]?["network"] ?? .null
            } catch {
                throw Failure("\(what): \(error); last was \(network)")
            }
        }
    }

    private func interface(_ name: String, in network: JSONValue) -> JSONValue? {
        network["interfaces"]?.arrayValue?.first { $0["name"]?.stringValue == name }
    }

    @Test("L7: the state and the stream tell that a link goes down and that it is back")
    func carrier() throws {
        let daemon = try home.start()
        let client = try daemon.connect()
        let stream = try Stream(daemon)
        let route: JSONValue = ["interface": "up0", "family": "ipv4", "gateway": "10.77.0.1"]
        #expect(stream.isThere == true)
        #expect(stream.network["ipv4"] == true)
        #expect(stream.network["ipv6"] == false)
        #expect(stream.network["defaultRoute"] == route)
        let up = interface("up0", in: stream.network)
        #expect(up?["kind"] == "ethernet")
        #expect(up?["running"] == true)
        #expect(up?["addresses"] == ["10.77.0.2/24"])
        #expect(interface("lo", in: stream.network)?["kind"] == "loopback")

        try space.ip("link set far0 down")
        try stream.wait("offline") { $0["satisfied"] == false }
        #expect(stream.network["defaultRoute"] == .null)
        #expect(interface("up0", in: stream.network)?["up"] == true)
        #expect(interface("up0", in: stream.network)?["running"] == false)
        #expect(try client.call("network.status")["network"] == stream.network)

        try space.ip("link set far0 up")
        let seconds = try stream.wait("online") { $0["satisfied"] == true }
        #expect(seconds < 5, "it is told, not asked for now and then")
        #expect(stream.network["defaultRoute"] == route)
        #expect(try client.call("network.status")["network"] == stream.network)
    }

    @Test("L7: routes that the kernel takes away without a word are missed, with their link and with their address")
    func silentLoss() throws {
        let stream = try Stream(try home.start())
        try space.ip("link set up0 down")
        try stream.wait("offline with the link") { $0["satisfied"] == false }
        try space.ip("link set up0 up")
        try stream.wait("the link") { interface("up0", in: $0)?["running"] == true }
        #expect(stream.isThere == false)
        try space.ip("route add default via 10.77.0.1")
        try stream.wait("online again") { $0["satisfied"] == true }
        try space.ip("address del 10.77.0.2/24 dev up0")
        try stream.wait("offline with the address") { $0["satisfied"] == false }
        // The address alone does not bring the route back.
        try space.ip("address add 10.77.0.2/24 dev up0")
        try stream.wait("the address") { interface("up0", in: $0)?["addresses"] == ["10.77.0.2/24"] }
        #expect(stream.isThere == false)
        try space.ip("route add default via 10.77.0.9")
        try stream.wait("online by another gateway") { $0["defaultRoute"]?["gateway"] == "10.77.0.9" }
    }

    @Test("L7: IPv6 is a way out of its own, and the better of two routes is the one that is told")
    func families() throws {
        let stream = try Stream(try home.start())
        try space.ip(
            "address add fd00:77::2/64 dev up0 nodad", "route add default via fd00:77::1", "route del default")
        try stream.wait("IPv6 alone") { $0["ipv6"] == true && $0["ipv4"] == false }
        #expect(stream.network["defaultRoute"] == ["interface": "up0", "family": "ipv6", "gateway": "fd00:77::1"])
        try space.ip(
            "link add up1 type veth peer name far1", "link set up1 addrgenmode none", "link set far1 up",
            "link set up1 up", "address add 10.78.0.2/24 dev up1", "route add default via 10.77.0.1 metric 200",
            "route add default via 10.78.0.1 metric 100")
        try stream.wait("the second link") { $0["defaultRoute"]?["interface"] == "up1" }
        #expect(stream.network["ipv4"] == true)
        try space.ip("link set far1 down")
        try stream.wait("the first link") { $0["defaultRoute"]?["interface"] == "up0" }
    }

    @Test("L7: a tunnel does not count once what is under it is gone")
    func tunnel() throws {
        let program = """
            import fcntl, struct, sys
            tunnel = open("/dev/net/tun", "r+b", buffering=0)
            fcntl.ioctl(tunnel, 0x400454ca, struct.pack("16sH22x", b"tun0", 0x1001))
            sys.stdin.read()
            """
        let opened = try RunningTool(home, command: space.prefix + ["/usr/bin/python3", "-c", program])
        try waitUntil("tun0 is there") { (try? space.ip("link set tun0 up")) != nil }
        try space.ip("address add 10.9.0.2/24 dev tun0", "route replace default dev tun0")
        let stream = try Stream(try home.start())
        #expect(interface("tun0", in: stream.network)?["kind"] == "tunnel")
        #expect(stream.network["defaultRoute"]?["interface"] == "tun0")
        try space.ip("link set far0 down")
        try stream.wait("offline") { $0["satisfied"] == false }
        #expect(interface("tun0", in: stream.network)?["running"] == true)
        withExtendedLifetime(opened) {}
    }

    @Test("changes of a burst are told once")
    func burst() throws {
        let stream = try Stream(try home.start())
        // Each by a program of its own, so that some time passes in between.
        let line = "for i in $(seq 30); do ip address add 10.77.1.$i/24 dev up0; done"
        #expect(try Child.run(space.prefix + ["sh", "-c", line]).ending == .exited(0))
        var told = 0
        while interface("up0", in: stream.network)?["addresses"]?.arrayValue?.count != 31 {
            try stream.next()
            told += 1
        }
        #expect(told <= 10)
    }

    @Test("what was lost while the daemon could not listen is found out")
    func overrun() throws {
        let daemon = try home.start()
        let stream = try Stream(daemon)
        daemon.child.signal(SIGSTOP)
        let flood = (0..<3_000).flatMap { _ in
            ["address add 10.79.0.2/24 dev up0", "address del 10.79.0.2/24 dev up0"]
        }
        try space.ip(flood + ["link set far0 down"])
        daemon.child.signal(SIGCONT)
        try stream.wait("offline") { $0["satisfied"] == false }
        #expect(interface("up0", in: stream.network)?["running"] == false)
        try space.ip("link set far0 up")
        try stream.wait("online") { $0["satisfied"] == true }
    }

    @Test("the daemon sleeps while nothing changes, and while routes change that are none to everywhere")
    func quiet() throws {
        let daemon = try home.start()
        // So that its work after the start is done.
        try waitUntilItRests("the daemon", every: 0.3) { try daemon.wakeUps }
        let before = try daemon.wakeUps
        try space.ip((1...500).map { "route add 10.\($0 / 250 + 100).\($0 % 250).0/24 via 10.77.0.1" })
        // It would hear of a change at once, and wake up for it.
        pass(seconds: 1)
        #expect(try daemon.wakeUps - before <= 1)
    }

    @Test("L7: hark network shows it, and its exit code says whether the network is there")
    func tool() throws {
        let daemon = try home.start()
        let there = try home.hark("network")
        #expect(there.ending == .exited(0))
        #expect(there.output.hasPrefix("online by IPv4, over up0 (ethernet) by 10.77.0.1\n"))
        #expect(there.output.contains("10.77.0.2/24"))
        #expect(try home.hark("network", "--json").output.hasPrefix(#"{"network":{"satisfied":true,"#))
        try space.ip("link set far0 down")
        try waitUntil("it is offline") { try home.hark("network").ending == .exited(1) }
        let gone = try home.hark("network")
        #expect(gone.output.hasPrefix("offline\n"))
        #expect(gone.output.contains("no carrier"))
        #expect(gone.errors.isEmpty)
        try daemon.stop()
    }

    @Test("L7: hark network --follow prints each change once, over a restart of the daemon")
    func follow() throws {
        var daemon = try home.start()
        let tool = try RunningTool(home, "network", "--follow")
        let stream = try RunningTool(home, "network", "--follow", "--json")
        func states() throws -> [String] { try tool.outputLines.map { String($0.split(separator: " ")[2]) } }
        try waitUntil("the first line") { try states() == ["online"] }
        try space.ip("link set far0 down")
        try waitUntil("offline") { try states() == ["online", "offline"] }
        try daemon.stop()
        daemon = try home.start()
        try space.ip("link set far0 up")
        try waitUntil("online") { try states() == ["online", "offline", "online"] }
        #expect(try tool.errors.contains("the daemon is back"))
        let lines = try stream.outputLines.map { try SocketClient.parse(Array($0.utf8)) }
        #expect(lines.first?["satisfied"] == true)
        #expect(lines.contains { $0["satisfied"] == false })
        tool.child.signal(SIGINT)
        #expect(try tool.child.wait() == .signaled(SIGINT))
        try daemon.stop()
    }
}

extension DaemonProcess {
    /// How often its threads have slept so far.
    fileprivate var wakeUps: Int {
        get throws {
            let tasks = "/proc/\(id)/task"
            return try FileManager.default.contentsOfDirectory(atPath: tasks).reduce(0) { sum, task in
                let status = try String(contentsOfFile: "\(tasks)/\(task)/status", encoding: .utf8)
                let line = status.split(separator: "\n").first { $0.hasPrefix("voluntary_ctxt_switches:") }
                return sum + (line?.split(separator: "\t").last.flatMap { Int($0) } ?? 0)
            }
        }
    }
}
