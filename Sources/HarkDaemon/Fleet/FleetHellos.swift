import HarkFleet
import HarkSystem

/// What machines have said of themselves and was not dealt with yet, one at a time, with all else in between: thousands may come at
/// once, as when a hub comes back.
@DaemonActor
final class FleetHellos {
    private static let most = 16_384

    private let greet: (String, FleetHello) -> Void
    private var queue: ArraySlice<(machine: String, payload: [UInt8])> = []
    private var isBusy = false

    init(_ greet: @escaping (String, FleetHello) -> Void) { self.greet = greet }

    /// What comes beyond the bound is let go of: a machine that gets no answer says it again.
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
