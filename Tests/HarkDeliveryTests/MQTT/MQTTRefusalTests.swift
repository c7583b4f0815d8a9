import Glibc
import HarkDelivery
import HarkSystem
import HarkTesting
import Testing

/// What brokers, and what listens in their place, say no to.
@Suite(.timeLimit(.minutes(45))) struct MQTTRefusalTests {
    private static let users = """
        authorization { users: [
            { user: hark, password: secret, permissions: { publish: ["open.>", "$MQTT.>"], subscribe: ["open.>", "$MQTT.>"] } }
        ] }
        """

    @DaemonActor
    private func guarded(_ isMosquitto: Bool, _ loop: EventLoop) async throws -> Broker {
        guard isMosquitto else { return try await nats(on: loop, Self.users) }
        let rights = "user hark\ntopic readwrite open/#\n"
        // Hashed by mosquitto_passwd.
        let folder = try TemporaryFolder(inMemory: true)
        try await run(["mosquitto_passwd", "-b", "-c", folder.path + "/passwords", "hark", "secret"], on: loop)
        return try await Broker.start(on: loop, files: ["rights": rights]) {
            "allow_anonymous false\npassword_file \(folder.path)/passwords\nacl_file \($0)/rights"
        }
    }

    @Test("a wrong password, or none, is told as that; the right one is let in", arguments: [true, false])
    func password(isMosquitto: Bool) async throws {
        try await onLoop { loop in
            let broker = try await guarded(isMosquitto, loop)
            for (user, password) in [("hark", "wrong-secret"), ("nobody", "secret"), ("hark", nil), (nil, nil)] {
                let peer = try Peer(loop, broker.url()) {
                    $0.userName = user
                    $0.password = password
                }
                let failure = try await peer.failure()
                #expect(failure.kind == .notAuthorized, "\(failure)")
                #expect(failure.reason.contains("check user and password") && !failure.reason.contains("secret"))
            }
            let peer = try Peer(loop, broker.url()) {
                $0.userName = "hark"
                $0.password = "secret"
            }
            try await peer.connected().client.close()
            try await broker.stop()
        }
    }

    @Test("a topic that the broker does not allow is told, where it says so", arguments: [true, false])
    func denied(isMosquitto: Bool) async throws {
        try await onLoop { loop in
            let broker = try await guarded(isMosquitto, loop)
            let peer = try await Peer(loop, broker.url()) {
                $0.userName = "hark"
                $0.password = "secret"
            }.connected()
            try await peer.subscribe("open/x")
            #expect(peer.client.publish("closed/x", [1], qos: isMosquitto ? 1 : 0))
            if isMosquitto {
                // Told for a quality of service of 1 only, and by MQTT 5 only.
                try await eventually("it is told") { peer.refused["closed/x"] != nil }
                #expect(peer.refused["closed/x"]?.contains("uthori") == true)
            } else {
                try await peer.subscribe("closed/x")
                #expect(peer.refused["closed/x"]?.contains("refuses it") == true)
            }
            #expect(peer.client.publish("open/x", [2], qos: 1))
            try await eventually("what is allowed comes") { peer.messages.map(\.payload) == [[2]] }
            #expect(peer.client.isConnected && peer.refused.count == 1)
            peer.client.close()
            try await broker.stop()
        }
    }

    @Test("a port nobody listens on, and a name that nobody has")
    func nobody() async throws {
        try await onLoop { loop in
            let port = try ClosedPort()
            let refused = try await Peer(loop, "mqtt://127.0.0.1:\(port.number)").failure()
            #expect(refused.kind == .unreachable)
            #expect(refused.reason.contains("Connection refused"), "\(refused)")
            let secure = try await Peer(loop, "mqtts://127.0.0.1:\(port.number)").failure()
            #expect(secure.kind == .unreachable, "\(secure)")
            let unknown = try await Peer(loop, "mqtt://broker.invalid").failure()
            #expect(unknown.kind == .nameNotFound)
            #expect(unknown.reason.contains("the DNS"), "\(unknown)")
        }
    }

    @Test(
        "who never answers is given up in time",
        arguments: [
            ("full", "mqtt", "nobody answers within"), ("full", "mqtts", "nobody answers within"),
            ("mute", "mqtt", "write mqtts://"), ("mute", "mqtts", "write mqtt://"),
        ])
    func silence(mode: String, scheme: String, advice: String) async throws {
        try await onLoop { loop in
            let listener = try await BadListener.start(mode, on: loop)
            let url = listener.url.replacing("mqtt", with: scheme)
            let failure = try await Peer(loop, url) { $0.connectSeconds = 1 }.failure()
            #expect(failure.kind == .timedOut)
            #expect(failure.reason.contains(advice), "\(failure)")
            try await listener.stop()
        }
    }

    @Test("a broker that says why it ends the connection is quoted")
    func dismissed() async throws {
        try await onLoop { loop in
            let listener = try await BadListener.start("dismissing", on: loop)
            let failure = try await Peer(loop, listener.url).failure()
            #expect(failure.kind == .refused)
            #expect(failure.reason.contains("Session taken over"), "\(failure)")
            try await listener.stop()
        }
    }

    @Test("a topic that is no UTF-8 ends the connection")
    func garbled() async throws {
        try await onLoop { loop in
            let listener = try await BadListener.start("garbled", on: loop)
            let failure = try await Peer(loop, listener.url).failure()
            #expect(failure.kind == .protocolViolation, "\(failure)")
            try await listener.stop()
        }
    }

    @Test("without libmosquitto it says what to install")
    func missing() async throws {
        try await onLoop { loop in
            let failure = try await Peer(loop, "mqtt://127.0.0.1") { $0.library = "libmosquitto-not-there.so.1" }
                .failure()
            #expect(failure.kind == .unavailable)
            #expect(failure.reason.contains("apt install libmosquitto1"), "\(failure)")
        }
    }

    @Test("options that cannot be used are told as that")
    func options() async throws {
        try await onLoop { loop in
            for id in ["", "a\u{0}b", "a\nb", "\u{fffe}", String(repeating: "x", count: 65_536)] {
                let failure = try await Peer(loop, "mqtt://127.0.0.1", id: id).failure()
                #expect(failure.kind == .invalid && failure.reason.contains("client id"), "\(failure)")
            }
            let user = try await Peer(loop, "mqtt://127.0.0.1") { $0.userName = "a\u{0}b" }.failure()
            #expect(user.kind == .invalid && user.reason.contains("U+0000"), "\(user)")
            let will = try await Peer(loop, "mqtt://127.0.0.1") {
                $0.will = MQTTClient.Message(topic: "a/#", payload: [])
            }.failure()
            #expect(will.kind == .invalid && will.reason.contains("last will"), "\(will)")
        }
    }

    @Test("a connection that the network lost is told from one that the broker ended")
    func loss() {
        for error in [ETIMEDOUT, EHOSTUNREACH, ENETUNREACH] { #expect(MQTTFailure.Kind(ofLoss: error) == .timedOut) }
        for error in [0, ECONNRESET, EPIPE] { #expect(MQTTFailure.Kind(ofLoss: error) == .closed) }
    }
}
