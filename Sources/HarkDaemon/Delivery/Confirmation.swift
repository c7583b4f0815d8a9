import HarkDelivery
import HarkSystem
import HarkWire

/// Waits for a server to accept one log entry, or for the reason why it has not.
@DaemonActor
final class Confirmation {
    private let sequence: UInt64
    private let courier: Courier
    private let wait: ClientWait
    private var result: Result<Void, DeliveryFailure>?

    /// Longer than a request may take, as others may be under way before it.
    private static let patience = 3.0

    /// Begins to watch; to be made in the same breath as the entry.
    init(of sequence: UInt64, by courier: Courier, for connection: ClientConnection, _ loop: EventLoop) {
        self.sequence = sequence
        self.courier = courier
        let seconds = (courier.destination as? ServerDestination)?.settings.timeoutSeconds ?? 10
        wait = ClientWait(connection, seconds: seconds * Confirmation.patience, loop)
        courier.watch(sequence) { [weak self] in self?.end($0) }
    }

    isolated deinit { courier.unwatch(sequence) }

    /// To be called once the entry is on disk.
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
    /// The errors that a log entry nobody confirmed can have.
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
