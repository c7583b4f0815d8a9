import HarkCore
import HarkDelivery
package import HarkFleet
package import HarkLedger
package import HarkServer
package import HarkSettings
import HarkStore
package import HarkSystem
package import HarkWire

/// The hub of a fleet: stores what machines send, and acknowledges it once it is on disk.
///
/// A batch is taken only if it continues at the machine's position, so the broker may lose or repeat messages. The new
/// position is stored in the same commit. Any other batch is answered with the current position.
@DaemonActor
package final class FleetHub {
    package let settings: FleetSettings
    package let topics: FleetTopics
    package let store: Identifier
    package let link: FleetLink
    /// The machines heard of, by log.
    package var peers: [FleetLogKey: FleetPeer] = [:]
    /// The number of records that broke a rule, since the start.
    package var refused = 0
    /// Which machines are connected while this hub serves, and since when the others are away.
    var attendance: FleetAttendance
    var awaySince: [String: Timestamp] = [:]
    var seenBefore: [String: Timestamp] = [:]
    var isAttending = false
    private(set) var bell: TimerSource?

    package let ledger: Ledger
    private let machines: MachineRecords
    package let documents: FleetPushes
    private(set) var bank: FleetBank?
    private let onClear: (ClearRequest) -> Void
    let onAttendance: (Attendance) -> Void
    /// Called for every message.
    private let onUse: () -> Void
    package private(set) var watch: FleetRivals
    package private(set) var timer: TimerSource?
    private lazy var intake = FleetIntake { [weak self] in await self?.take($0, of: $1) }
    private lazy var hellos = FleetHellos { [weak self] in self?.greet($0, $1) }
    /// The position of each log, as decided; invalid after an engine restart.
    private var places: [FleetLogKey: HubPlace] = [:]
    private var logs: [String: [Identifier]] = [:]
    private var restarts = 0
    /// The number of machine logs, as decided; nil until it is looked up.
    private var logCount: Int?
    /// Whether a new log was refused because the limit is reached.
    package private(set) var isFull = false
    package private(set) var isClosed = false
    /// New logs accepted since all was on disk. Each is much work, and clients wait for the commit that contains it.
    private var newcomers = 0
    private static let mostNewcomers = 24

    package init(
        _ settings: FleetSettings, store: Identifier, _ machines: MachineRecords, _ server: Server, loop: EventLoop,
        paths: Paths, documents: FleetPushes,
        onClear: @escaping (ClearRequest) -> Void, onAttendance: @escaping (Attendance) -> Void
    ) throws {
        self.settings = settings
        self.store = store
        topics = settings.topics
        ledger = server.ledger
        self.machines = machines
        self.documents = documents
        self.onClear = onClear
        self.onAttendance = onAttendance
        attendance = FleetAttendance(
            FleetAttendance.Terms(
                liveness: settings.livenessSeconds.map { Int64($0 * 1_000) },
                patience: Int64(settings.awaySeconds * 1_000)))
        onUse = { [weak server] in server?.onUse() }
        link = FleetLink(settings, clientName: "hub", loop: loop, paths: paths)
        watch = FleetRivals(store: store, run: link.run)
        timer = try loop.timer(clock: .boottime, accuracyMicroseconds: 100_000) { [weak self] in
            guard let self else { return }
            perform(watch.timeIsUp())
        }
        bank = try makeBank(loop)
        bell = try loop.timer(clock: .boottime, accuracyMicroseconds: 100_000) { [weak self] in
            guard let self else { return }
            perform(attendance.timeIsUp(at: FleetHub.now))
        }
    }

    /// The shards that this hub serves.
    var shards: [Int] { settings.serves ?? Array(0..<settings.shards) }

    package var presence: FleetPresence { FleetPresence(store: store, run: link.run, isUp: true) }

    package func start() {
        link.onEvent = { [weak self] in self?.take($0) }
        // A connection has one last will; `FleetRivals` tells the other shards when another hub takes them.
        var gone = presence
        gone.isUp = false
        link.start(
            will: MQTTClient.Message(
                topic: topics.presence(ofShard: shards[0]), payload: gone.payload, isRetained: true))
    }

    package func close() {
        isClosed = true
        if watch.isServing { announce(isUp: false) }
        link.close()
        timer?.cancel()
        timer = nil
        bell?.cancel()
        bell = nil
        intake.close()
        bank?.close()
    }

    private func take(_ event: FleetLink.Event) {
        onUse()
        switch event {
        case .connected:
            perform(watch.connected())
            link.subscribe(topics.subscriptions(ofHubOf: shards) + [topics.acknowledgements(to: probeName)])
            // With QoS 1, all hubs receive presence messages in the same order, from NATS too.
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

    /// The position of a machine's log, as decided.
    private func place(_ key: FleetLogKey) throws(WireError) -> HubPlace {
        recall()
        if let place = places[key] { return place }
        let known = try ledger.lookUp { reader throws(StoreError) in try reader.fleetPlaces(of: key.machine) }
        // A mere hello is not remembered: anybody can send any number.
        guard !known.isEmpty || logs[key.machine] != nil else { return HubPlace() }
        // The first batch of another log may still be on its way to the disk.
        let decided = logs[key.machine, default: []].filter { log in !known.contains { $0.log == log } }
        logs[key.machine] = known.map(\.log) + decided
        guard let stored = known.first(where: { $0.log == key.log }) else { return HubPlace() }
        let place = HubPlace(FleetAcknowledgement.Mark(sequence: stored.sequence, id: stored.id))
        // Positions that are not stored yet cannot be looked up, so the cache is cleared only when all is on disk.
        if places.count >= FleetHub.mostPlaces, ledger.isSettled { places = [:] }
        places[key] = place
        return place
    }

    private static let mostPlaces = 100_000

    /// The name under which records of a log are stored: the machine's own name for its first log, and a numbered one
    /// for later logs, as after a new disk. Records of several disks with one name are never mixed.
    private func name(_ key: FleetLogKey) -> String {
        var known = logs[key.machine] ?? []
        if !known.contains(key.log) {
            known.append(key.log)
            logs[key.machine] = known
        }
        return FleetHub.name(key.machine, number: known.firstIndex(of: key.log) ?? 0)
    }

    private func greet(_ machine: String, _ hello: FleetHello) {
        guard watch.isServing else { return }
        let key = FleetLogKey(machine: machine, log: hello.log)
        do throws(WireError) {
            let place = try place(key)
            if !hello.isProbe {
                note(key, hello, isKnown: place.mark != nil)
                if !hello.isGone, peers[key] != nil { bank?.heard(key, hello, isKnown: place.mark != nil) }
            }
            guard !hello.isGone, hello.number > 0 else { return }
            try answer(.welcome, key, place.mark, hello: hello.number)
        } catch {
            Log.warning("fleet: \(machine) is not answered: \(error.message)")
        }
    }

    /// Answers with this hub's position once that is on disk.
    private func answer(
        _ kind: FleetAcknowledgement.Kind, _ key: FleetLogKey, _ mark: FleetAcknowledgement.Mark?, hello: UInt64 = 0
    ) throws(WireError) {
        try ledger.decide { _, _, _ in }.then { [weak self] result in
            if case .success = result { self?.say(kind, key, mark, hello: hello) }
        }
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
            // The machine sends the batch again.
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
            // Another log of the same machine may contain some of these, as after its disk was set back.
            skippingKnown: name != key.machine
        ) { () throws(WireError) in
            // The position may be invalid by now.
            guard age == self.ledger.restarts else {
                throw WireError(.storeUnavailable, "the store has refused what came before")
            }
            // The hub that replaced this one relies on earlier decisions.
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

    /// Whether the log is known, or there is room for another.
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
