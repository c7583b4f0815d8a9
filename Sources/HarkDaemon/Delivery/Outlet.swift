import HarkCore
import HarkDelivery
import HarkHub
import HarkSettings
import HarkStore
import HarkSystem
import HarkWire

/// Everything there is for one destination: its gate, and a courier for each of its lanes.
@DaemonActor
final class Outlet {
    let destination: any Destination
    let gate: DeliveryGate
    let couriers: [Courier]
    /// How it was configured; nil for the archive.
    let settings: DestinationSettings?
    private let client: HTTPClient?
    /// The service may not use the network, and this needs it. That does not change while it runs.
    private let isKeptFromNetwork: Bool

    init(
        _ destination: any Destination, gate: DeliveryGate, couriers: [Courier], settings: DestinationSettings? = nil,
        client: HTTPClient? = nil
    ) {
        self.destination = destination
        self.gate = gate
        self.couriers = couriers
        self.settings = settings
        self.client = client
        isKeptFromNetwork = settings.map { !$0.isOnThisMachine && NetworkAccess.isDenied } ?? false
        gate.onOpen = { [weak self] in self?.flush() }
    }

    var name: String { destination.name }

    /// The network went or came.
    func networkChanged(isOnline: Bool) {
        // Whether the hub is there the member knows better.
        if let member = destination as? FleetMember { return member.networkChanged(isOnline: isOnline) }
        gate.isOnline = isOnline
        if isOnline { (destination as? ServerDestination)?.networkReturned() }
    }

    func begin() {
        if let courier = couriers.first { (destination as? FleetMember)?.start(courier, gate) }
        if let courier = couriers.first { (destination as? SinkDestination)?.start(courier, gate) }
        for courier in couriers { courier.begin() }
    }

    /// Waits until it is known what waits, which takes a moment after the start.
    func count() async {
        for courier in couriers { await courier.count() }
    }

    func flush() {
        for courier in couriers where courier.pending != 0 || courier.hasReplays { courier.flush() }
    }

    /// There are dead letters to be tried again.
    func replay() {
        for courier in couriers { courier.hasReplays = true }
        flush()
    }

    /// Begins no new delivery; `isResting` says when the present one is over.
    func stop() {
        gate.stop()
        for courier in couriers { courier.stop() }
    }

    var isResting: Bool { couriers.allSatisfy(\.isResting) }

    /// Requests under way end now, as if they had not been made.
    func giveUp() {
        client?.close()
        (destination as? FleetMember)?.close()
        (destination as? SinkDestination)?.close()
    }

    func close() {
        giveUp()
        // A pass that does not end is left where it is, and its thread with it.
        if isResting { (destination as? ArchiveDestination)?.close() }
    }

    // MARK: How it stands

    var state: DestinationState {
        if couriers.allSatisfy({ !$0.isOn }) { return .off }
        let breaker = gate.breaker
        if breaker.state == .suspended { return .suspended }
        if isOffline { return .offline }
        switch breaker.state {
        case .halfOpen: return .delivering
        case .open: return .open
        case .waiting: return .waiting
        case .closed, .suspended: break
        }
        if couriers.contains(where: { $0.state == .delivering }) { return .delivering }
        return couriers.contains { $0.state == .waiting } ? .waiting : .idle
    }

    /// Something waits for a server elsewhere, and there is no network, nor a wait that the server has asked for.
    private var isOffline: Bool {
        guard gate.isCutOff, pending > 0 else { return false }
        guard let server = destination as? ServerDestination else { return destination is FleetMember }
        return !server.isOnThisMachine && gate.breaker.cause != .rateLimited
    }

    var pending: Int { couriers.reduce(0) { $0 + ($1.pending ?? 0) } }
    var accepted: Int { couriers.reduce(0) { $0 + $1.progress.accepted } }

    var dropped: [LaneProgress.Drop: Int] {
        couriers.reduce(into: [:]) { sums, courier in
            sums.merge(courier.progress.dropped) { $0 + $1 }
        }
    }

    var lastError: String? {
        // This comes first, before all other news of a request.
        if isKeptFromNetwork { return NetworkAccess.advice }
        if let problem = (destination as? FleetMember)?.problem ?? (destination as? SinkDestination)?.problem {
            return problem
        }
        return gate.breaker.lastFailure?.reason ?? couriers.lazy.compactMap(\.fault).first
    }
}
