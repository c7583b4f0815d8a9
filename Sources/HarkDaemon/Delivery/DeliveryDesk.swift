import HarkCore
import HarkDelivery
import HarkHub
import HarkLedger
import HarkSettings
import HarkStore
import HarkSystem
import HarkWire

/// Manages everything that leaves the log: makes the outlets of the configuration, tells them what was committed, and
/// keeps their accounts.
@DaemonActor
final class DeliveryDesk: ConfiguredDesk {
    let ledger: Ledger
    let loop: EventLoop
    let paths: Paths
    let reader: DeliveryReader
    let archive: Outlet
    private(set) var servers: [Outlet] = []
    /// Outlets that are no longer configured and whose last pass is not over.
    private var leaving: [Outlet] = []
    /// How often destinations were configured, and up to which of them all are in place.
    private var configured = 0
    private var placed = 0
    /// The last configuration's way into force.
    private var placing: Task<Void, Never>?
    private var hasBegun = false
    /// Destinations that there were since the start: a suspension until the next one outlives their settings.
    var namesOfThisRun: Set<String> = []
    private var isStopped = false
    /// The device's id on disk, which is what may leave the machine.
    let deviceName = DeviceName()
    /// The id of the store in databases, once there is one.
    var sinkIdentity: SinkIdentity?
    /// Whether the network is there, as far as this machine knows.
    var isOnline = true {
        didSet { for outlet in servers { outlet.networkChanged(isOnline: isOnline) } }
    }

    func networkChanged(_ path: NetworkPath) { isOnline = path.isSatisfied }

    init(
        ledger: Ledger, loop: EventLoop, paths: Paths, _ destination: ArchiveDestination, _ configuration: Configuration
    ) throws {
        self.ledger = ledger
        self.loop = loop
        self.paths = paths
        reader = DeliveryReader(try ledger.store.makeReader())
        let gate = try DeliveryGate(name: destination.name, policy: .local, loop: loop, clock: ledger.clock)
        let known = try ledger.lookUp { reader throws(StoreError) in try reader.destination(destination.name) }
        archive = Outlet(
            destination, gate: gate,
            couriers: [
                try Courier(
                    destination, lane: ArchiveDestination.lane, gate: gate, isOn: configuration.archive,
                    progress: LaneProgress(cursor: known?.cursor ?? 0, packed: known?.state ?? .none),
                    newest: ledger.committedSequence, reader: reader, loop: loop,
                    commit: { [ledger] in await DeliveryDesk.keep($0, of: "archive", letters: 0, in: ledger) })
            ])
        deviceName.set(try ledger.stored { reader throws(StoreError) in try reader.meta(Engine.deviceIdKey) })
        for settings in configuration.allDestinations { servers.append(try makeServer(settings)) }
    }

    var outlets: [Outlet] { [archive] + servers + leaving }
    var couriers: [Courier] { outlets.flatMap(\.couriers) }

    /// The machine's end of its fleet, where it is in one.
    var fleetMember: FleetMember? { servers.lazy.compactMap { $0.destination as? FleetMember }.first }
    /// Called with each that is about to begin.
    var onFleetMember: (FleetMember) -> Void = { _ in }

    func outlet(named name: String) -> Outlet? { outlets.first { $0.name == name } }

    /// The courier whose server is asked to confirm log entries.
    func courier(forLogsOf level: LogEntry.Level, named name: String?) -> Courier? {
        let candidates = (servers + leaving).filter { name == nil || $0.name == name }
        let sorted = candidates.filter { $0.settings?.kind == .sensorcore } + candidates
        return sorted.lazy.flatMap(\.couriers).first {
            $0.isOn && $0.lane.filter.kinds.contains(.log) && $0.lane.filter.leastGravity <= level.gravity
        }
    }

    /// The names of the destinations that log entries of a level go to.
    func destinations(forLogsOf level: LogEntry.Level) -> [String] {
        var names: [String] = []
        for outlet in servers + leaving where !names.contains(outlet.name) {
            let takes = outlet.couriers.contains {
                $0.isOn && $0.lane.filter.kinds.contains(.log) && $0.lane.filter.leastGravity <= level.gravity
            }
            if takes { names.append(outlet.name) }
        }
        return names
    }

    /// The user of log entries that name none.
    var defaultUserId: String? { servers.lazy.compactMap { $0.settings?.defaultUserId }.first }

    func deadLetterCounts() throws(WireError) -> [String: Int] {
        try ledger.lookUp { reader throws(StoreError) in try reader.deadLetterCounts() }
    }

    /// Whether the destinations are those of the configuration.
    var isInPlace: Bool { placed == configured }

    /// Waits until they are: for as long as a request under way may hold them up.
    func comeIntoPlace() async {
        while !isInPlace, !isStopped, let placing { await placing.value }
    }

    // MARK: What comes and goes

    /// Where lanes begin is in the store from then on, though it may have refused that at first.
    func begin() throws {
        if !hasBegun {
            hasBegun = true
            for outlet in outlets { begin(outlet) }
        }
        // After a refusal of the store, only the store says what it holds.
        for courier in couriers { courier.forgetArrivals() }
        try nameDevice()
        for courier in outlets.flatMap(\.couriers) where try !isKept(courier) {
            DaemonActor.task { _ = await courier.keep() }
        }
    }

    private func begin(_ outlet: Outlet) {
        if let member = outlet.destination as? FleetMember { onFleetMember(member) }
        outlet.begin()
    }

    func follow(_ changes: Stored<Changes>, _ report: CommitReport) {
        followDeviceId(changes)
        guard !changes.value.records.isEmpty else { return }
        let arrivals = Arrivals(changes.value.records)
        for outlet in [archive] + servers {
            for courier in outlet.couriers { courier.notice(arrivals, newest: ledger.committedSequence) }
        }
    }

    /// Puts a configuration in force. An unchanged destination goes on as it is. A changed one continues where it was,
    /// once what is under way is over.
    func configure(_ configuration: Configuration) {
        // It was made as the settings were at the start.
        guard hasBegun else { return }
        for courier in archive.couriers { DaemonActor.task { await courier.turn(on: configuration.archive) } }
        let wanted = configuration.allDestinations
        for outlet in servers where !wanted.contains(where: { $0 == outlet.settings }) || hasChangedSecrets(outlet) {
            outlet.stop()
            leaving.append(outlet)
        }
        servers.removeAll { outlet in leaving.contains { $0 === outlet } }
        configured += 1
        let turn = configured
        // Looked at now: the turn of a configuration before may let go of them without putting others in their place.
        let changed = Set(leaving.map(\.name))
        placing = DaemonActor.task { [self] in
            await settleLeaving()
            // A configuration that came meanwhile has its own turn.
            guard !isStopped, turn == configured else { return }
            placed = turn
            defer { sort(as: wanted) }
            for settings in wanted where !servers.contains(where: { $0.settings == settings }) {
                do {
                    let outlet = try makeServer(settings)
                    servers.append(outlet)
                    // It may wait for the thing that was changed.
                    if changed.contains(outlet.name) { outlet.gate.hurry() }
                    if hasBegun { begin(outlet) }
                } catch {
                    Log.error("destination \(settings.name) cannot be used: \(error)")
                }
            }
        }
    }

    /// The order of the configuration decides who is asked first.
    private func sort(as wanted: [DestinationSettings]) {
        let places = Dictionary(wanted.enumerated().map { ($1.name, $0) }, uniquingKeysWith: min)
        servers.sort { (places[$0.name] ?? 0) < (places[$1.name] ?? 0) }
    }

    /// A key may have been put in place, or replaced, since it was read.
    private func hasChangedSecrets(_ outlet: Outlet) -> Bool {
        guard let settings = outlet.settings, let server = outlet.destination as? ServerDestination else {
            // A database is given its password with each connection.
            return false
        }
        let (fresh, old) = (connection(settings), server.settings)
        return fresh.headers != old.headers || fresh.problem != old.problem
    }

    /// The couriers there are, once each is in its place: for a removal, as what those that leave have read would be sent
    /// after it, and those that come would not know of it. Nil when the daemon ends.
    func settledCouriers() async -> [Courier]? {
        await comeIntoPlace()
        return isStopped ? nil : couriers
    }

    /// How long a request under way may hold up the configuration that is to take its place.
    var patienceMicroseconds: UInt64 = 2_000_000

    private func settleLeaving() async {
        if leaving.isEmpty { return }
        let impatience: TimerSource?
        do throws(SystemError) {
            impatience = try loop.timer(clock: .monotonic, accuracyMicroseconds: 50_000) { [weak self] in
                for outlet in self?.leaving ?? [] { outlet.giveUp() }
            }
        } catch {
            impatience = nil
        }
        impatience?.arm(afterMicroseconds: patienceMicroseconds)
        await restLeaving()
        impatience?.cancel()
        for outlet in leaving { outlet.close() }
        leaving = []
    }

    private func restLeaving() async {
        while let outlet = leaving.first(where: { !$0.isResting }) {
            for courier in outlet.couriers { await courier.rested() }
        }
    }

    /// Notes on databases, and on problems that keep records from them.
    var troubles: [Trouble] {
        servers.flatMap { outlet -> [Trouble] in
            guard let sink = outlet.destination as? SinkDestination else { return [] }
            return sink.notes.map { ("destination \(outlet.name)", $0) }
        }
    }

    func stop() {
        isStopped = true
        for outlet in outlets { outlet.stop() }
    }

    var isResting: Bool { outlets.allSatisfy(\.isResting) }

    /// Requests under way are given up.
    func close() {
        for outlet in outlets { outlet.close() }
        if isResting { reader.close() }
    }

    /// A small write, to see whether the store takes one.
    func writeSomething() async {
        do throws(WireError) {
            try await ledger.decide { engine, changes, now in
                engine.remember(now.description, as: "probed", into: &changes)
            }.stored()
        } catch {
            // The ledger logs it.
        }
    }

    // MARK: Accounts

    static func key(_ destination: String, _ lane: String) -> String {
        lane.isEmpty ? destination : "\(destination)/\(lane)"
    }

    /// A power cut may take accounts back, as then something is only sent again; a crash must not, and does not.
    ///
    /// - Parameter sent: the last record that a sink has accepted.
    static func keep(
        _ account: DeliveryCommit, of destination: String, letters: Int, sent: UInt64? = nil, in ledger: Ledger
    ) async -> Bool {
        do throws(WireError) {
            try await ledger.decide { engine, changes, _ in
                engine.keepPlace(
                    of: key(destination, account.lane), cursor: account.progress.cursor,
                    state: account.progress.packed, isRepeatable: true, into: &changes)
                if let sent {
                    engine.keepPlace(
                        of: key(destination, sentKey), cursor: sent, state: .none, isRepeatable: true, into: &changes)
                }
                // The archive has one lane, which has the row of its name.
                if let breaker = account.breaker, !account.lane.isEmpty {
                    engine.keepPlace(
                        of: destination, cursor: 0, state: breaker.packed, isRepeatable: true, into: &changes)
                }
                if !account.redeemed.isEmpty {
                    engine.redeemDeadLetters(account.redeemed, of: destination, into: &changes)
                }
                if !account.deadLetters.isEmpty {
                    engine.keepDeadLetters(account.deadLetters, of: destination, atMost: letters, into: &changes)
                }
            }.stored()
            return true
        } catch {
            return false
        }
    }
}
