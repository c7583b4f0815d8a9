import HarkLedger
import HarkSystem

/// Writes something small now and then while the store refuses commits, to notice recovery without a client.
@DaemonActor
final class RecoveryProbe {
    private static let everyMicroseconds: UInt64 = 2_000_000

    private let ledger: Ledger
    private let loop: EventLoop
    private let write: () async -> Void
    private var timer: TimerSource?

    /// - Parameter write: Makes a decision without any effect, and waits for its commit.
    init(ledger: Ledger, loop: EventLoop, write: @escaping () async -> Void) {
        self.ledger = ledger
        self.loop = loop
        self.write = write
    }

    /// Starts probing when the store refuses commits, and stops when it accepts them.
    func storeRefuses(_ refuses: Bool) {
        guard refuses else {
            timer?.disarm()
            return
        }
        do {
            let timer =
                try timer
                ?? loop.timer(clock: .monotonic, accuracyMicroseconds: 100_000) { [weak self] in self?.probe() }
            self.timer = timer
            timer.arm(afterMicroseconds: RecoveryProbe.everyMicroseconds)
        } catch {
            Log.warning("cannot watch for recovery; the next write will tell: \(error)")
        }
    }

    private func probe() {
        DaemonActor.task { [self] in
            if ledger.trouble != nil { await write() }
            if ledger.trouble != nil { timer?.arm(afterMicroseconds: RecoveryProbe.everyMicroseconds) }
        }
    }
}
