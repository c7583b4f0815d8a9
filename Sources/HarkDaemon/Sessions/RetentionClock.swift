import HarkCore
import HarkLedger
import HarkStore
import HarkSystem
import HarkWire

/// Applies the retention policy: at the start, once a day, and when the store may exceed its cap.
@DaemonActor
final class RetentionClock: Desk {
    // A retention that is under way may end after the daemon.
    private weak let daemon: Daemon?
    private var timer: TimerSource?
    /// While the machine's clock is not believed: fires to check whether it has held.
    private var holding: TimerSource?
    private(set) var dueAt: Timestamp?
    private var recordsSinceCheck = 0
    /// Removals by rule that have not been logged yet.
    private var untold: [RetentionRule: CommitReport.Marked] = [:]
    private(set) var isApplying = false

    /// The key that marks in the store that the default was logged.
    private static let toldOfDefault = "retentionDefault"
    /// How often the store is updated with how long an unbelieved clock has held.
    private static let holdingMilliseconds: Int64 = 3_600_000
    private static let dayMilliseconds: Int64 = 86_400_000
    /// The number of records between two checks of the cap.
    private static let recordsBetweenChecks = 5_000

    init(daemon: Daemon) {
        self.daemon = daemon
    }

    func begin() {
        if timer == nil { makeTimers() }
        tellOfDefault()
        apply()
    }

    private func makeTimers() {
        guard let daemon else { return }
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
            guard let self, let daemon = self.daemon else { return }
            watchClock()
            daemon.surveys.lookAtClock()
            daemon.watches.lookAtClock()
            daemon.sessions.lookAtClock()
        }
    }

    func end() {
        timer = nil
        holding = nil
    }

    private func watchClock() {
        guard let daemon else { return }
        let rest = daemon.ledger.ageClock.millisecondsToHold
        guard rest > 0 else {
            holding?.disarm()
            return
        }
        holding?.arm(afterMicroseconds: UInt64(min(rest, RetentionClock.holdingMilliseconds)) * 1_000)
    }

    var timerName: String { "retention" }

    func follow(_ changes: Stored<Changes>, _ report: CommitReport) {
        for (rule, removed) in report.removedByRule { untold[rule, default: CommitReport.Marked()] += removed }
        notice(records: changes.value.records.count)
    }

    func notice(records: Int) {
        recordsSinceCheck += records
        lookAtGrowth()
    }

    private func lookAtGrowth() {
        guard recordsSinceCheck >= RetentionClock.recordsBetweenChecks, !isApplying, let daemon,
            let cap = daemon.configuration.retention.maxStoreBytes
        else { return }
        recordsSinceCheck = 0
        // The file contains free space, so it is never smaller than its content.
        if StatusReport.size(of: daemon.ledger.store.path) > cap { apply() }
    }

    /// Logs what rules have removed since the last log message.
    private func tell() {
        for rule in RetentionRule.allCases {
            guard let removed = untold.removeValue(forKey: rule),
                removed.sessions + removed.events + removed.showings + removed.texts > 0
            else { continue }
            if removed.texts > 0 {
                Log.notice("retention put a mark in the place of \(removed.texts) free texts of answers to surveys")
            }
            guard removed.sessions + removed.events + removed.showings > 0 else { continue }
            let why =
                switch rule {
                case .age: "too old"
                case .count: "more than are kept of a user"
                case .size: "more than the store may hold"
                }
            Log.notice(
                "retention removed \(removed.sessions) sessions with \(removed.events) events and \(removed.showings) showings "
                    + "of surveys, as they were \(why); `hark retention` says what the rules are")
        }
    }

    /// Logs the change of the default once: earlier versions kept thirty days and fifty sessions of a user, and
    /// somebody may have relied on that. Now two years are kept.
    private func tellOfDefault() {
        guard let daemon else { return }
        do throws(WireError) {
            let isTold =
                try daemon.ledger.lookUp { reader throws(StoreError) in try reader.meta(Self.toldOfDefault) } != nil
            guard !isTold else { return }
            let isNew = daemon.ledger.store.watermark.lastSessionRow == 0
            if !isNew, !daemon.configuration.namesRetention {
                Log.notice(
                    "events and sessions are now kept for two years, in at most \(daemon.configuration.retention.maxStoreBytes ?? 0) "
                        + "bytes; before, only the newest 50 sessions of a user, and none older than 30 days, were. "
                        + "`\"retention\": \"standard\"` in \(daemon.options.paths.configurationFile) brings that back")
            }
            try daemon.ledger.decide { engine, changes, _ in
                engine.remember("long", as: Self.toldOfDefault, into: &changes)
            }
        } catch {
            Log.warning("what is known of retention could not be looked up: \(error.message)")
        }
    }

    private func apply() {
        guard let daemon else { return }
        let due = daemon.ledger.now.adding(milliseconds: RetentionClock.dayMilliseconds)
        dueAt = timer == nil ? nil : due
        timer?.arm(atMicroseconds: UInt64(max(0, due.milliseconds)) * 1_000)
        watchClock()
        let policy = daemon.configuration.retention
        // Even without limits: the belief about the clock is stored, because the age of log entries depends on it.
        guard !isApplying, !daemon.isStopping else { return }
        isApplying = true
        recordsSinceCheck = 0
        let sweeper = daemon.sweeper
        DaemonActor.task { [self] in
            do throws(WireError) {
                _ = try await sweeper.applyRetention(policy, to: .everybody, dryRun: false)
                tell()
            } catch {
                Log.warning("retention could not be applied: \(error.message)")
            }
            isApplying = false
            // The removal did not see what came meanwhile.
            lookAtGrowth()
        }
    }
}
