import HarkFleet
import HarkSystem

/// Pending hellos of machines, handled one at a time with other work in between: thousands may arrive at once, as when
/// a hub comes back.
@DaemonActor
final class FleetHellos {
    private static let most = 16_384

    private let greet: (String, FleetHello) -> Void
    private var queue: ArraySlice<(machine: String, payload: [UInt8])> = []
    private var isBusy = false

    init(_ greet: @escaping (String, FleetHello) -> Void) { self.greet = greet }

    /// Adds a hello. Hellos beyond the bound are dropped: a machine without an answer sends another.
    func add(_ payload: [UInt8], of machine: String) {
        guard payload.count <= FleetProtocol.mostBytes, queue.count < FleetHellos.most else { return }
        queue.append((machine, payload))
        guard !isBusy else { return }
        isBusy = true
        work()
    }

    private func work() {
        DaemonActor.post { [weak self] in
            guard let self else { return }
            guard let (machine, payload) = queue.popFirst() else {
                queue = []
                isBusy = false
                return
            }
            if let hello = FleetHello(payload: payload) { greet(machine, hello) }
            work()
        }
    }
}
