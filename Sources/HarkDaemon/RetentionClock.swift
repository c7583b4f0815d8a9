import HarkCore
import HarkStore
import HarkSystem
import HarkWire

/// Applies the retention policy by itself: at the start, once a day, and when the store may have outgrown its cap.
@DaemonActor
final class RetentionClock: Desk {
    // Made by the daemon, which lives as long as the process does and is the only way to it: nobody comes here without one.
    private unowned let daemon: Daemon
    private var timer: TimerSource?
    /// While the machine's clock is not believed: when to look whether it has held.
    private var holding: TimerSource?
    private(set) var dueAt: Timestamp?
    private var recordsSinceCheck = 0
    private(set) var isApplying = false

    /// The key under which the store remembers what is known of the clock.
    static let rememberedClock = "clock"
    /// While the clock is not believed, how long it has held is remembered so often.
    private static let holdingMilliseconds: Int64 = 3_600_000
    private static let dayMilliseconds: Int64 = 86_400_000
    /// How many records may come before the cap is looked at again.
    private static let recordsBetweenChecks = 5_000

    init(daemon: Daemon) {
        self.daemon = daemon
    }

    func begin() {
        if timer == nil { makeTimers() }
        apply()
    }

    private func makeTimers() {
        do {
            timer = try daemon.loop.timer(clock: .realtime, accuracyMicroseconds: 60_000_000) { [weak self] in
                self?.apply()
            }
            holding = try daemon.loop.timer(clock: .boottime, accuracyMicroseconds: 60_000_000) { [weak self] in
                self?.apply()
            }
        } catch {
            Log.warning("retention will run at session starts only: \(error)")
        }
        daemon.ledger.ageClock.onChange = { [weak self] in
            self?.watchClock()
            self?.daemon.surveys.lookAtClock()
            self?.daemon.watches.lookAtClock()
        }
    }

    func end() {
        timer = nil
        holding = nil
    }

    private func watchClock() {
        let rest = daemon.ledger.ageClock.millisecondsToHold
        guard rest > 0 else {
            holding?.disarm()
            return
        }
        holding?.arm(afterMicroseconds: UInt64(min(rest, RetentionClock.holdingMilliseconds)) * 1_000)
    }

    var timerName: String { "retention" }

    func follow(_ changes: Stored<Changes>, _ report: CommitReport) { notice(records: changes.value.records.count) }

    func notice(records: Int) {
        recordsSinceCheck += records
        lookAtGrowth()
    }

    private func lookAtGrowth() {
        guard recordsSinceCheck >= RetentionClock.recordsBetweenChecks, !isApplying,
            daemon.configuration.retention.maxStoreBytes != nil
        else { return }
        apply()
    }

    private func apply() {
        let due = daemon.ledger.now.adding(milliseconds: RetentionClock.dayMilliseconds)
        dueAt = timer == nil ? nil : due
        timer?.arm(atMicroseconds: UInt64(max(0, due.milliseconds)) * 1_000)
        watchClock()
        let policy = daemon.configuration.retention
        // Also without limits: what is known of the clock is remembered, as log entries grow old by it.
        guard !isApplying, !daemon.isStopping else { return }
        isApplying = true
        recordsSinceCheck = 0
        DaemonActor.task { [self] in
            do throws(WireError) {
                let marked = try await daemon.sweeper.applyRetention(policy, to: .everybody, dryRun: false)
                if marked.sessions > 0 {
                    Log.info("retention removed \(marked.sessions) sessions with \(marked.events) events")
                }
            } catch {
                Log.warning("retention could not be applied: \(error.message)")
            }
            isApplying = false
            // It looked before what came meanwhile.
            lookAtGrowth()
        }
    }
}
