package import HarkSystem

/// A wait of a client that may take long. It is over once the result has come, the time is out or the client is gone: a
/// client that starts many waits and disconnects must not be kept until all have ended.
@DaemonActor
package final class ClientWait {
    private let connection: ClientConnection
    private var timer: TimerSource?
    package private(set) var isOver = false
    private var continuation: CheckedContinuation<Void, Never>?

    /// - Parameter seconds: The timeout; nil for none.
    package init(_ connection: ClientConnection, seconds: Double? = nil, _ loop: EventLoop) {
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
            // Without a timer, the wait ends at once.
            end()
        }
    }

    /// Returns once the wait is over.
    package func value() async {
        // The body may run a turn later, when the wait may already be over.
        await withCheckedContinuation { if isOver { $0.resume() } else { continuation = $0 } }
    }

    package func end() {
        isOver = true
        timer?.cancel()
        timer = nil
        connection.waits[ObjectIdentifier(self)] = nil
        continuation?.resume()
        continuation = nil
    }
}
