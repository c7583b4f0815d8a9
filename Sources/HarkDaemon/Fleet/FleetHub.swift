import HarkCore
import HarkDelivery
import HarkFleet
import HarkStore
import HarkSystem
import HarkWire

/// The hub of a fleet: takes what machines send into this store, and tells each how far it has come once that is on disk.
///
/// Whatever a broker does with the messages in between, a batch is taken if it goes on where the log of its machine was taken up
/// to, in one commit with the place where it goes on from then; all else is answered with that place.
@DaemonActor
final class FleetHub {
    let settings: FleetSettings
    let topics: FleetTopics
    let store: Identifier
    let link: FleetLink
    /// Who is there, as far as it was heard of.
    var peers: [FleetLogKey: FleetPeer] = [:]
    /// Records that broke a rule, since the start.
    var refused = 0
    /// Which machines are there, while this hub serves, and since when those are away that are not.
    var attendance: FleetAttendance
    var awaySince: [String: Timestamp] = [:]
    var seenBefore: [String: Timestamp] = [:]
    var isAttending = false
    private(set) var bell: TimerSource?

    let ledger: Ledger
    private let machines: MachineRecords
    let documents: FleetPushes
    private let onClear: (ClearRequest) -> Void
    let onAttendance: (Attendance) -> Void
    /// Called with all that comes.
    private let onUse: () -> Void
    private(set) var watch: FleetRivals
    private(set) var timer: TimerSource?
    private lazy var intake = FleetIntake { [weak self] in await self?.take($0, of: $1) }
    private lazy var hellos = FleetHellos { [weak self] in self?.greet($0, $1) }
    /// How far it has come, as decided; worth nothing once the engine has started again.
    private var places: [FleetLogKey: HubPlace] = [:]
    private var logs: [String: [Identifier]] = [:]
    private var restarts = 0
    /// How many logs of machines there are, as decided; nil until it was looked up.
    private var logCount: Int?
    /// Another was not taken, as there are as many as there may be.
    private(set) var isFull = false
    private(set) var isClosed = false
    /// New logs that were taken since all was on disk. Clients wait for the commit they are in, and each is much work.
    private var newcomers = 0
    private static let mostNewcomers = 24

    init(
        _ settings: FleetSettings, store: Identifier, daemon: Daemon, documents: FleetPushes,
        onClear: @escaping (ClearRequest) -> Void, onAttendance: @escaping (Attendance) -> Void
    ) throws {
        self.settings = settings
        self.store = store
        topics = settings.topics
        ledger = daemon.ledger
        machines = daemon.machines
        self.documents = documents
        self.onClear = onClear
        self.onAttendance = onAttendance
        attendance = FleetAttendance(
            FleetAttendance.Terms(
                liveness: settings.livenessSeconds.map { Int64($0 * 1_000) },
                patience: Int64(settings.awaySeconds * 1_000)))
        onUse = { [weak daemon] in daemon?.server.onUse() }
        link = FleetLink(settings, clientName: "hub", loop: daemon.loop, paths: daemon.options.paths)
        watch = FleetRivals(store: store, run: link.run)
        timer = try daemon.loop.timer(clock: .boottime, accuracyMicroseconds: 100_000) { [weak self] in
            guard let self else { return }
            perform(watch.timeIsUp())
        }
        bell = try daemon.loop.timer(clock: .boottime, accuracyMicroseconds: 100_000) { [weak self] in
            guard let self else { return }
            perform(attendance.timeIsUp(at: FleetHub.now))
        }
    }

    /// The shards it serves.
    var shards: [Int] { settings.serves ?? Array(0..<settings.shards) }

    var presence: FleetPresence { FleetPresence(store: store, run: link.run, isUp: true) }

    func start() {
        link.onEvent = { [weak self] in self?.take($0) }
        // One message is the last will; the other shards are told by `FleetRivals` of whoever takes them.
        var gone = presence
        gone.isUp = false
        link.start(
            will: MQTTClient.Message(
                topic: topics.presence(ofShard: shards[0]), payload: gone.payload, isRetained: true))
    }

    func close() {
        isClosed = true
        if watch.isServing { announce(isUp: false) }
        link.close()
        timer?.cancel()
        timer = nil
        bell?.cancel()
        bell = nil
        intake.close()
    }

    private func take(_ event: FleetLink.Event) {
        onUse()
        switch event {
        case .connected:
            perform(watch.connected())
            link.subscribe(topics.subscriptions(ofHubOf: shards) + [topics.acknowledgements(to: probeName)])
            // With a confirmation, all hubs hear in the same order who serves, also from NATS.
            link.subscribe(shards.map { topics.presence(ofShard: $0) }, qos: 1)
        case .disconnected: perform(watch.disconnected())
        case .subscribed: break
        case .tooLong(let topic, let bytes): link.complain(of: topic, bytes)
        case .message(let topic, let payload): take(topic, payload)
        }
    }

    private func take(_ topic: String, _ payload: [UInt8]) {
        switch topics.meaning(of: topic) {
        case .records(let machine, _) where watch.isServing: intake.add(payload, of: machine)
        case .hello(let machine, _) where watch.isServing && machine != probeName: hellos.add(payload, of: machine)
        case .presence:
            guard let presence = FleetPresence(payload: payload) else { return }
            perform(watch.met(presence))
        case .acknowledgement(probeName):
            guard let word = FleetAcknowledgement(payload: payload) else { return }
            perform(watch.heard(word))
        default: break
        }
    }

    // MARK: Machines

    private func recall() {
        guard restarts != ledger.restarts else { return }
        restarts = ledger.restarts
        places = [:]
        logs = [:]
        logCount = nil
    }

    /// Where the log of a machine stands, as decided.
    private func place(_ key: FleetLogKey) throws(WireError) -> HubPlace {
        recall()
        if let place = places[key] { return place }
        let known = try ledger.lookUp { reader throws(StoreError) in try reader.fleetPlaces(of: key.machine) }
        // Nothing is remembered of what anybody says hello with, or there would be no end to it.
        guard !known.isEmpty || logs[key.machine] != nil else { return HubPlace() }
        // The first batch of another log may be on its way to the disk.
        let decided = logs[key.machine, default: []].filter { log in !known.contains { $0.log == log } }
        logs[key.machine] = known.map(\.log) + decided
        guard let stored = known.first(where: { $0.log == key.log }) else { return HubPlace() }
        let place = HubPlace(FleetAcknowledgement.Mark(sequence: stored.sequence, id: stored.id))
        // What is on its way to the disk cannot be looked up.
        if places.count >= FleetHub.mostPlaces, ledger.isSettled { places = [:] }
        places[key] = place
        return place
    }

    private static let mostPlaces = 100_000

    /// The name under which records of a log are kept: the machine's own for its first log, and one beside it for others, as after
    /// a new disk. What several disks brought under one name is never mixed up.
    private func name(_ key: FleetLogKey) -> String {
        var known = logs[key.machine] ?? []
        if !known.contains(key.log) {
            known.append(key.log)
            logs[key.machine] = known
        }
        return FleetHub.name(key.machine, number: known.firstIndex(of: key.log) ?? 0)
    }

    /// - Parameter number: from 0 on, in the order in which the logs of the machine came up.
    static func name(_ machine: String, number: Int) -> String { number == 0 ? machine : "\(machine)~\(number + 1)" }

    private func greet(_ machine: String, _ hello: FleetHello) {
        guard watch.isServing else { return }
        let key = FleetLogKey(machine: machine, log: hello.log)
        do throws(WireError) {
            let place = try place(key)
            if !hello.isProbe { note(key, hello, isKnown: place.mark != nil) }
            guard !hello.isGone, hello.number > 0 else { return }
            try answer(.welcome, key, place.mark, hello: hello.number)
        } catch {
            Log.warning("fleet: \(machine) is not answered: \(error.message)")
        }
    }

    /// Says how far this hub has come, once that is on disk.
    private func answer(
        _ kind: FleetAcknowledgement.Kind, _ key: FleetLogKey, _ mark: FleetAcknowledgement.Mark?, hello: UInt64 = 0
    ) throws(WireError) {
        try ledger.decide { _, _, _ in }.then { [weak self] result in
            if case .success = result { self?.say(kind, key, mark, hello: hello) }
        }
    }

    func say(
        _ kind: FleetAcknowledgement.Kind, _ key: FleetLogKey, _ mark: FleetAcknowledgement.Mark?, hello: UInt64 = 0
    ) {
        guard watch.isServing else { return }
        let word = FleetAcknowledgement(kind, store: store, run: link.run, log: key.log, mark: mark, hello: hello)
        link.publish(topics.acknowledgements(to: key.machine), word.payload)
    }

    private func take(_ content: FleetDecoder.Content, of machine: String) async {
        let key = FleetLogKey(machine: machine, log: content.head.log)
        do throws(WireError) {
            if newcomers >= FleetHub.mostNewcomers {
                newcomers = 0
                try await ledger.settle()
            }
            let place = try place(key)
            note(key, content, isKnown: place.mark != nil)
            switch place.judge(content.head, idAt: content.id) {
            case .known: try answer(.taken, key, place.mark)
            case .gap: try answer(.gap, key, place.mark)
            case .conflict: try answer(.conflict, key, place.mark)
            case .take: try await take(content, key, after: place)
            }
        } catch {
            // The machine sends it again.
            Log.warning("fleet: records of \(machine) could not be taken: \(error.message)")
        }
    }

    private func take(_ content: FleetDecoder.Content, _ key: FleetLogKey, after place: HubPlace)
        async throws(WireError)
    {
        guard try hasRoom(for: place) else { return }
        let cursor = place.mark?.sequence ?? 0
        let records = content.records.filter { $0.origin > cursor }
        let last = content.head.last
        let name = name(key)
        let machine = try await machines.machine(named: name, group: content.head.group, log: key.log)
        let row = FleetPlaceRow(
            FleetPlace(
                machine: key.machine, log: key.log, sequence: last.sequence, id: last.id,
                at: records.last?.at ?? ledger.now, takenAt: ledger.now
            ))
        let age = restarts
        let decided = try await machines.take(
            content.sessions, records, of: machine,
            // Another log of the same machine may have some of them, as after its disk was set back.
            skippingKnown: name != key.machine
        ) { () throws(WireError) in
            // What was judged by may have been taken back meanwhile.
            guard age == self.ledger.restarts else {
                throw WireError(.storeUnavailable, "the store has refused what came before")
            }
            // The one that is there instead goes by what was decided before it began.
            guard !self.isClosed else { throw WireError(.shuttingDown, "this hub has ended") }
            return [row]
        }
        try decided.note { taken in
            places[key] = HubPlace(last)
            if place.mark == nil { (logCount, newcomers) = (logCount.map { $0 + 1 }, newcomers + 1) }
            if content.unreadable > 0 {
                refused += content.unreadable
                Log.warning("fleet: \(content.unreadable) records of \(name) cannot be read and were left out")
            }
            guard !taken.refused.isEmpty else { return }
            refused += taken.refused.count
            Log.warning(
                "fleet: \(taken.refused.count) records of \(name) break a rule and were left out; the first is "
                    + "\(taken.refused[0].origin): \(taken.refused[0].reason.message)")
        }
        decided.then { [weak self] result in
            guard let self, case .success = result else { return }
            say(.taken, key, last)
            if place.mark == nil { note(key, content, isKnown: true) }
            for record in records where record.kind == .clear {
                onClear(ClearRequest(machine: machine, record: record))
            }
        }
    }

    /// Whether another log may be kept, or it is one that is.
    private func hasRoom(for place: HubPlace) throws(WireError) -> Bool {
        guard place.mark == nil else { return true }
        let count: Int
        if let logCount {
            count = logCount
        } else {
            count = try ledger.lookUp { reader throws(StoreError) in try reader.fleetPlaceCount() }
            logCount = count
        }
        guard count >= settings.mostMachines else { return true }
        if !isFull { Log.warning("fleet: \(FleetHub.full(settings))") }
        isFull = true
        return false
    }
}
