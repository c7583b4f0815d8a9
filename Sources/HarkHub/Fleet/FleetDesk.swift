import HarkCore
import HarkDelivery
import HarkFleet
import HarkLedger
import HarkServer
import HarkStore
import HarkSystem
import HarkWire

/// Connects this daemon to its fleet as the settings say: as a machine, whose records leave by `DeliveryDesk` as for
/// any destination, or as the hub.
@DaemonActor
final class FleetDesk: ConfiguredDesk {
    /// Weak, because tasks of this desk may finish after the daemon has ended.
    private(set) weak var daemon: Daemon?
    private(set) var settings = FleetSettings()
    private(set) var hub: FleetHub?
    private(set) var pushes: FleetPushes?
    private(set) var documents: FleetDocuments?
    /// On a machine.
    private var credits: MachineCredits?
    /// Why the hub could not be started.
    private var fault: String?
    private var hasBegun = false
    private var isEnded = false
    private var starting: Task<Void, Never>?

    init(daemon: Daemon) { self.daemon = daemon }

    /// The connection of this machine to its fleet, if the daemon is a machine.
    var member: FleetMember? { daemon?.delivery.fleetMember }

    func configure(_ settings: Configuration) {
        let wanted = settings.sections[FleetSettings.self]
        guard let daemon else { return }
        // Affects only later decisions.
        daemon.ledger.adjust { $0.recordsForFleet = wanted.isMachine }
        guard wanted != self.settings || !hasBegun else { return }
        self.settings = wanted
        documents = nil
        let leases = credits?.leases ?? [:]
        credits?.close()
        credits = nil
        if wanted.isMachine {
            credits = makeCredits(leases)
            let documents = FleetDocuments(daemon.options.paths, group: wanted.group)
            documents.onChange = { [weak self] kind in self?.documentChanged(kind) }
            self.documents = documents
        }
        if hasBegun { restartHub() }
    }

    private func makeCredits(_ leases: [String: MachineCredits.Lease]) -> MachineCredits? {
        guard let daemon else { return nil }
        do {
            return try MachineCredits(
                ledger: daemon.ledger, loop: daemon.loop, leases: leases, member: { [weak self] in self?.member },
                onCredit: { [weak daemon] in daemon?.surveys.lookAtWhatIsReady() })
        } catch {
            Log.error("fleet: credits cannot be timed: \(error)")
            return nil
        }
    }

    /// Connects a new member with this desk.
    func equip(_ member: FleetMember) {
        member.onUse = { [weak daemon] in daemon?.server.onUse() }
        member.onWelcome = { [weak self] dealsCredits in self?.credits?.welcome(dealsCredits) }
        member.onReady = { [weak self] in self?.credits?.tell(again: true) }
        member.onCredits = { [weak self] word in self?.credits?.take(word) }
        member.documents = { [weak self] in self?.documents?.told ?? [] }
        member.onDocument = { [weak self] payload, kind, group in
            self?.documents?.take(payload, kind, group: group)
        }
    }

    func begin() {
        guard !hasBegun else { return }
        hasBegun = true
        restartHub()
    }

    /// Waits until the hub has started, if there is to be one.
    func started() async { await starting?.value }

    private func restartHub() {
        hub?.close()
        (hub, pushes, fault) = (nil, nil, nil)
        guard settings.isHub, !isEnded, let ledger = daemon?.ledger else { return }
        let wanted = settings
        let before = starting
        starting = DaemonActor.task { [self] in
            await before?.value
            do {
                let store = try await FleetLog.id(FleetLog.storeKey, in: ledger).stored().value
                guard settings == wanted, !isEnded, hub == nil, let daemon else { return }
                let pushes = FleetPushes(state: daemon.options.paths.state)
                let hub = try FleetHub(
                    wanted, store: store, daemon: daemon, documents: pushes, onClear: { [weak self] in self?.hear($0) },
                    onAttendance: { [weak self] in self?.tell($0) })
                (self.hub, self.pushes) = (hub, pushes)
                hub.start()
            } catch {
                fault = "the hub could not begin: \(error)"
                Log.error("fleet: \(fault ?? "")")
            }
        }
    }

    private func documentChanged(_ kind: FleetDocument.Kind) {
        DaemonActor.task { [self] in
            guard !isEnded, let daemon else { return }
            let desk: any ConfiguredDesk =
                switch kind {
                case .surveys: daemon.surveys
                case .forms: daemon.forms
                case .flags: daemon.flags
                }
            do throws(WireError) {
                try desk.configure(daemon.configuration)
                await desk.reloadDocuments()
            } catch {
                Log.error("fleet: \(kind.rawValue) could not be put into force: \(error.message)")
            }
            member?.tellState()
            if kind == .surveys { credits?.tell(again: true) }
        }
    }

    func follow(_ changes: Stored<Changes>, _ report: CommitReport) { credits?.follow(changes.value) }

    var troubles: [Trouble] { problem.map { [("fleet", $0)] } ?? [] }

    /// The problem that keeps the fleet from working, and what to do.
    var problem: String? { fault ?? hub?.problem ?? member?.problem }
    /// The category of a problem with the broker; nil for others.
    var cause: FleetCause? { hub?.link.cause ?? member?.cause }

    func networkChanged(_ path: NetworkPath) {
        if path.isSatisfied { hub?.link.networkReturned() }
    }

    func stop() {
        isEnded = true
        hub?.close()
        credits?.close()
    }
}
