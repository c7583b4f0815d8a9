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
    }

    var onEvent: (Event) -> Void = { _ in }
    /// Tells this run from others, as a connection of the one before may be there for a while.
    let run: Identifier
    /// Why the broker is not reached, or does not let something through, and what to do.
    private(set) var problem: String?

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

    /// Without a connection it is lost, as it may be with one.
    func publish(_ topic: String, _ payload: [UInt8], retained: Bool = false, qos: Int32 = 0) {
        _ = client?.publish(topic, payload, retained: retained, qos: qos)
    }

    // MARK: The connection

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
            fail("\(error)")
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
            problem = nil
            onEvent(.connected)
        case .disconnected(let failure):
            fail("\(settings.broker ?? ""): \(failure.reason)")
            onEvent(.disconnected)
            if isPasswordAnother { connect() }
        case .subscribed: onEvent(.subscribed)
        case .refused(let topic, let reason):
            fail(
                "the broker does not let '\(settings.userName ?? clientName)' use \(topic): \(reason); its ACL must allow it"
            )
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

    private func fail(_ reason: String) {
        // What was said already is not said again.
        if problem != reason { Log.warning("fleet: \(reason)") }
        problem = reason
    }
}
