package import HarkCore
package import HarkDelivery
package import HarkFleet
package import HarkLedger
package import HarkSettings
import HarkStore
package import HarkSystem
package import HarkWire

/// The destination that sends a machine's records to the hub, and receives the hub's messages.
///
/// `MachineCourse` decides what to send and believe; this class exchanges the messages. A parcel of the courier is sent
/// in several batches, and is accepted once the hub has confirmed that all of them are on its disk.
@DaemonActor
package final class FleetMember: Destination {
    package nonisolated let name: String
    package nonisolated let kind = DestinationSettings.Kind.fleet.rawValue
    package nonisolated let batch: BatchLimits
    /// The hub has its own policy for clears; it learns of them by a record.
    package nonisolated let forgetsWhatItHas = false

    package let settings: FleetSettings
    package let machine: String
    package let topics: FleetTopics
    /// Called when the hub has sent a document, which is unchecked.
    package var onDocument: ([UInt8], FleetDocument.Kind, _ group: String?) -> Void = { _, _, _ in }
    /// Called for every message.
    package var onUse: () -> Void = {}
    /// Called when the hub welcomes this machine, with whether it deals credits; when this machine may report its
    /// credits; and when the hub sends credits.
    var onWelcome: (_ dealsCredits: Bool) -> Void = { _ in }
    var onReady: () -> Void = {}
    var onCredits: (FleetCreditWord) -> Void = { _ in }
    /// The documents in force, to report to the hub.
    package var documents: () -> [FleetHello.Document] = { [] }

    package let ledger: Ledger
    private let reader: DeliveryReader
    package let paths: Paths
    package let link: FleetLink
    private let beginning: Decided<Identifier>
    package private(set) var course: MachineCourse
    private var isClosed = false
    private var timer: TimerSource?
    // The courier retains its destination, so these references are released at the end.
    package private(set) var courier: Courier?
    private var gate: DeliveryGate?
    private var parcel: Parcel?
    package private(set) var acknowledgedAt: Timestamp?
    package var notes: [String] = []
    private var isNetworkThere = true
    /// The number of pending rewinds of the courier. Records that it reads until then lie behind the hub's position.
    private(set) var rewinds = 0
    /// Whether a hello timed out.
    private(set) var isUnanswered = false
    /// Whether records timed out.
    private(set) var isUnacknowledged = false

    private struct Parcel {
        let batches: [FleetEncoder.Batch]
        let outcome: CheckedContinuation<DeliveryOutcome, Never>
    }

    /// - Parameter log: The log's id in the store.
    package init(
        _ destination: DestinationSettings, _ settings: FleetSettings, log: Decided<Identifier>, ledger: Ledger,
        loop: EventLoop,
        paths: Paths, reader: DeliveryReader
    ) throws {
        name = destination.name
        batch = destination.batch
        self.settings = settings
        self.ledger = ledger
        self.reader = reader
        self.paths = paths
        topics = settings.topics
        machine = try settings.machine ?? MachineId.read()
        var terms = MachineCourse.Terms()
        terms.patience = Int64(settings.acknowledgeSeconds * 1_000)
        terms.longestPatience = max(terms.patience, terms.longestPatience)
        beginning = log
        var id = Identifier(high: 0, low: 0)
        try log.note { id = $0 }
        course = MachineCourse(log: id, terms)
        link = FleetLink(settings, clientName: machine, loop: loop, paths: paths)
        timer = try loop.timer(clock: .boottime, accuracyMicroseconds: 50_000) { [weak self] in
            self?.timeIsUp()
        }
    }

    /// Starts, and connects to the broker.
    package func start(_ courier: Courier, _ gate: DeliveryGate) {
        self.courier = courier
        self.gate = gate
        gate.isOnline = false
        link.onEvent = { [weak self] event in self?.take(event) }
        beginning.then { [weak self] result in
            guard let self, !isClosed else { return }
            switch result {
            case .success: link.start(will: willMessage)
            // A restart or other settings try again.
            case .failure(let error): Log.error("fleet: the log's id could not be stored: \(error.message)")
            }
        }
    }

    /// Ends; unacknowledged records are sent again by the next member.
    package func close() {
        isClosed = true
        link.onEvent = { _ in }
        if link.isConnected { link.publish(topics.hello(of: machine), goneHello.payload, qos: 1) }
        link.close()
        timer?.cancel()
        timer = nil
        update { $0.disconnected() }
        courier = nil
        gate = nil
    }

    package func networkChanged(isOnline: Bool) {
        defer { isNetworkThere = isOnline }
        if isOnline, !isNetworkThere { link.networkReturned() }
    }

    // MARK: Records

    package func deliver(_ records: ArraySlice<Record>, before next: ArraySlice<Record>) async -> DeliveryOutcome {
        guard isOpen else { return .failed(DeliveryFailure(.unreachable, problem ?? FleetMember.away)) }
        let position = course.position
        let wanted = records.filter { $0.sequence > position?.sequence ?? 0 }
        guard !records.contains(where: { $0.sequence <= position?.sequence ?? 0 && isDoneWith($0) }) else {
            let reason = "the hub has later records of this log, and takes them in order only"
            return .failed(DeliveryFailure(records.count > 1 ? .tooLarge : .unsendable, reason))
        }
        // The hub has acknowledged all of them.
        guard !wanted.isEmpty else { return .accepted }
        let encoder = FleetEncoder(
            machine: machine, group: settings.group, log: course.log,
            mostBytes: min(settings.destination.batchBytes, link.mostBytes))
        let pending = courier?.pending.map { max(0, $0 - records.count) }
        let batches: [FleetEncoder.Batch]
        do throws(FleetEncoder.TooLong) {
            batches = try await reader.work { () throws(FleetEncoder.TooLong) in
                try encoder.batches(of: wanted, after: position, pending: pending)
            }
        } catch {
            let reason = "a batch of \(error.bytes) bytes is longer than brokers take"
            return .failed(DeliveryFailure(records.count > 1 ? .tooLarge : .unsendable, reason))
        }
        for batch in batches where batch.count == 1 {
            guard let fault = link.fault(ofBytes: batch.payload.count) else { continue }
            return .failed(DeliveryFailure(records.count > 1 ? .tooLarge : .unsendable, fault))
        }
        guard isOpen, course.position == position, course.log == encoder.log, parcel == nil else {
            return .failed(DeliveryFailure(.unreachable, FleetMember.interrupted))
        }
        return await withCheckedContinuation { outcome in
            parcel = Parcel(batches: batches, outcome: outcome)
            update { $0.handed(batches.map(\.mark)) }
        }
    }

    /// Whether the record was left out before and is now retried.
    private func isDoneWith(_ record: Record) -> Bool {
        guard let progress = courier?.progress else { return false }
        return record.sequence <= progress.cursor || progress.done.contains(record.sequence)
    }

    /// Whether the courier's records continue at the hub's position.
    private var isOpen: Bool { course.phase == .ready && rewinds == 0 }

    package func forget(_ session: SessionIdentity) async -> String? { nil }

    private static let away = "the hub has not said that it is there"
    private static let interrupted = "the hub is asked again how far it has the log"

    // MARK: Messages and timers

    private func take(_ event: FleetLink.Event) {
        onUse()
        switch event {
        case .connected:
            update { $0.connected() }
            link.subscribe(topics.subscriptions(of: machine))
            link.subscribe(topics.documents(for: settings.group), qos: 1)
        case .disconnected: update { $0.disconnected() }
        case .tooLong(topics.records(of: machine), _): update { $0.tooLong() }
        case .tooLong(let topic, let bytes): link.complain(of: topic, bytes)
        case .subscribed: break
        case .message(let topic, let payload): take(topic, payload)
        }
    }

    private func take(_ topic: String, _ payload: [UInt8]) {
        switch topics.meaning(of: topic) {
        case .acknowledgement(machine):
            guard let word = FleetAcknowledgement(payload: payload) else { return hear(payload) }
            if word.kind == .ping, word.run == course.hub?.run { return sayHello(0) }
            if word.kind == .welcome, word.run == course.hub?.run { onWelcome(word.dealsCredits) }
            update { $0.heard(word) }
        case .presence(topics.shard(of: machine)):
            guard let presence = FleetPresence(payload: payload) else { return }
            update { $0.met(presence) }
        case .document(let kind, let group) where group == nil || group == settings.group:
            onDocument(payload, kind, group)
        default: break
        }
    }

    private func timeIsUp() {
        if course.phase == .greeting { isUnanswered = true }
        update { $0.timeIsUp() }
    }

    package func update(_ event: (inout MachineCourse) -> [MachineCourse.Action]) {
        course.durable = courier?.progress.cursor ?? 0
        course.dice = .random(in: 0...1)
        for action in event(&course) { perform(action) }
    }

    private func perform(_ action: MachineCourse.Action) {
        switch action {
        case .look: link.subscribe([topics.presence(ofShard: topics.shard(of: machine))])
        case .hello(let number): sayHello(number)
        case .send(let index, _):
            guard let parcel, parcel.batches.indices.contains(index) else { return }
            // With QoS 1, the broker reports what it rejects.
            let payload = parcel.batches[index].payload
            let isDoubtful = isUnacknowledged && index == 0 || payload.count > link.limit.longestPassedNow
            link.send(topics.records(of: machine), payload, qos: isDoubtful ? 1 : 0)
        case .accepted:
            isUnacknowledged = false
            link.passed(parcel?.batches.map(\.payload.count).max() ?? 0)
            acknowledgedAt = ledger.now
            end(.accepted)
        case .failed(let failure):
            if failure == .unanswered {
                if isUnacknowledged { link.unanswered() }
                isUnacknowledged = true
            }
            end(.failed(FleetMember.reason(of: failure)))
        case .ready(let cursor, let isRewinding):
            isUnanswered = false
            begin(at: cursor, isRewinding: isRewinding)
            onReady()
        case .unready: gate?.isOnline = false
        case .verify(let mark): verify(mark)
        case .fork: fork()
        case .arm(let milliseconds): timer?.arm(afterMicroseconds: UInt64(max(1, milliseconds)) * 1_000)
        case .disarm: timer?.disarm()
        }
    }

    private static func reason(of failure: MachineCourse.Failure) -> DeliveryFailure {
        switch failure {
        case .away: DeliveryFailure(.unreachable, "the broker or the hub is away")
        case .unanswered: DeliveryFailure(.unreachable, "the hub did not acknowledge in time")
        case .interrupted: DeliveryFailure(.unreachable, interrupted)
        case .tooLong: DeliveryFailure(.unreachable, "the broker takes no messages as long, and shorter ones are tried")
        }
    }

    private func end(_ outcome: DeliveryOutcome) {
        guard let parcel else { return }
        self.parcel = nil
        parcel.outcome.resume(returning: outcome)
    }

    /// Reports changes to the hub, which need not answer.
    func tellState() {
        // Even while a hello is unanswered, because the state in it is out of date by now.
        if course.hub != nil { sayHello(0) }
    }

    private func begin(at cursor: UInt64, isRewinding: Bool) {
        guard isRewinding, let courier else {
            gate?.isOnline = true
            return
        }
        Log.notice("fleet: the hub has records up to \(cursor); what lies behind is sent again")
        rewinds += 1
        DaemonActor.task { [self] in
            let isStored = await courier.rewind(to: cursor)
            rewinds -= 1
            // A message may have changed the phase meanwhile.
            guard course.phase == .ready, rewinds == 0 else { return }
            if isStored {
                gate?.isOnline = true
                gate?.hurry()
            } else {
                // Starts over: asks for the hub's position again, and then rewinds.
                update { $0.disconnected() + $0.connected() }
            }
        }
    }
}
