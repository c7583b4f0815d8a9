import Foundation
import HarkCore
import HarkDelivery
import HarkFleet
import HarkSettings
import HarkStore
import HarkSystem
import HarkTesting
import HarkWire
import Testing

@testable import HarkDaemon
@testable import HarkHub
@testable import HarkLedger

/// A fleet in the test process: a real broker, a hub and machines, each with a made-up clock of its own.
@DaemonActor
final class FleetStage {
    let loop: EventLoop
    let broker: Broker
    let hub: DaemonFixture
    let machines: [DaemonFixture]

    /// A machine, as it is set up.
    struct Kiosk: Sendable {
        var name = "kiosk-1"
        /// Additional members of `fleet`, each after a comma; nil for a daemon without a fleet.
        var fleet: String? = ""
        /// Additional members of `harkd.json`.
        var settings = ""
        var surveys: String?
        var forms: String?
        /// The version up to which it reads documents of the hub; nil: as this Hark.
        var reads: DocumentVersion?

        func text(_ url: String) -> String {
            let fleet =
                fleet.map {
                    #""fleet":{"broker":"\#(url)","name":"shop","machine":"\#(name)","ackTimeoutSeconds":1\#($0)},"#
                } ?? ""
            return #"{\#(fleet)"archive":false,"notify":null,"retention":"none"\#(settings)}"#
        }
    }

    private init(_ loop: EventLoop, _ broker: Broker, _ hub: DaemonFixture, _ machines: [DaemonFixture]) {
        self.loop = loop
        self.broker = broker
        self.hub = hub
        self.machines = machines
    }

    /// The settings of a hub, with additional members of `fleet` and others.
    nonisolated static func hub(_ url: String, fleet: String = "", settings: String = "") -> String {
        """
        {"fleet":{"broker":"\(url)","name":"shop","role":"hub"\(fleet)},"archive":false,"notify":null,\
        "retention":"none"\(settings)}
        """
    }

    /// Runs `body` in a fleet whose hub serves.
    nonisolated static func run(
        _ kiosks: [Kiosk] = [Kiosk()], hub: String = "", hubSettings: String = "",
        start: @escaping @DaemonActor @Sendable (EventLoop) async throws -> Broker = { try await Broker.start(on: $0) },
        _ body: @escaping @DaemonActor @Sendable (FleetStage) async throws -> Void
    ) async throws {
        try await LoopThread.shared.run { loop in
            let broker = try await start(loop)
            do {
                let url = broker.url()
                try await DaemonFixture.run(configuration: FleetStage.hub(url, fleet: hub, settings: hubSettings)) {
                    hub in
                    try await machines(kiosks[...], url, []) { machines in
                        let stage = FleetStage(loop, broker, hub, machines)
                        try await stage.serves()
                        try await body(stage)
                    }
                }
            } catch {
                try await broker.stop()
                throw error
            }
            try await broker.stop()
        }
    }

    private nonisolated static func machines(
        _ kiosks: ArraySlice<Kiosk>, _ url: String, _ made: [DaemonFixture],
        _ body: @escaping @DaemonActor @Sendable ([DaemonFixture]) async throws -> Void
    ) async throws {
        guard let kiosk = kiosks.first else { return try await body(made) }
        try await DaemonFixture.run(
            configuration: kiosk.text(url), surveys: kiosk.surveys, forms: kiosk.forms, reads: kiosk.reads
        ) { fixture in
            try await machines(kiosks.dropFirst(), url, made + [fixture], body)
        }
    }

    var machine: DaemonFixture { machines[0] }

    /// Waits until the hub serves.
    func serves() async throws {
        try await eventually("the hub serves") { hub.daemon.fleet.hub?.state == .serving }
    }

    /// Has the hub push a document.
    @discardableResult
    func push(_ text: String, _ kind: String = "surveys", group: String? = nil) async throws -> JSONValue {
        try await hub.connect().call("fleet.push", FleetStage.pushing(text, kind, group: group))
    }

    /// The params of `fleet.push`.
    nonisolated static func pushing(_ text: String, _ kind: String = "surveys", group: String? = nil) -> String {
        let json = JSONWriter.object { json in
            json.key("kind")
            json.string(kind)
            json.key("text")
            json.string(text)
            if let group {
                json.key("group")
                json.string(group)
            }
        }
        return String(decoding: json, as: UTF8.self)
    }

    /// Waits until all that machines have is at the hub, and on its disk.
    func settle(_ some: [DaemonFixture]? = nil) async throws {
        for machine in some ?? machines {
            try await eventually("all of a machine is at the hub") {
                // Until it has met the serving run of the hub, it believes the state of an earlier run.
                guard machine.daemon.ledger.isSettled, let member = machine.daemon.fleet.member,
                    member.state == .ready, member.course.hub?.run == hub.daemon.fleet.hub?.link.run,
                    let outlet = machine.daemon.delivery.outlet(named: "fleet")
                else { return false }
                // A breaker that is open waits by the made-up clock.
                if outlet.gate.breaker.state != .closed {
                    machine.clock.advance(seconds: 400)
                    outlet.gate.onOpen()
                }
                return outlet.couriers.allSatisfy { $0.pending == 0 && $0.isResting && !$0.hasReplays }
            }
        }
        try await eventually("the hub is at rest") { hub.daemon.ledger.isSettled && !hub.daemon.sweeper.isRunning }
    }

    /// Checks that the hub has a machine's log in the same order and byte for byte, except for the numbers.
    func compare(
        _ machine: DaemonFixture? = nil, as name: String = "kiosk-1", _ comment: Comment? = nil,
        where isWanted: (Record) -> Bool = FleetStage.isUsual, at place: SourceLocation = #_sourceLocation
    ) throws {
        let own = try (machine ?? self.machine).storedRecords().filter(isWanted).map {
            RecordCopy($0, number: $0.sequence)
        }
        let there = try hub.storedRecords().filter { $0.session.machine?.name == name }
        #expect(there.map { RecordCopy($0, number: $0.origin) } == own, comment, sourceLocation: place)
        #expect(!own.isEmpty, sourceLocation: place)
        #expect(there.map(\.sequence) == there.map(\.sequence).sorted(), sourceLocation: place)
    }

    /// All but what stays at a machine unless it is named.
    nonisolated static func isUsual(_ record: Record) -> Bool { record.kind != .form && record.kind != .profile }
}

/// A record, independent of its store.
struct RecordCopy: Equatable {
    let number: UInt64
    let id: Identifier
    let kind: Record.Kind
    let at: Timestamp
    let name: String
    let source: Source
    let properties: [UInt8]
    let session: String

    init(_ record: Record, number: UInt64) {
        (self.number, id, kind, at, name) = (number, record.id, record.kind, record.at, record.name)
        source = record.source
        properties = record.properties.bytes
        let session = record.session
        self.session = """
            \(session.machineSession ?? session.id) \(session.machineUID ?? session.scope.uid) \(session.scope.app) \(session.userId ?? "-") \
            \(session.startedAt.milliseconds) \(session.metadata.bytes) \(session.isImplicit) \(session.isForLogs)
            """
    }
}

extension DaemonFixture {
    func member() throws -> FleetMember { try #require(daemon.fleet.member) }

    /// Records some events, numbered.
    func record(_ name: String, _ count: Int = 1, from first: Int = 1, properties: String = "") async throws {
        let client = try connect()
        for number in first..<first + count {
            try await client.call("event.record", #"{"name":"\#(name)","properties":{"n":\#(number)\#(properties)}}"#)
        }
    }

    func fleetStatus(_ params: String = "{}") async throws -> JSONValue {
        try await asker().call("fleet.status", params)
    }

    /// Keeps a copy of the store, or restores it. Call it while no daemon runs.
    func keepState(_ name: String = "copy") throws {
        try? FileManager.default.removeItem(atPath: folder.path + "/" + name)
        try FileManager.default.copyItem(atPath: options.paths.state, toPath: folder.path + "/" + name)
    }

    func takeState(from path: String) throws {
        try FileManager.default.removeItem(atPath: options.paths.state)
        try FileManager.default.copyItem(atPath: path, toPath: options.paths.state)
    }

    func loseState() throws { try FileManager.default.removeItem(atPath: options.paths.state) }
}

/// Somebody at the broker who says what he likes.
@DaemonActor
final class Intruder {
    private(set) var client: MQTTClient!
    private(set) var messages: [MQTTClient.Message] = []
    private var granted = 0
    var onMessage: (MQTTClient.Message) -> Void = { _ in }

    init(_ stage: FleetStage, change: (inout MQTTClient.Options) -> Void = { _ in }) async throws {
        var options = MQTTClient.Options(
            address: try MQTTAddress(stage.broker.url()), clientId: "intruder-\(UInt32.random(in: 0 ... .max))")
        options.connectSeconds = 60
        change(&options)
        client = MQTTClient(loop: stage.loop, options: options) { [weak self] event in
            switch event {
            case .subscribed(let topics): self?.granted += topics.count
            case .message(let message):
                self?.messages.append(message)
                self?.onMessage(message)
            default: break
            }
        }
        client.start()
        try await eventually("the intruder is connected") { client.isConnected }
    }

    func listen(to topic: String) async throws {
        let before = granted
        client.subscribe([topic], qos: 1)
        try await eventually("it listens") { granted > before }
    }

    func say(_ topic: String, _ payload: [UInt8], retained: Bool = false) {
        #expect(client.publish(topic, payload, retained: retained, qos: 1))
    }

    /// Waits until the broker has passed on all that was said so far.
    func said() async throws {
        let topic = "intruder/\(UInt32.random(in: 0 ... .max))"
        try await listen(to: topic)
        say(topic, [1])
        try await eventually("all was said") { messages.contains { $0.topic == topic } }
    }
}
