package import HarkCore
import HarkDelivery
package import HarkFleet
package import HarkLedger
package import HarkServer
package import HarkSettings
package import HarkStore
package import HarkSystem
package import HarkWire

/// Connects this daemon to its fleet as the settings say: as a machine, whose records leave by `DeliveryDesk` as for
/// any destination, or as the hub.
@DaemonActor
package final class FleetDesk: ConfiguredDesk {
    package let ledger: Ledger
    package let sweeper: Sweeper
    private let machines: MachineRecords
    private let loop: EventLoop
    private let paths: Paths
    /// Weak, because tasks of this desk may finish after the daemon has ended.
    private weak var server: Server?
    /// The connection of this machine to its fleet, if the daemon is a machine.
    package var findMember: () -> FleetMember? = { nil }
    /// Called when the hub deals an answer of a quota.
    package var onCredit: () -> Void = {}
    /// Puts a document of the hub in force.
    package var onDocument: (FleetDocument.Kind) async throws(WireError) -> Void = { _ in }
    package private(set) var settings = FleetSettings()
    package private(set) var hub: FleetHub?
    package private(set) var pushes: FleetPushes?
    package private(set) var documents: FleetDocuments?
    /// On a machine.
    private var credits: MachineCredits?
    /// Why the hub could not be started.
    private var fault: String?
    private var hasBegun = false
    private var isEnded = false
    private var starting: Task<Void, Never>?

    package init(machines: MachineRecords, server: Server, sweeper: Sweeper, loop: EventLoop, paths: Paths) {
        self.machines = machines
        self.server = server
        self.sweeper = sweeper
        self.loop = loop
        self.paths = paths
        ledger = server.ledger
    }

    package var member: FleetMember? { findMember() }
    var hasDaemonEnded: Bool { server == nil }

    package func configure(_ settings: Configuration) {
        let wanted = settings.sections[FleetSettings.self]
        // Affects only later decisions.
        ledger.adjust { $0.recordsForFleet = wanted.isMachine }
        guard wanted != self.settings || !hasBegun else { return }
        self.settings = wanted
        documents = nil
        let leases = credits?.leases ?? [:]
        credits?.close()
        credits = nil
        if wanted.isMachine {
            credits = makeCredits(leases)
            let documents = FleetDocuments(paths, group: wanted.group)
            documents.onChange = { [weak self] kind in self?.documentChanged(kind) }
            self.documents = documents
        }
        if hasBegun { restartHub() }
    }

    private func makeCredits(_ leases: [String: MachineCredits.Lease]) -> MachineCredits? {
        do {
            return try MachineCredits(
                ledger: ledger, loop: loop, leases: leases, member: { [weak self] in self?.member },
                onCredit: { [weak self] in self?.onCredit() })
        } catch {
            Log.error("fleet: credits cannot be timed: \(error)")
            return nil
        }
    }

    /// Connects a new member with this desk.
    package func equip(_ member: FleetMember) {
        member.onUse = { [weak server] in server?.onUse() }
        member.onWelcome = { [weak self] dealsCredits in self?.credits?.welcome(dealsCredits) }
        member.onReady = { [weak self] in self?.credits?.tell(again: true) }
        member.onCredits = { [weak self] word in self?.credits?.take(word) }
        member.documents = { [weak self] in self?.documents?.told ?? [] }
        member.onDocument = { [weak self] payload, kind, group in
            self?.documents?.take(payload, kind, group: group)
        }
    }

    package func begin() {
        guard !hasBegun else { return }
        hasBegun = true
        restartHub()
    }

    /// Waits until the hub has started, if there is to be one.
    package func started() async { await starting?.value }

    private func restartHub() {
        hub?.close()
        (hub, pushes, fault) = (nil, nil, nil)
        guard settings.isHub, !isEnded, !hasDaemonEnded else { return }
        let wanted = settings
        let before = starting
        starting = DaemonActor.task { [self] in
            await before?.value
            do {
                let store = try await ledger.fleetId(FleetLog.storeKey).stored().value
                guard settings == wanted, !isEnded, hub == nil, let server else { return }
                let pushes = FleetPushes(state: paths.state)
                let hub = try FleetHub(
                    wanted, store: store, machines, server, loop: loop, paths: paths, documents: pushes,
                    onClear: { [weak self] in self?.hear($0) },
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
            guard !isEnded else { return }
            do throws(WireError) {
                try await onDocument(kind)
            } catch {
                Log.error("fleet: \(kind.rawValue) could not be put into force: \(error.message)")
            }
            member?.tellState()
            if kind == .surveys { credits?.tell(again: true) }
        }
    }

    package func follow(_ changes: Stored<Changes>, _ report: CommitReport) { credits?.follow(changes.value) }

    package var troubles: [Trouble] { problem.map { [("fleet", $0)] } ?? [] }

    /// The problem that keeps the fleet from working, and what to do.
    package var problem: String? { fault ?? hub?.problem ?? member?.problem }
    /// The category of a problem with the broker; nil for others.
    package var cause: FleetCause? { hub?.link.cause ?? member?.cause }

    package func networkChanged(_ path: NetworkPath) {
        if path.isSatisfied { hub?.link.networkReturned() }
    }

    package func stop() {
        isEnded = true
        hub?.close()
        credits?.close()
    }
}
