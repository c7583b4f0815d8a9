import HarkSystem

extension EventLoop {
    /// Lets the event loop poll its sources once.
    @DaemonActor
    func nextTurn() async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            do {
                let relay = Relay()
                relay.timer = try timer(clock: .monotonic, accuracyMicroseconds: 100) {
                    relay.timer = nil
                    continuation.resume()
                }
                relay.timer?.arm(afterMicroseconds: 1_000)
            } catch {
                continuation.resume()
            }
        }
    }

    @DaemonActor
    private final class Relay {
        var timer: TimerSource?
    }
}
