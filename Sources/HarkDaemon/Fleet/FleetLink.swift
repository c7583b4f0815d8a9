import Glibc
import HarkCore
import HarkDelivery
import HarkFleet
import HarkSystem
import HarkWire

/// The connection of one end of a fleet to the broker, with its keys as they are now.
@DaemonActor
final class FleetLink {
    enum Event {
        case connected, disconnected
        /// The broker has granted the last of what was subscribed to.
        case subscribed
        case message(topic: String, payload: [UInt8])
        /// The broker does not take what was published there, as it is too long.
        case tooLong(topic: String, bytes: Int)
    }

    var onEvent: (Event) -> Void = { _ in }
    /// Tells this run from others, as a connection of the one before may be there for a while.
    let run: Identifier
    /// Why the broker is not reached, or does not let something through, and what to do.
    private(set) var problem: String?
    /// What kind of thing that is; nil where nothing is wrong.
    private(set) var cause: FleetCause?
    /// How long messages may be.
    private(set) var limit = BrokerLimit()
    /// The topic of which the problem is that something was too long for it.
    private var tooLongFor: String?

    private let settings: FleetSettings
    private let clientName: String
    private let loop: EventLoop
    private let paths: Paths
    private var client: MQTTClient?
    private var password: String?
    private var will: MQTTClient.Message?
    private var timer: TimerSource?

    /// - Parameter clientName: what the broker's log calls it, with something of this run behind it.
    init(_ settings: FleetSettings, clientName: String, loop: EventLoop, paths: Paths) {
        self.settings = settings
        self.clientName = clientName
        self.loop = loop
        self.paths = paths
        var random = BlockRandom()
        run = Identifier(high: random.next(), low: random.next())
    }

    /// What is to be said while nothing has gone wrong.
    var notYet: String { "the broker \(settings.broker ?? "") is not reached yet" }
    var isConnected: Bool { client?.isConnected ?? false }

    func start(will: MQTTClient.Message) {
        self.will = will
        connect()
    }

    func close() {
        timer?.cancel()
        timer = nil
        client?.close()
        client = nil
        onEvent = { _ in }
    }

    func networkReturned() { client?.networkReturned() }

    /// - Parameter qos: 1 where the broker is to send again what it gets no confirmation of. That costs it something for each
    ///   subscription (NATS: a consumer of 40 kB), so it is only for what nobody asks for again.
    func subscribe(_ topics: [String], qos: Int32 = 0) { client?.subscribe(topics, qos: qos) }

    /// Without a connection it is lost, as it may be with one. What is too long for the broker is not sent, and told as a problem.
    func publish(_ topic: String, _ payload: [UInt8], retained: Bool = false, qos: Int32 = 0) {
        guard isConnected else { return }
        if fault(ofBytes: payload.count) != nil { return complain(of: topic, payload.count) }
        // What was too long there has a shorter one in its place.
        if tooLongFor == topic { (problem, cause, tooLongFor) = (nil, nil, nil) }
        send(topic, payload, retained: retained, qos: qos)
    }

    /// The same for what was parted as far as it can be.
    func send(_ topic: String, _ payload: [UInt8], retained: Bool = false, qos: Int32 = 0) {
        limit.sent(payload.count, at: now)
        _ = client?.publish(topic, payload, retained: retained, qos: qos)
    }

    /// What was sent, of this length, has come through.
    func passed(_ bytes: Int) { limit.passed(bytes) }

    /// What was sent was not answered.
    func unanswered() { limit.unanswered(at: now) }

    private var now: Int64 { Int64(SystemClock.monotonicMicroseconds / 1_000) }

    /// How long what can be parted may be.
    var mostBytes: Int { limit.mostBytes(at: now) }

    /// Why something is too long for the broker, and what to do; nil where it is not, as far as is known.
    func fault(ofBytes bytes: Int) -> String? {
        guard limit.bound(for: bytes, at: now) != nil else { return nil }
        let most = client?.maxPacketBytes.map { ", which is \($0) with what stands beside" } ?? ""
        return
            "\(bytes) bytes are more than the broker takes in a message\(most); raise its limit (max_packet_size and "
            + "message_size_limit of Mosquitto, max_payload of NATS)"
    }

    /// Tells that the broker does not take something, which nobody here can part.
    func complain(of topic: String, _ bytes: Int) {
        guard let fault = fault(ofBytes: bytes) else { return }
        tooLongFor = topic
        fail("\(topic) is not sent: \(fault)", .limit)
    }

    // MARK: The connection

    /// What a packet has beside its payload, at most: a topic of three names, and some bytes more.
    private static let mostBytesBeside = 4 * FleetName.longest

    /// How long until a password that could not be read is looked for again.
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
        path.hasPrefix("/") ? path : "\(paths.configuration)/\(path)"
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
            // A network that is gone did not mind how long a message was.
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

    /// It may have been replaced since it was read. One that cannot be read now is no better.
    private var isPasswordAnother: Bool {
        guard let secret = settings.password else { return false }
        do throws(Secret.Missing) { return try secret.read(in: paths.configuration) != password } catch { return false }
    }

    private func fail(_ reason: String, _ cause: FleetCause) {
        self.cause = cause
        // What was said already is not said again.
        if problem != reason { Log.warning("fleet: \(reason)") }
        problem = reason
    }
}

extension FleetCause {
    init(_ kind: MQTTFailure.Kind) {
        self =
            switch kind {
            case .nameNotFound, .unreachable, .timedOut: .unreachable
            case .notAuthorized, .certificate, .ownCertificate: .login
            case .unavailable, .invalid: .setting
            case .refused, .closed, .protocolViolation, .system: .broker
            }
    }
}
