import Glibc
import HarkDelivery
import HarkSystem
import HarkTesting
import Testing

/// Waits until no thread of this process is about to begin a connection.
@DaemonActor
private func helpersGone(_ loop: EventLoop) async throws {
    try await eventually("the helping threads are gone") {
        let tasks = try await run(["/bin/sh", "-c", "cat /proc/$PPID/task/*/comm 2>/dev/null; true"], on: loop)
        return !tasks.contains("hark-mqtt")
    }
}

/// What a client costs the process and its loop, in processes of their own.
@Suite(.timeLimit(.minutes(45))) struct MQTTCostTests {
    @Test("libmosquitto is loaded with the first start; a connected client has no thread and does not wake up")
    func idle() async throws {
        await #expect(processExitsWith: .success) {
            try await onLoop { loop in
                let broker = try await Broker.start(on: loop)
                let certificates = try await Certificates.shared(on: loop)
                let secure = try await Broker.start(on: loop) { _ in
                    "allow_anonymous true\ncertfile \(certificates.certificate(.server))\nkeyfile \(certificates.key(.server))"
                }
                let options = MQTTClient.Options(address: try MQTTAddress(broker.url()), clientId: "x")
                let unused = MQTTClient(loop: loop, options: options) { _ in }
                unused.close()
                try #require(!text("/proc/self/maps").contains("/libmosquitto.so"))
                let peers = try [
                    await Peer(loop, broker.url()).connected(),
                    await Peer(loop, secure.url(secure: true)) { $0.authoritiesFile = certificates.authority }
                        .connected(),
                ]
                try #require(text("/proc/self/maps").contains("/libmosquitto.so"))
                try await helpersGone(loop)
                for peer in peers { try await peer.subscribe("x/#") }
                let turns = try await turns(loop, seconds: 1.5)
                #expect(turns < 8, "\(turns) turns of an idle loop")
                for peer in peers { peer.client.close() }
                try await broker.stop()
                try await secure.stop()
            }
        }
    }

    @Test(
        "who is refused, closed on or never answered does not turn the loop",
        arguments: ["closing", "mute", "full", "none"])
    func noSpinning(mode: String) async throws {
        await #expect(processExitsWith: .success) { [mode = mode as String] in
            try await onLoop { loop in
                let listener = mode == "none" ? nil : try await BadListener.start(mode, on: loop)
                let port = try ClosedPort()
                let url = listener?.url ?? "mqtt://127.0.0.1:\(port.number)"
                for url in [url, url.replacing("mqtt", with: "mqtts")] {
                    let peer = try Peer(loop, url)
                    let turns = try await turns(loop, seconds: 1.5)
                    // 0.05 s to 0.1 s, then twice as long each time: some four tries, of a few turns each.
                    #expect(turns < 120, "\(turns) turns: \(mode), \(url)")
                    peer.client.close()
                }
                try await listener?.stop()
                // One that begins a connection must not be at it while the process takes OpenSSL down.
                try await helpersGone(loop)
            }
        }
    }

    @Test(
        "a broker that announces 256 MiB, and sends them, is not listened to for long",
        arguments: ["lying", "lying-older"])
    func lying(mode: String) async throws {
        await #expect(processExitsWith: .success) { [mode = mode as String] in
            try await onLoop { loop in
                let listener = try await BadListener.start(mode, on: loop)
                let peer = try Peer(loop, listener.url) { $0.maxPayloadBytes = 1 << 20 }
                let failure = try await peer.failure()
                #expect(failure.kind == .protocolViolation)
                #expect(failure.reason.contains("more than 1048576 bytes"), "\(failure)")
                let status = try text("/proc/self/status").split(separator: "\n")
                let peak = status.first { $0.hasPrefix("VmHWM:") }?.split(separator: " ").dropFirst().first.flatMap {
                    Int($0)
                }
                #expect(try #require(peak) < 160_000, "\(status)")
                try await listener.stop()
            }
        }
    }

    @Test("a broker that sends without end leaves the loop to others")
    func flooding() async throws {
        await #expect(processExitsWith: .success) {
            try await onLoop { loop in
                let listener = try await BadListener.start("flooding", on: loop)
                let peer = try await Peer(loop, listener.url).connected()
                try await eventually("much has come, and the loop turned") {
                    if let failure = peer.failures.first { throw failure }
                    return peer.messages.count > 20_000
                }
                peer.client.close()
                try await eventually("it is closed") { listener.lines.contains("ended") }
                try await listener.stop()
            }
        }
    }

    @Test("a message that is a little too long is dropped and told; the connection stays")
    func tooLong() async throws {
        try await onLoop { loop in
            // Of MQTT 3.1.1, so not told how long messages may be.
            let broker = try await nats(on: loop)
            let peer = try await Peer(loop, broker.url()) { $0.maxPayloadBytes = 100 }.connected()
            try await peer.subscribe("x")
            #expect(peer.client.publish("x", [UInt8](repeating: 1, count: 101)))
            #expect(peer.client.publish("x", [UInt8](repeating: 2, count: 100)))
            try await eventually("the other has come") { peer.messages.count == 1 }
            #expect(peer.dropped == ["x"] && peer.messages[0].payload.count == 100 && peer.failures.isEmpty)
            peer.client.close()
            try await broker.stop()
            // One that is told does not even send what is far too long.
            let latest = try await Broker.start(on: loop)
            let spared = try await Peer(loop, latest.url()) { $0.maxPayloadBytes = 100 }.connected()
            try await spared.subscribe("x")
            let speaker = try await Peer(loop, latest.url()).connected()
            #expect(speaker.client.publish("x", [UInt8](repeating: 1, count: 300_000)))
            #expect(speaker.client.publish("x", [2]))
            try await eventually("the other has come") { spared.messages.count == 1 }
            #expect(spared.dropped.isEmpty && spared.failures.isEmpty && spared.messages[0].payload == [2])
            for peer in [spared, speaker] { peer.client.close() }
            try await latest.stop()
        }
    }

    @Test("a client id that the library does not like costs nobody a descriptor")
    func descriptors() async throws {
        await #expect(processExitsWith: .success) {
            try await onLoop { loop in
                let file = try FileDescriptor.open("/dev/null", flags: O_RDONLY)
                dup2(file.raw, 0)
                for id in ["", "a\nb"] { _ = try await Peer(loop, "mqtt://127.0.0.1", id: id).failure() }
                try #require(fcntl(0, F_GETFD) >= 0)
            }
        }
    }

    @Test("closing while the host is looked up, and while it is connected to, leaves nothing behind")
    func closing() async throws {
        await #expect(processExitsWith: .success) {
            try await onLoop { loop in
                @DaemonActor func descriptors() async throws -> Int {
                    let list = try await run(["/bin/sh", "-c", "ls /proc/$PPID/fd | wc -l"], on: loop)
                    return Int(list.filter { $0.isNumber }) ?? 0
                }
                let broker = try await Broker.start(on: loop)
                let certificates = try await Certificates.shared(on: loop)
                let listener = try await BadListener.start("mute", on: loop)
                try await Peer(loop, broker.url()).connected().client.close()
                let before = try await descriptors()
                for turn in 0..<200 {
                    let url = turn % 3 == 0 ? listener.url.replacing("mqtt", with: "mqtts") : broker.url()
                    let peer = try Peer(loop, url) { $0.authoritiesFile = certificates.authority }
                    for _ in 0..<(turn % 7) { await earlierJobs() }
                    peer.client.close()
                    #expect(!peer.client.isConnected)
                }
                try await eventually("all is closed") { try await descriptors() <= before }
                try await listener.stop()
                try await broker.stop()
            }
        }
    }
}

/// How often the loop turns while nothing but a timer is waited for.
@DaemonActor
private func turns(_ loop: EventLoop, seconds: Double) async throws -> Int {
    var turns = 0
    let hook = loop.onTurnEnd { turns += 1 }
    let timer = try await withCheckedThrowingContinuation { continuation in
        do throws(SystemError) {
            nonisolated(unsafe) var own: TimerSource?
            own = try loop.timer(clock: .monotonic) {
                if let timer = own { continuation.resume(returning: timer) }
                own = nil
            }
            own?.arm(afterMicroseconds: UInt64(seconds * 1_000_000))
        } catch {
            continuation.resume(throwing: error)
        }
    }
    timer.cancel()
    hook.cancel()
    return turns
}

private func text(_ path: String) throws -> String {
    String(decoding: try FileDescriptor.open(path, flags: O_RDONLY).readAll(limit: 1 << 22), as: UTF8.self)
}
