import HarkSystem

/// Something that a client waits for and that may be long in coming. It is over once it has come, once its time is out, and
/// once nobody is there any more: who asks for many such things and goes must not be kept until all have come.
@DaemonActor
final class ClientWait {
    private let connection: ClientConnection
    private var timer: TimerSource?
    private(set) var isOver = false
    private var continuation: CheckedContinuation<Void, Never>?

    /// - Parameter seconds: how long at most; nil: as long as it takes.
    init(_ connection: ClientConnection, seconds: Double? = nil, _ loop: EventLoop) {
        self.connection = connection
        guard connection.isAwaiting else {
            end()
            return
        }
        connection.waits[ObjectIdentifier(self)] = self
        guard let seconds else { return }
        do throws(SystemError) {
            let timer = try loop.timer(clock: .monotonic, accuracyMicroseconds: 50_000) { [weak self] in self?.end() }
            timer.arm(afterMicroseconds: UInt64(seconds * 1_000_000))
            self.timer = timer
        } catch {
            // Out of timers, nothing is waited for.
            end()
        }
    }

    /// Returns once it is over.
    func value() async {
        // The body may run a turn later, and it be over by then.
        await withCheckedContinuation { if isOver { $0.resume() } else { continuation = $0 } }
    }

    func end() {
        isOver = true
        timer?.cancel()
        timer = nil
        connection.waits[ObjectIdentifier(self)] = nil
        continuation?.resume()
        continuation = nil
    }
}
