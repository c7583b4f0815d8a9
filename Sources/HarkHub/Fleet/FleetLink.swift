import Glibc
import HarkCore
package import HarkDelivery
package import HarkFleet
package import HarkSettings
package import HarkSystem
package import HarkWire

/// The connection of a hub or a machine to the broker. It reads the password again when that changes.
@DaemonActor
package final class FleetLink {
    package enum Event {
        case connected, disconnected
        /// The broker has confirmed the last subscription.
        case subscribed
        case message(topic: String, payload: [UInt8])
        /// The broker does not accept a message on this topic because it is too long.
        case tooLong(topic: String, bytes: Int)
    }

    var onEvent: (Event) -> Void = { _ in }
    /// Identifies this run, because the connection of an earlier run may linger.
    package let run: Identifier
    /// Why the broker is unreachable or rejects something, and what to do.
    package private(set) var problem: String?
    /// The category of the problem; nil if there is none.
    package private(set) var cause: FleetCause?
    /// The limit of the message length.
    package private(set) var limit = BrokerLimit()
    /// The topic whose message was too long, if that is the problem.
    private var tooLongFor: String?

    private let settings: FleetSettings
    private let clientName: String
    private let loop: EventLoop
    private let paths: Paths
    private var client: MQTTClient?
    private var password: String?
    private var will: MQTTClient.Message?
    private var timer: TimerSource?

    /// - Parameter clientName: The name in the broker's log; a part of this run's id is appended.
    package init(_ settings: FleetSettings, clientName: String, loop: EventLoop, paths: Paths) {
        self.settings = settings
        self.clientName = clientName
        self.loop = loop
        self.paths = paths
        var random = BlockRandom()
        run = Identifier(high: random.next(), low: random.next())
    }

    /// The message while nothing has gone wrong yet.
    var notYet: String { "the broker \(settings.broker ?? "") is not reached yet" }
    var isConnected: Bool { client?.isConnected ?? false }

    package func start(will: MQTTClient.Message) {
        self.will = will
        connect()
    }

    package func close() {
        timer?.cancel()
        timer = nil
        client?.close()
        client = nil
        onEvent = { _ in }
    }

    package func networkReturned() { client?.networkReturned() }

    /// - Parameter qos: 1 if the broker is to repeat unconfirmed messages. This costs the broker something for each
    ///   subscription (NATS: a consumer of 40 kB), so use it only for messages that nobody requests again.
    package func subscribe(_ topics: [String], qos: Int32 = 0) { client?.subscribe(topics, qos: qos) }

    /// Publishes a message; it may be lost, as without a connection. One that is too long is only reported.
    package func publish(_ topic: String, _ payload: [UInt8], retained: Bool = false, qos: Int32 = 0) {
        guard isConnected else { return }
        if fault(ofBytes: payload.count) != nil { return complain(of: topic, payload.count) }
        // A shorter message takes the place of the one that was too long.
        if tooLongFor == topic { (problem, cause, tooLongFor) = (nil, nil, nil) }
        send(topic, payload, retained: retained, qos: qos)
    }

    /// Publishes a message that cannot be split further, without checking its length.
    package func send(_ topic: String, _ payload: [UInt8], retained: Bool = false, qos: Int32 = 0) {
        limit.sent(payload.count, at: now)
        _ = client?.publish(topic, payload, retained: retained, qos: qos)
    }

    /// Notes that a message of this length was delivered.
    package func passed(_ bytes: Int) { limit.passed(bytes) }

    /// Notes that a message was not answered.
    func unanswered() { limit.unanswered(at: now) }

    private var now: Int64 { Int64(SystemClock.monotonicMicroseconds / 1_000) }

    /// The maximum length of messages that can be split.
    package var mostBytes: Int { limit.mostBytes(at: now) }

    /// Why a message of this length is too long for the broker, and what to do; nil if it is not known to be.
    package func fault(ofBytes bytes: Int) -> String? {
        guard limit.bound(for: bytes, at: now) != nil else { return nil }
        let most = client?.maxPacketBytes.map { ", which is \($0) with the rest of the message" } ?? ""
        return
            "\(bytes) bytes are more than the broker takes in a message\(most); raise its limit (max_packet_size and "
            + "message_size_limit of Mosquitto, max_payload of NATS)"
    }

    /// Reports that the broker does not accept a message that cannot be split.
    package func complain(of topic: String, _ bytes: Int) {
        guard let fault = fault(ofBytes: bytes) else { return }
        tooLongFor = topic
        fail("\(topic) is not sent: \(fault)", .limit)
    }

    // MARK: The connection

    /// The maximum bytes of a packet in addition to its payload: a topic of three names, and some bytes more.
    private static let mostBytesBeside = 4 * FleetName.longest

    /// How long until a password that could not be read is tried again.
    private static let patienceMicroseconds: UInt64 = 60_000_000

    private func connect() {
        client?.close()
        client = nil
        do {
            let options = try options()
            let client = MQTTClient(loop: loop, options: options) { [weak self] in self?.take($0) }
            password = options.password
            self.client = client
            client.start()
        } catch {
            fail("\(error)", .setting)
            retry()
        }
    }

    private func options() throws -> MQTTClient.Options {
        let suffix = run.description.prefix(8)
        var options = MQTTClient.Options(
            address: try MQTTAddress(settings.broker ?? ""), clientId: "hark-\(settings.name)-\(clientName)-\(suffix)")
        options.userName = settings.userName
        options.password = try settings.password?.read(in: paths.configuration)
        options.authoritiesFile = settings.authoritiesFile.map(inConfiguration)
        options.certificateFile = settings.certificateFile.map(inConfiguration)
        options.keyFile = settings.keyFile.map(inConfiguration)
        options.will = will
        options.maxPayloadBytes = 2 * FleetDocument.mostBytes
        return options
    }

    private func inConfiguration(_ path: String) -> String {
        paths.inConfiguration(path)
    }

    private func retry() {
        do {
            let timer =
                try timer
                ?? loop.timer(clock: .boottime, accuracyMicroseconds: 1_000_000) { [weak self] in self?.connect() }
            timer.arm(afterMicroseconds: FleetLink.patienceMicroseconds)
            self.timer = timer
        } catch {
            Log.error("fleet: the broker is not tried again before the settings are read again: \(error)")
        }
    }

    private func take(_ event: MQTTClient.Event) {
        switch event {
        case .connected:
            if problem != nil { Log.notice("fleet: connected to \(settings.broker ?? "")") }
            (problem, cause, tooLongFor) = (nil, nil, nil)
            limit.connected(announced: client?.maxPacketBytes.map { max(0, $0 - FleetLink.mostBytesBeside) })
            onEvent(.connected)
        case .disconnected(let failure):
            // A timeout of the network says nothing about the length of a message.
            let isOfBroker = failure.kind != .timedOut
            if isOfBroker { limit.ended(at: now) }
            let doubt =
                isOfBroker && limit.isDoubted
                ? "; it may have been over the length of a message, so shorter ones are tried" : ""
            fail("\(settings.broker ?? ""): \(failure.reason)\(doubt)", FleetCause(failure.kind))
            onEvent(.disconnected)
            if isPasswordAnother { connect() }
        case .subscribed: onEvent(.subscribed)
        case .refused(let topic, let reason):
            fail(
                "the broker does not let '\(settings.userName ?? clientName)' use \(topic): \(reason); its ACL must allow it",
                .rights)
        case .confirmed(_, let bytes): passed(bytes)
        case .tooLong(let topic, let bytes):
            limit.refuse(bytes, at: now)
            onEvent(.tooLong(topic: topic, bytes: bytes))
        case .message(let message): onEvent(.message(topic: message.topic, payload: message.payload))
        case .dropped(_, let reason): Log.warning("fleet: a message of the broker was dropped: \(reason)")
        case .drained: break
        }
    }

    /// Whether the password has changed since it was read. An unreadable one counts as unchanged.
    private var isPasswordAnother: Bool {
        guard let secret = settings.password else { return false }
        do throws(Secret.Missing) { return try secret.read(in: paths.configuration) != password } catch { return false }
    }

    private func fail(_ reason: String, _ cause: FleetCause) {
        self.cause = cause
        // A repeated problem is logged once.
        if problem != reason { Log.warning("fleet: \(reason)") }
        problem = reason
    }
}

extension FleetCause {
    package init(_ kind: MQTTFailure.Kind) {
        self =
            switch kind {
            case .nameNotFound, .unreachable, .timedOut: .unreachable
            case .notAuthorized, .certificate, .ownCertificate: .login
            case .unavailable, .invalid: .setting
            case .refused, .closed, .protocolViolation, .system: .broker
            }
    }
}
