import Glibc
import HarkDelivery
import HarkSystem
import HarkTesting

/// A client and all that it has told.
@DaemonActor
final class Peer {
    private(set) var client: MQTTClient!
    private(set) var connections = 0
    private(set) var failures: [MQTTFailure] = []
    private(set) var subscribed: [String] = []
    private(set) var refused: [String: String] = [:]
    private(set) var tooLong: [String: Int] = [:]
    private(set) var confirmed: [String: Int] = [:]
    private(set) var messages: [MQTTClient.Message] = []
    private(set) var dropped: [String] = []
    private(set) var drained = 0
    var onEvent: @DaemonActor (Peer, MQTTClient.Event) -> Void = { _, _ in }

    init(
        _ loop: EventLoop, _ url: String, id: String = "peer-\(UInt32.random(in: 0 ... .max))",
        change: (inout MQTTClient.Options) -> Void = { _ in }
    ) throws {
        var options = MQTTClient.Options(address: try MQTTAddress(url), clientId: id)
        // Enough while all the other tests keep the machine busy.
        options.connectSeconds = 60
        change(&options)
        client = MQTTClient(loop: loop, options: options) { [weak self] in self?.take($0) }
        client.start()
    }

    private func take(_ event: MQTTClient.Event) {
        switch event {
        case .connected: connections += 1
        case .disconnected(let failure): failures.append(failure)
        case .subscribed(let topics): subscribed += topics
        case .refused(let topic, let reason): refused[topic] = reason
        case .tooLong(let topic, let bytes): tooLong[topic] = bytes
        case .confirmed(let topic, let bytes): confirmed[topic] = bytes
        case .message(let message): messages.append(message)
        case .dropped(let topic, _): dropped.append(topic)
        case .drained: drained += 1
        }
        onEvent(self, event)
    }

    func connected() async throws -> Peer {
        try await eventually("a client is connected") {
            if let failure = failures.last { throw failure }
            return client.isConnected
        }
        return self
    }

    func subscribe(_ topics: String..., qos: Int32 = 0) async throws {
        let before = subscribed.count + refused.count
        client.subscribe(topics, qos: qos)
        try await eventually("a broker has answered") { subscribed.count + refused.count == before + topics.count }
    }

    /// The first reason why it is not connected, or the first of a kind.
    func failure(_ kind: MQTTFailure.Kind? = nil) async throws -> MQTTFailure {
        var failure: MQTTFailure?
        try await eventually("a connection fails") {
            failure = failures.first { kind == nil || $0.kind == kind }
            return failure != nil
        }
        client.close()
        return failure!
    }
}

/// Runs `body` on the loop.
func onLoop(_ body: @escaping @DaemonActor @Sendable (EventLoop) async throws -> Void) async throws {
    try await LoopThread.shared.run(body)
}

/// Something that listens and is no good broker: `listener.py`.
@DaemonActor
final class BadListener {
    private var process: ChildProcess?
    private(set) var lines: [Substring] = []

    static func start(_ mode: String, on loop: EventLoop) async throws -> BadListener {
        let listener = BadListener()
        let script = "\(#filePath)".replacing("Peer.swift", with: "listener.py")
        var command = ChildProcess.Command(["/usr/bin/python3", "-B", script, mode])
        command.timeoutMicroseconds = 3_600_000_000
        let process = try ChildProcess(command, on: loop) { [weak listener] _ in listener?.process = nil }
        process.onOutput { [weak listener] in
            listener?.lines = String(decoding: $0, as: UTF8.self).split(separator: "\n")
        }
        listener.process = process
        try await eventually("a listener listens") { !listener.lines.isEmpty }
        return listener
    }

    var url: String { "mqtt://127.0.0.1:\(lines[0])" }

    func stop() async throws {
        process?.signal(SIGKILL)
        try await eventually("a listener is gone") { process == nil }
    }
}
