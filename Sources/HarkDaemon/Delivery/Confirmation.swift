import HarkDelivery
import HarkServer
import HarkSystem
import HarkWire

/// Waits until a server accepts one log entry, or fails to.
@DaemonActor
final class Confirmation {
    private let sequence: UInt64
    private let courier: Courier
    private let wait: ClientWait
    private var result: Result<Void, DeliveryFailure>?

    /// The multiple of the request timeout to wait, because other requests may come first.
    private static let patience = 3.0

    /// Starts watching; create it in the same turn as the entry.
    init(of sequence: UInt64, by courier: Courier, for connection: ClientConnection, _ loop: EventLoop) {
        self.sequence = sequence
        self.courier = courier
        let seconds = (courier.destination as? ServerDestination)?.settings.timeoutSeconds ?? 10
        wait = ClientWait(connection, seconds: seconds * Confirmation.patience, loop)
        courier.watch(sequence) { [weak self] in self?.end($0) }
    }

    isolated deinit { courier.unwatch(sequence) }

    /// Waits for the result; call it once the entry is on disk.
    func confirmed() async throws(WireError) {
        courier.flush()
        await wait.value()
        let result = result ?? .failure(DeliveryFailure(.network, "it was not confirmed in time"))
        if case .failure(let failure) = result { throw WireError(failure, keepsFailed: courier.lane.keepsFailed) }
    }

    private func end(_ result: Result<Void, DeliveryFailure>) {
        if self.result == nil { self.result = result }
        wait.end()
    }
}

extension WireError {
    /// The error for a log entry that was not confirmed.
    init(_ failure: DeliveryFailure, keepsFailed: Bool) {
        let reason: ErrorReason =
            switch failure.kind {
            case .unreachable, .network, .local, .dropped: .networkError
            case .server, .refused, .unauthorized: .serverError
            case .throttled: .rateLimited
            case .quota: .quotaExceeded
            case .tooLarge, .unsendable: .encodingFailed
            }
        let future =
            if failure.kind == .dropped {
                "it will not be delivered"
            } else if !failure.isTransient {
                "it is among the dead letters"
            } else if keepsFailed {
                "it is kept, and will be delivered"
            } else {
                "it was dropped"
            }
        self.init(reason, "\(failure.reason); \(future)")
        status = failure.status
    }
}
