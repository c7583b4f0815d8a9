package import HarkCore
import HarkDelivery
import HarkFleet
import HarkHub
import HarkLedger
import HarkServer
package import HarkSettings
import HarkStore
package import HarkSystem
package import HarkWire

/// The daemon: everything wired together, from the start to the last commit.
@DaemonActor
package final class Daemon {
    package typealias Options = DaemonOptions

    let options: Options
    let families: [Family]
    let loop: EventLoop
    let ledger: Ledger
    let settings: SettingsDesk
    /// All that follows from commits, in this order.
    let desks: Desks
    let hub: StreamHub
    /// Nil where the kernel refuses to tell; the network then counts as there.
    let network: NetworkMonitor?
    let delivery: DeliveryDesk
    let archive: ArchiveDesk
    private(set) lazy var router = Router(
        families.flatMap(\.methods), desks: desks, importer: importer, nesting: configuration.limits.nesting)
    private(set) lazy var server = makeServer()
    private(set) lazy var sweeper = Sweeper(ledger: ledger, loop: loop) { [delivery] in
        await delivery.settledCouriers()
    }
    private(set) lazy var surveys = SurveyDesk(ledger: ledger, loop: loop, options: options, configuration)
    private(set) lazy var prompts = PromptDesk(ledger: ledger, loop: loop)
    private(set) lazy var forms = FormDesk(ledger: ledger, loop: loop, paths: options.paths, configuration)
    private(set) lazy var flags = FlagDesk(loop: loop, paths: options.paths, clock: clock)
    private(set) lazy var journal = JournalDesk(ledger: ledger, loop: loop, isSystem: options.isSystem) {
        [delivery] in delivery.defaultUserId
    }
    private(set) lazy var importer = Importer(sweeper)
    private(set) lazy var machines = MachineRecords(importer, server: server)
    private(set) lazy var fleet = FleetDesk(
        machines: machines, server: server, sweeper: sweeper, loop: loop, paths: options.paths)
    private(set) lazy var retention = RetentionClock(ledger: ledger, loop: loop, sweeper: sweeper, settings: settings)
    private(set) lazy var scrub = StoreScrub(ledger: ledger, loop: loop) { [weak self] () throws(WireError) in
        try self?.restartToRebuild()
    }

    private var storeLock: LockFile?
    private let clock: @Sendable () -> Timestamp
    private lazy var recovery = RecoveryProbe(ledger: ledger, loop: loop) { [delivery] in
        await delivery.writeSomething()
    }
    var turnEnd: Registration?
    private var stopping: Task<Void, Never>?
    var isStopping: Bool { stopping != nil || isRestarting }
    /// Starts the daemon again once it has stopped; nil where the process cannot.
    /// - Parameter sockets: those of the service manager's, kept by `SelfRestart`.
    package var onRestart: ((_ sockets: [Int32]) -> Void)?
    private var isRestarting = false
    private var adopted: [Int32] = []

    /// Opens the store and makes everything ready; nobody is served yet.
    ///
    /// - Parameter families: The families of every daemon, and perhaps more.
    package init(
        _ options: Options, loop: EventLoop, families: [Family] = Family.all,
        clock: @escaping @Sendable () -> Timestamp = { Timestamp(milliseconds: SystemClock.realtimeMilliseconds) },
        readClocks: @escaping @Sendable () -> ClockBelief.Reading = Daemon.readClocks,
        showingClock: ShowingClock = .machine
    ) throws {
        self.options = options
        self.families = families
        self.loop = loop
        self.clock = clock
        let sections = families.compactMap(\.settings)
        let loaded = try ConfigurationFile.load(options.paths.configurationFile, sections)
        Log.level = loaded.configuration.logLevel

        try StateFolder.make(options.paths.state)
        var configuration = loaded.configuration
        configuration.fitRetention(to: options.paths.state)
        storeLock = try LockFile(
            path: options.paths.state + "/hark.lock", served: "the store in \(options.paths.state)",
            advice: "stop it, or give another folder with --state or HARK_STATE")
        let store = try Store(
            folder: options.paths.state, families: StoreFamily.all + families.compactMap(\.store))
        let root = options.paths.state + "/archive"
        let standing = try ArchiveStanding(root: root, store: store)
        ledger = try Ledger(
            store: store, retention: configuration.retention, clock: clock, readClocks: readClocks,
            books: families.compactMap { $0.book?.init() }, numbersBegin: standing.numbersBegin)
        ledger.adjust { $0.setShowingClock(showingClock) }
        settings = SettingsDesk(loaded, options, sections, ledger: ledger)
        desks = Desks(ledger: ledger, loop: loop)
        hub = StreamHub(ledger: ledger)
        network = Daemon.watchNetwork(loop)
        let tree = ArchiveDestination(folder: root, store: store, mark: standing.mark)
        delivery = try DeliveryDesk(ledger: ledger, loop: loop, paths: options.paths, tree, configuration)
        archive = ArchiveDesk(ledger: ledger, root: root, tree, delivery.archive.couriers[0], standing)
        try wire()
    }

    var configuration: Configuration { settings.configuration }

    package nonisolated static func readClocks() -> ClockBelief.Reading {
        ClockBelief.Reading(
            wall: Timestamp(milliseconds: SystemClock.realtimeMilliseconds),
            running: Int64(SystemClock.boottimeMicroseconds / 1_000), boot: ClockState.bootID,
            isSynchronized: ClockState.isSynchronized)
    }

    /// Serves on the sockets the service manager gave us, or on one of our own.
    package func serve() throws {
        let adopted = try ListeningSocket.adopted()
        if adopted.isEmpty {
            let access: ListeningSocket.Access = options.isSystem ? .system : .user
            try server.listen(on: try ListeningSocket(path: options.paths.socket, access: access))
        }
        self.adopted = adopted.map(\.raw)
        for socket in adopted { try server.listen(on: socket) }
        try desks.configure(configuration)
        // If one of them cannot read its state because the store is damaged there, the others still work.
        for desk in desks.all {
            do { try desk.begin() } catch let error as WireError where ledger.store.unreadable.hasDamage {
                Log.error("what the store holds could not be taken up: \(error.message)")
            }
        }
        server.onClosed = { [weak self] connection in
            for desk in self?.desks.all ?? [] { desk.connectionEnded(ObjectIdentifier(connection)) }
        }
        server.leaveFiles()
        try loop.enableWatchdog()
        try ServiceManager.notify(.ready, .status(statusLine))
        Log.notice(
            "harkd \(Version.current) serves \(adopted.isEmpty ? options.paths.socket : "the socket of its unit")",
            ["version": Version.current, "state": options.paths.state])
        settings.logWarnings()
    }

    private var statusLine: String {
        if let trouble = ledger.trouble { return "Degraded: \(trouble.message)" }
        return "Recording"
    }

    func tell(_ trouble: StoreError?) {
        if let trouble {
            Log.error("cannot store: \(trouble.message)", ["state": options.paths.state])
        } else {
            Log.notice("storing again", ["state": options.paths.state])
            for desk in desks.all { beginAgain(desk) }
        }
        ServiceManager.tell(.status(statusLine))
        recovery.storeRefuses(trouble != nil)
    }

    /// The store's file is damaged at a place that cannot be passed over. A restart rebuilds it from everything that
    /// can be read. Should that not help, or fail, it is not tried again at once.
    func storeIsDamaged() {
        guard !isStopping, !ledger.store.wasRebuilt(within: Daemon.betweenRebuilds) else { return }
        Log.error("the store's file is damaged: harkd restarts to rebuild it from everything that can be read")
        do throws(WireError) { try restartToRebuild() } catch { Log.error(error.message) }
    }

    private static let betweenRebuilds = 600

    /// Ends in order, and restarts with a rebuilt store.
    func restartToRebuild() throws(WireError) {
        guard !isStopping else { return }
        do throws(StoreError) { try ledger.store.wantRebuild() } catch { throw WireError(error) }
        guard let onRestart else { return }
        let sockets: [Int32]
        do throws(SystemError) { sockets = try SelfRestart.keep(adopted) } catch {
            throw WireError(.internalError, "harkd cannot start again by itself (\(error)); restart it")
        }
        isRestarting = true
        DaemonActor.task { [self] in
            await stop()
            onRestart(sockets)
        }
    }

    /// The store has refused decisions, and accepts commits again. Each desk reads its state from the store, as at the
    /// start.
    private func beginAgain(_ desk: any Desk) {
        do {
            try desk.begin()
        } catch {
            Log.warning("what the store holds could not be taken up again: \(error)")
        }
    }

    @discardableResult
    func reload() async throws(WireError) -> [DocumentIssue] { try await settings.reload(desks) }

    /// Reloads the settings without a caller that waits, as on SIGHUP.
    package func reloadAndLog() {
        DaemonActor.task { [self] in
            do throws(WireError) {
                try await reload()
            } catch {
                Log.error(error.message)
            }
        }
    }

    // MARK: The end

    /// Takes no new clients, commits and answers what was received, and closes the store; returns when all is done.
    ///
    /// The loop runs on, as it belongs to its maker.
    package func stop() async {
        let stopping = stopping ?? DaemonActor.task { [self] in await end() }
        self.stopping = stopping
        await stopping.value
    }

    private func end() async {
        ServiceManager.tell(isRestarting ? .reloading : .stopping)
        do throws(SystemError) {
            try server.stop()
        } catch {
            Log.warning("cannot put the socket away: \(error)")
        }
        network?.stop()
        for desk in desks.all { desk.stop() }
        let start = SystemClock.monotonicMicroseconds
        while !isSettled, SystemClock.monotonicMicroseconds < start + 700_000 { await loop.nextTurn() }
        // An answer whose server is not awaited would be unconfirmed for good.
        while !forms.submissions.isResting, SystemClock.monotonicMicroseconds < start + 3_000_000 {
            await loop.nextTurn()
        }
        for desk in desks.all { desk.end() }
        server.closeAll()
        // A delivery may take long, as its threads have a low priority. It is abandoned: records that a destination has
        // not accepted are sent again after the next start, as after a crash.
        delivery.close()
        ledger.close()
        turnEnd?.cancel()
        storeLock = nil
    }

    private var isSettled: Bool {
        ledger.isSettled && server.isSettled && delivery.isResting
    }
}
