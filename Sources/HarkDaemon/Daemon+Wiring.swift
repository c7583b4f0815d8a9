import Glibc
import HarkCore
import HarkFleet
import HarkHub
import HarkLedger
import HarkServer
import HarkSettings
import HarkStore
import HarkSystem
import HarkWire

/// Connects the parts of the daemon, so that one acts on the news of another.
extension Daemon {
    static func watchNetwork(_ loop: EventLoop) -> NetworkMonitor? {
        do throws(SystemError) {
            return try NetworkMonitor(loop: loop)
        } catch {
            Log.warning("the network is not watched and counts as there: \(error)")
            return nil
        }
    }

    func makeServer() -> Server {
        var group: UInt32?
        do {
            group = options.isSystem ? try groupID(named: configuration.administratorGroup) : nil
        } catch {
            Log.warning("cannot look up the group of administrators: \(error)")
        }
        let access = AccessPolicy(
            mode: options.isSystem ? .system : .user, ownUID: getuid(), administratorGroup: group)
        let server = Server(loop: loop, ledger: ledger, router: router, access: access, limits: configuration.limits)
        server.isHub = { [weak self] in self?.machines.isHub ?? false }
        return server
    }

    /// Tells each part what the others are to hear of.
    func wire() throws {
        ledger.store.onDamage { [weak self] in DaemonActor.task { self?.storeIsDamaged() } }
        turnEnd = loop.onTurnEnd { [server, ledger] in
            server.turns.endTurn()
            ledger.endTurn()
        }
        let gathered = try loop.timer(clock: .monotonic, accuracyMicroseconds: 1) { [ledger] in ledger.timeIsUp() }
        ledger.wakeUp = { gathered.arm(afterMicroseconds: $0) }
        ledger.onRoom = { [weak self] in self?.server.resumePaused() }
        ledger.onTroubleChange = { [weak self] trouble in self?.tell(trouble) }
        ledger.onCommit = { [weak self] changes, report in
            for desk in self?.desks.all ?? [] { desk.follow(changes, report) }
        }
        surveys.hooks.onFailure = { [weak self] shown in
            guard let self, let id = shown.value.prompt?.id, !surveys.hasPresenter(in: shown.value.scope) else {
                return
            }
            prompts.couldNotShow(id)
        }
        importer.machines = machines
        delivery.onFleetMember = { [weak self] member in self?.fleet.equip(member) }
        fleet.findMember = { [delivery] in delivery.fleetMember }
        fleet.onCredit = { [weak self] in self?.surveys.lookAtWhatIsReady() }
        fleet.onDocument = { [weak self] kind throws(WireError) in try await self?.reload(kind) }
        retention.onClockChange = { [weak self] in
            for desk in self?.desks.all ?? [] { desk.lookAtClock() }
        }
        flags.onChange = { [ledger] flags in ledger.adjust { $0.setFlags(flags) } }
        network?.onChange = [
            { [weak self] path in
                for desk in self?.desks.all ?? [] { desk.networkChanged(path) }
            }
        ]
        delivery.isOnline = network?.path.isSatisfied ?? true
        settings.onChange = { [weak server, weak desks] configuration in
            server?.limits = configuration.limits
            desks?.administratorGroup = configuration.administratorGroup
        }
        desks.administratorGroup = configuration.administratorGroup
        desks.add(families.flatMap { $0.desks(self) })
    }

    /// Puts a document of the hub in force.
    private func reload(_ kind: FleetDocument.Kind) async throws(WireError) {
        let desk: any ConfiguredDesk =
            switch kind {
            case .surveys: surveys
            case .forms: forms
            case .flags: flags
            }
        try desk.configure(configuration)
        await desk.reloadDocuments()
    }
}
