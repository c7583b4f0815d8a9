import HarkCore
import HarkHub
import HarkLedger
import HarkSettings
import HarkStore
import HarkSystem
import HarkWire

/// Applies the retention policy: at the start, once a day, and when the store may exceed its cap.
@DaemonActor
final class RetentionClock: Desk {
    private let ledger: Ledger
    private let loop: EventLoop
    private let sweeper: Sweeper
    private let settings: SettingsDesk
    /// Called when the machine's clock stops or starts being believed, and when it has jumped again.
    var onClockChange: () -> Void = {}
    private var isStopping = false
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

    init(ledger: Ledger, loop: EventLoop, sweeper: Sweeper, settings: SettingsDesk) {
        self.ledger = ledger
        self.loop = loop
        self.sweeper = sweeper
        self.settings = settings
    }

    func begin() {
        if timer == nil { makeTimers() }
        tellOfDefault()
        apply()
    }

    private func makeTimers() {
        do {
            timer = try loop.timer(clock: .realtime, accuracyMicroseconds: 60_000_000) { [weak self] in
                self?.apply()
            }
            holding = try loop.timer(clock: .boottime, accuracyMicroseconds: 60_000_000) { [weak self] in
                self?.apply()
            }
        } catch {
            Log.warning("retention will run at session starts only: \(error)")
        }
        ledger.ageClock.onChange = { [weak self] in
            self?.watchClock()
            self?.onClockChange()
        }
    }

    func stop() { isStopping = true }

    func end() {
        timer = nil
        holding = nil
    }

    private func watchClock() {
        let rest = ledger.ageClock.millisecondsToHold
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
        guard recordsSinceCheck >= RetentionClock.recordsBetweenChecks, !isApplying,
            let cap = settings.configuration.retention.maxStoreBytes
        else { return }
        recordsSinceCheck = 0
        // The file contains free space, so it is never smaller than its content.
        if StatusReport.size(of: ledger.store.path) > cap { apply() }
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
        do throws(WireError) {
            let isTold =
                try ledger.lookUp { reader throws(StoreError) in try reader.meta(Self.toldOfDefault) } != nil
            guard !isTold else { return }
            let isNew = ledger.store.watermark.lastSessionRow == 0
            if !isNew, !settings.configuration.namesRetention {
                Log.notice(
                    "events and sessions are now kept for two years, in at most \(settings.configuration.retention.maxStoreBytes ?? 0) "
                        + "bytes; before, only the newest 50 sessions of a user, and none older than 30 days, were. "
                        + "`\"retention\": \"standard\"` in \(settings.options.paths.configurationFile) brings that back"
                )
            }
            try ledger.decide { engine, changes, _ in
                engine.remember("long", as: Self.toldOfDefault, into: &changes)
            }
        } catch {
            Log.warning("what is known of retention could not be looked up: \(error.message)")
        }
    }

    private func apply() {
        let due = ledger.now.adding(milliseconds: RetentionClock.dayMilliseconds)
        dueAt = timer == nil ? nil : due
        timer?.arm(atMicroseconds: UInt64(max(0, due.milliseconds)) * 1_000)
        watchClock()
        let policy = settings.configuration.retention
        // Even without limits: the belief about the clock is stored, because the age of log entries depends on it.
        guard !isApplying, !isStopping else { return }
        isApplying = true
        recordsSinceCheck = 0
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
