import HarkDelivery
import HarkSystem
import HarkWire

/// Waits for a server to accept one log entry, or for the reason why it has not.
@DaemonActor
final class Confirmation {
    private let sequence: UInt64
    private let courier: Courier
    private var timer: TimerSource?
    private var result: Result<Void, DeliveryFailure>?
    private var continuation: CheckedContinuation<Void, Never>?

    /// Longer than a request may take, as others may be under way before it.
    private static let patience = 3.0

    /// Begins to watch; to be made in the same breath as the entry.
    init(of sequence: UInt64, by courier: Courier, _ loop: EventLoop) {
        self.sequence = sequence
        self.courier = courier
        courier.watch(sequence) { [weak self] in self?.end($0) }
        do {
            let timer = try loop.timer(clock: .monotonic, accuracyMicroseconds: 50_000) { [weak self] in
                self?.end(.failure(DeliveryFailure(.network, "it was not confirmed in time")))
            }
            let seconds = (courier.destination as? ServerDestination)?.settings.timeoutSeconds ?? 10
            timer.arm(afterMicroseconds: UInt64(seconds * Confirmation.patience * 1_000_000))
            self.timer = timer
        } catch {
            end(.failure(DeliveryFailure(.local, "\(error)")))
        }
    }

    /// To be called once the entry is on disk.
    func wait() async throws(WireError) {
        courier.flush()
        if result == nil {
            // The body may run a turn later, and the answer be there by then.
            await withCheckedContinuation { if result == nil { continuation = $0 } else { $0.resume() } }
        }
        if case .failure(let failure)? = result { throw WireError(failure, keepsFailed: courier.lane.keepsFailed) }
    }

    private func end(_ result: Result<Void, DeliveryFailure>) {
        guard self.result == nil else { return }
        self.result = result
        timer?.cancel()
        timer = nil
        courier.unwatch(sequence)
        continuation?.resume()
        continuation = nil
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
