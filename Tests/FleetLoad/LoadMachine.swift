import Glibc
import HarkDaemon
import HarkDelivery
import HarkFleet
import HarkHub
import HarkSystem
import HarkWire

/// A machine as the hub and the broker see it: its connection and its course are the daemon's own, its records are made
/// up, and what it should keep on a disk it forgets.
@DaemonActor
final class LoadMachine {
    typealias Mark = FleetAcknowledgement.Mark

    enum News {
        case connected
        case disconnected(String)
        case ready
        case taken
        case document([UInt8])
    }

    let name: String
    /// Nanoseconds from sending a batch to hearing that it is on the hub's disk.
    private(set) var waits: [UInt64] = []
    private(set) var sentBytes = 0

    private let topics: FleetTopics
    private let orders: Orders
    private let made: MadeUpLog
    private let tell: (LoadMachine, News) -> Void
    private let run: Identifier
    private var course: MachineCourse
    private var client: MQTTClient?
    private var timer: TimerSource?
    /// Where each batch is found again.
    private let places: [UInt64: Int]
    private var isAllowedToSend = false
    private var isReady = false
    private var parcel: ArraySlice<FleetEncoder.Batch> = []
    /// When those of the parcel were sent that are not acknowledged.
    private var sentAt: [UInt64: UInt64] = [:]
    private var documents: [FleetHello.Document] = []

    init(
        _ name: String, _ orders: Orders, loop: EventLoop, _ random: inout BlockRandom,
        tell: @escaping (LoadMachine, News) -> Void
    ) throws {
        self.name = name
        self.orders = orders
        self.tell = tell
        topics = FleetTopics(fleet: orders.fleet)
        made = try MadeUpLog(machine: name, records: orders.records, recordsOfBatch: orders.recordsOfBatch, &random)
        places = Dictionary(uniqueKeysWithValues: made.batches.enumerated().map { ($1.mark.sequence, $0) })
        run = Identifier(high: random.next(), low: random.next())
        course = MachineCourse(log: made.log)
        timer = try loop.timer(clock: .boottime, accuracyMicroseconds: 50_000) { [weak self] in
            self?.update { $0.timeIsUp() }
        }
        var options = MQTTClient.Options(
            address: try MQTTAddress(orders.broker), clientId: "hark-\(orders.fleet)-\(name)")
        options.authoritiesFile = orders.authority
        options.connectSeconds = 60
        options.maxPayloadBytes = 2 * FleetDocument.mostBytes
        var gone = FleetHello(log: made.log, run: run)
        gone.isGone = true
        options.will = MQTTClient.Message(topic: topics.hello(of: name), payload: gone.payload)
        client = MQTTClient(loop: loop, options: options) { [weak self] in self?.take($0) }
    }

    func start() { client?.start() }

    /// From here on it may send its records.
    func allow() {
        isAllowedToSend = true
        if isReady { handNext() }
    }

    /// It has the document now, and says so.
    func keep(_ document: FleetDocument) {
        documents = [FleetHello.Document(kind: document.kind, version: document.version, problem: nil)]
        if course.phase == .ready { sayHello(0) }
    }

    private func take(_ event: MQTTClient.Event) {
        switch event {
        case .connected:
            tell(self, .connected)
            update { $0.connected() }
            client?.subscribe(topics.subscriptions(of: name))
            client?.subscribe(topics.documents(for: "north"), qos: 1)
        case .disconnected(let failure):
            tell(self, .disconnected(failure.reason))
            update { $0.disconnected() }
        case .message(let message): take(message.topic, message.payload)
        case .refused(let topic, let reason): fail("\(name) is not let use \(topic): \(reason)")
        case .tooLong(let topic, let bytes): fail("\(name) may not send \(bytes) bytes to \(topic)")
        case .dropped(let topic, let reason): fail("\(name) did not get \(topic): \(reason)")
        case .subscribed, .confirmed, .drained: break
        }
    }

    private func take(_ topic: String, _ payload: [UInt8]) {
        switch topics.meaning(of: topic) {
        case .acknowledgement(name):
            guard let word = FleetAcknowledgement(payload: payload) else { return }
            note(word)
            update { $0.heard(word) }
        case .presence:
            guard let presence = FleetPresence(payload: payload) else { return }
            update { $0.met(presence) }
        case .document: tell(self, .document(payload))
        default: break
        }
    }

    private func note(_ word: FleetAcknowledgement) {
        guard word.kind == .taken, let sent = sentAt.removeValue(forKey: word.cursor) else { return }
        waits.append(now() - sent)
    }

    private func update(_ event: (inout MachineCourse) -> [MachineCourse.Action]) {
        course.dice = .random(in: 0...1)
        for action in event(&course) { perform(action) }
    }

    private func perform(_ action: MachineCourse.Action) {
        switch action {
        case .look: client?.subscribe([topics.presence(ofShard: topics.shard(of: name))])
        case .hello(let number): sayHello(number)
        case .send(let index, _):
            let batch = parcel[parcel.startIndex + index]
            sentAt[batch.mark.sequence] = now()
            sentBytes += batch.payload.count
            _ = client?.publish(topics.records(of: name), batch.payload)
        case .accepted, .failed:
            parcel = []
            sentAt = [:]
            // During an event, its actions are not complete yet.
            if isReady { DaemonActor.post { [self] in handNext() } }
        case .ready:
            isReady = true
            tell(self, .ready)
            if isAllowedToSend { DaemonActor.post { [self] in handNext() } }
        case .unready: isReady = false
        case .verify(let mark):
            let isOwn = places[mark.sequence].map { made.batches[$0].mark == mark } ?? false
            update { $0.verified(mark, isOwn: isOwn) }
        case .fork: fail("the hub takes the log of \(name) for another")
        case .arm(let milliseconds): timer?.arm(afterMicroseconds: UInt64(max(1, milliseconds)) * 1_000)
        case .disarm: timer?.disarm()
        }
    }

    private func handNext() {
        guard isReady, isAllowedToSend, parcel.isEmpty else { return }
        let next = course.position.flatMap { places[$0.sequence] }.map { $0 + 1 } ?? 0
        guard next < made.batches.count else { return tell(self, .taken) }
        let count = min(orders.batchesOfParcel, made.batches.count - next)
        parcel = made.batches[next..<next + count]
        let marks = parcel.map(\.mark)
        update { $0.handed(marks) }
    }

    private func sayHello(_ number: UInt64) {
        var hello = FleetHello(log: made.log, run: run)
        hello.number = number
        hello.group = "north"
        hello.cursor = course.position?.sequence ?? 0
        hello.newest = UInt64(orders.records)
        hello.pending = hello.newest - hello.cursor
        hello.version = "load"
        hello.documents = documents
        _ = client?.publish(topics.hello(of: name), hello.payload, qos: 1)
    }
}
