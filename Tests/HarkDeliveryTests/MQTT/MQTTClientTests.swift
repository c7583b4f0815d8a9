import HarkDelivery
import HarkSystem
import HarkTesting
import Testing

@Suite(.timeLimit(.minutes(45))) struct MQTTClientTests {
    @Test(
        "what is published comes to who has subscribed, from brokers of MQTT 5 and of 3.1.1", arguments: [true, false])
    func messages(isMosquitto: Bool) async throws {
        try await onLoop { loop in
            let broker = try await isMosquitto ? Broker.start(on: loop) : nats(on: loop)
            let listener = try await Peer(loop, broker.url()).connected()
            let speaker = try await Peer(loop, broker.url()).connected()
            #expect(listener.failures.isEmpty && listener.client.lastFailure == nil)
            try await listener.subscribe("fleet/+/up", "fleet/all")
            #expect(listener.subscribed == ["fleet/+/up", "fleet/all"])
            let binary: [UInt8] = Array(0...255)
            #expect(speaker.client.publish("fleet/m1/up", binary))
            #expect(speaker.client.publish("fleet/m1/down", [1]))
            #expect(speaker.client.publish("fleet/all", [], qos: 1))
            try await eventually("both messages are there") { listener.messages.count == 2 }
            #expect(listener.messages[0] == MQTTClient.Message(topic: "fleet/m1/up", payload: binary))
            #expect(listener.messages[1] == MQTTClient.Message(topic: "fleet/all", payload: []))
            speaker.client.close()
            listener.client.close()
            try await broker.stop()
        }
    }

    @Test("a retained message is there for whoever comes later, and says so", arguments: [true, false])
    func retained(isMosquitto: Bool) async throws {
        try await onLoop { loop in
            let broker = try await isMosquitto ? Broker.start(on: loop) : nats(on: loop)
            let speaker = try await Peer(loop, broker.url()).connected()
            try await speaker.subscribe("fleet/hub")
            #expect(speaker.client.publish("fleet/hub", [1], retained: true, qos: 1))
            try await eventually("it came around") { speaker.messages.count == 1 }
            #expect(!speaker.messages[0].isRetained)
            let listener = try await Peer(loop, broker.url()).connected()
            try await listener.subscribe("fleet/hub", qos: 1)
            try await eventually("it is there") { listener.messages.count == 1 }
            #expect(listener.messages[0] == MQTTClient.Message(topic: "fleet/hub", payload: [1], isRetained: true))
            listener.client.close()
            speaker.client.close()
            try await broker.stop()
        }
    }

    @Test("the will is told when a client is gone without goodbye, and not after a goodbye", arguments: [true, false])
    func wills(isMosquitto: Bool) async throws {
        try await onLoop { loop in
            let broker = try await isMosquitto ? Broker.start(on: loop) : nats(on: loop)
            let watcher = try await Peer(loop, broker.url()).connected()
            try await watcher.subscribe("will/#")
            let polite = try await Peer(loop, broker.url()) { $0.will = will("will/polite") }.connected()
            polite.client.close()
            let url = broker.url()
            await #expect(processExitsWith: .success) { [url = url as String] in
                try await onLoop { loop in
                    let peer = try await Peer(loop, url) { $0.will = will("will/mortal") }.connected()
                    // What is let go of says goodbye.
                    _ = Unmanaged.passRetained(peer)
                }
            }
            try await eventually("a will is told") { !watcher.messages.isEmpty }
            #expect(watcher.messages == [MQTTClient.Message(topic: "will/mortal", payload: [0])])
            let late = try await Peer(loop, broker.url()).connected()
            try await late.subscribe("will/#")
            try await eventually("it was kept") { !late.messages.isEmpty }
            #expect(late.messages == [will("will/mortal")])
            for peer in [late, watcher] { peer.client.close() }
            try await broker.stop()
        }
    }

    @Test("a broker that is killed and started again is connected to again, and it is told")
    func again() async throws {
        try await onLoop { loop in
            let broker = try await Broker.start(on: loop)
            let peer = try await Peer(loop, broker.url()).connected()
            try await broker.kill()
            try await eventually("it is told") { !peer.failures.isEmpty }
            #expect(peer.failures[0].kind == .closed)
            // It may have been tried again by now.
            #expect(!peer.client.isConnected && peer.client.lastFailure == peer.failures.last)
            #expect(!peer.client.publish("fleet/all", [1]))
            try await eventually("nobody listens") { peer.failures.last?.kind == .unreachable }
            try await broker.start()
            try await eventually("it is connected again") { peer.connections == 2 }
            #expect(peer.client.isConnected && peer.client.lastFailure == nil)
            peer.client.close()
            try await broker.stop()
        }
    }

    @Test("who waits for another try makes it at once when the network is back")
    func network() async throws {
        try await onLoop { loop in
            let broker = try await Broker.start(on: loop)
            try await broker.stop()
            let peer = try Peer(loop, broker.url()) { $0.firstRetrySeconds = 60 }
            try await eventually("it fails") { !peer.failures.isEmpty }
            try await broker.start()
            let start = ContinuousClock.now
            peer.client.networkReturned()
            try await eventually("it is connected", within: 25) { peer.client.isConnected }
            // By itself it would wait for at least thirty seconds.
            #expect(ContinuousClock.now - start < .seconds(28))
            peer.client.networkReturned()
            #expect(peer.client.isConnected)
            peer.client.close()
            try await broker.stop()
        }
    }

    @Test("a handler may publish, subscribe and close")
    func handlers() async throws {
        try await onLoop { loop in
            let broker = try await Broker.start(on: loop)
            let peer = try Peer(loop, broker.url())
            var count = 0
            peer.onEvent = { peer, event in
                switch event {
                case .connected: peer.client.subscribe(["echo"])
                case .subscribed: for _ in 1...3 { #expect(peer.client.publish("echo", [1])) }
                case .message:
                    count += 1
                    if count == 2 { peer.client.close() }
                default: break
                }
            }
            try await eventually("it has closed itself") { count == 2 }
            #expect(!peer.client.isConnected)
            try await broker.stop()
            #expect(count == 2 && peer.failures.isEmpty)
        }
    }

    @Test("more than the socket takes waits, and it is told when it does no more")
    func drained() async throws {
        try await onLoop { loop in
            let broker = try await Broker.start(on: loop)
            let peer = try await Peer(loop, broker.url()).connected()
            #expect(!peer.client.hasUnwritten)
            broker.pause()
            var sent = 0
            while !peer.client.hasUnwritten {
                #expect(peer.client.publish("much", [UInt8](repeating: 1, count: 1 << 20)))
                sent += 1
                try #require(sent < 256)
            }
            #expect(peer.drained == 0)
            broker.resume()
            try await eventually("all is written") { peer.drained == 1 }
            #expect(!peer.client.hasUnwritten)
            peer.client.close()
            try await broker.stop()
        }
    }

    @Test("what cannot be published or subscribed to is told, and the connection stays")
    func invalid() async throws {
        try await onLoop { loop in
            let broker = try await Broker.start(on: loop)
            let peer = try await Peer(loop, broker.url()).connected()
            #expect(!peer.client.publish("a/#", [1]))
            #expect(!peer.client.publish("", [1]))
            #expect(!peer.client.publish("a\u{0}b", [1]))
            try await peer.subscribe("a\u{0}b")
            #expect(peer.refused["a\u{0}b"]?.contains("U+0000") == true)
            try await peer.subscribe("a/#/b")
            #expect(peer.refused["a/#/b"]?.contains("cannot be asked for") == true)
            #expect(peer.client.isConnected && peer.failures.isEmpty)
            peer.client.close()
            try await broker.stop()
        }
    }

    @Test("a broker that wants to hear more often does")
    func keepAlive() async throws {
        try await onLoop { loop in
            let broker = try await Broker.start(on: loop) { _ in "allow_anonymous true\nmax_keepalive 10" }
            let peer = try await Peer(loop, broker.url()).connected()
            // It would end the connection after fifteen seconds, and the client has ten minutes in mind.
            try await eventually("it was heard") { broker.log.contains("Received PINGREQ") }
            #expect(peer.connections == 1 && peer.failures.isEmpty)
            peer.client.close()
            try await broker.stop()
        }
    }
}

@DaemonActor
func nats(on loop: EventLoop, _ configuration: String = "") async throws -> Broker {
    try await Broker.start(.nats, on: loop) { _ in configuration }
}

private func will(_ topic: String) -> MQTTClient.Message {
    MQTTClient.Message(topic: topic, payload: [0], isRetained: true)
}
