import Glibc
import HarkCore
import HarkLedger
import HarkStore
import HarkSystem
import HarkWire

/// Records when a watched event is overdue, and when it comes again: arms a timer for the earliest notice, and has the
/// engine record it.
///
/// The timer counts the time the machine has run, asleep or not, like watches do. Without events, nothing wakes the
/// daemon before a notice is due.
@DaemonActor
final class WatchDesk: Desk {
    private let ledger: Ledger
    private let loop: EventLoop
    private var timer: TimerSource?
    /// The notice for which the timer is armed.
    private var armed: Engine.NextWatch?
    private(set) var isTelling = false
    private var hasFailed = false
    /// Watches whose notices cannot be recorded; not retried before the next start.
    private var refused: Set<WatchKey> = []

    /// With more watches, the next one is searched only when the timer fires.
    private static let fewWatches = 1_000

    init(ledger: Ledger, loop: EventLoop) {
        self.ledger = ledger
        self.loop = loop
    }

    func begin() throws {
        if timer == nil {
            timer = try loop.timer(clock: .boottime, accuracyMicroseconds: 100_000) { [weak self] in self?.tell() }
            let readings = ledger.ageClock.readings
            let time = WatchTime(believed: readings.believed, running: readings.running, lag: readings.lag)
            // The time by which watches are judged.
            ledger.adjust { engine in
                engine.setWatchTime(time, in: LocalZone { LocalDay.offset(atMilliseconds: $0.milliseconds) })
            }
        }
        hasFailed = false
        refused = []
        try lookAtClocks(needing: .watches)
        tell()
    }

    /// Stores the base times of watches by the current clock, for the next run.
    func stop() {
        do throws(WireError) {
            try lookAtClocks()
        } catch {
            Log.warning("what watches count from was not noted: \(error.message)")
        }
    }

    func end() {
        timer?.cancel()
        timer = nil
    }

    var timerName: String { "watch" }
    var dueAt: Timestamp? {
        ledger.earliestWatch(except: refused).map { ledger.now.adding(milliseconds: $0.milliseconds) }
    }

    var troubles: [Trouble] {
        refused.isEmpty ? [] : [("watches", "\(refused.count) alarms could not be recorded; the log says why")]
    }

    func follow(_ changes: Stored<Changes>, _ report: CommitReport) {
        var (hasCome, isSooner, isGone) = (false, false, false)
        for case .other(let row as WatchRow) in changes.value.rows {
            switch row {
            case .put(let watch):
                if watch.state.hasCome { hasCome = true }
                if watch.key == armed?.key { isGone = true }
                if let at = watch.wakesAt, at < armed?.at ?? .latest { isSooner = true }
            case .remove(let key): if key == armed?.key { isGone = true }
            case .clear: isGone = true
            }
        }
        if hasCome { return tell() }
        if isSooner || isGone && ledger.watchCount <= WatchDesk.fewWatches { rearm() }
    }

    func lookAtClock() {
        // Deferred, because this may be called from within a decision.
        DaemonActor.post { [weak self] in self?.tell() }
    }

    private func lookAtClocks(needing need: Need? = nil) throws(WireError) {
        let readings = ledger.ageClock.readings
        try ledger.decide(needing: need) { engine, changes, _ in
            engine.lookAtClocks(
                believed: readings.believed, running: readings.running, lag: readings.lag, into: &changes)
        }
    }

    private func rearm() {
        guard !isTelling, !hasFailed, let timer else { return }
        armed = ledger.earliestWatch(except: refused)
        guard let armed else { return timer.disarm() }
        timer.arm(afterMicroseconds: UInt64(armed.milliseconds) * 1_000)
    }

    /// Records all notices that are due, a batch per turn.
    private func tell() {
        guard !isTelling, timer != nil else { return }
        isTelling = true
        DaemonActor.task { [self] in
            defer {
                isTelling = false
                rearm()
            }
            do throws(WireError) {
                try lookAtClocks(needing: .watches)
                while true {
                    var due: [Engine.WatchDue] = []
                    try ledger.decide { [refused] engine, _, _ in engine.dueWatches(except: refused) }.note { due = $0 }
                    if due.isEmpty { return }
                    for watch in due { try tell(of: watch) }
                    try await ledger.settle()
                }
            } catch {
                // `begin` is called when the store accepts commits again.
                hasFailed = true
                Log.warning("alarms of watches could not be recorded, and wait for the store: \(error.message)")
            }
        }
    }

    private func tell(of due: Engine.WatchDue) throws(WireError) {
        let source = Source(uid: due.key.uid, pid: getpid())
        let decided: Decided<Engine.WatchTold?>
        do throws(WireError) {
            let need = try ledger.need(toRecord: due.event, in: due.scope, isUnattended: true)
            decided = try ledger.decide(needing: need) { engine, changes, now in
                engine.tellOfWatch(due.key, source: source, now: now, into: &changes)
            }
        } catch {
            guard error.reason != .storeUnavailable, error.reason != .shuttingDown else { throw error }
            refused.insert(due.key)
            return Log.error("an alarm could not be recorded: \(error.message)", WatchDesk.fields(due.key))
        }
        decided.then { outcome in
            guard case .success(let told) = outcome, let told = told.value else { return }
            guard told.event == Engine.watchMissed else { return }
            let late = told.late / 1_000
            let reason = late < 60 ? "" : "; that was \(late) s ago, while the daemon did not run or the machine slept"
            Log.notice("an event that is watched has not come" + reason, WatchDesk.fields(due.key))
        }
    }

    private static func fields(_ key: WatchKey) -> Log.Fields { ["watch": key.id.text, "uid": String(key.uid)] }
}
