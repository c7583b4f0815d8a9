import HarkCore
import HarkLedger
import HarkStore
import HarkSystem
import HarkWire

/// Reminds people of surveys that are ready, with one timer for the next reminder.
///
/// The time counts from the last notification in this run. The number of reminders is stored, so that a restart repeats
/// none.
@DaemonActor
final class ReminderClock {
    private let ledger: Ledger
    private let loop: EventLoop
    /// Sends a reminder of a stored presentation.
    var onReminder: (Stored<Presentation>) -> Void = { _ in }
    /// When each reminder is due, in microseconds of the monotonic clock, which stops while the machine sleeps.
    private var due: [Identifier: UInt64] = [:]
    private var timer: TimerSource?

    init(ledger: Ledger, loop: EventLoop) {
        self.ledger = ledger
        self.loop = loop
    }

    /// Updates the reminder of a presentation that has changed or was just notified of.
    func follow(_ presentation: Presentation, _ survey: Survey?) {
        guard presentation.state == .ready, presentation.prompt == nil,
            let gap = survey?.reminders.gap(after: presentation.reminders)
        else {
            if due.removeValue(forKey: presentation.id) != nil { rearm() }
            return
        }
        guard due[presentation.id] == nil else { return }
        due[presentation.id] = SystemClock.monotonicMicroseconds + UInt64(gap) * 1_000
        rearm()
    }

    func forget(_ id: Identifier) { if due.removeValue(forKey: id) != nil { rearm() } }

    func end() {
        due = [:]
        timer?.cancel()
        timer = nil
    }

    private func rearm() {
        guard let next = due.values.min() else {
            timer?.disarm()
            return
        }
        do throws(SystemError) {
            if timer == nil {
                timer = try loop.timer(clock: .monotonic, accuracyMicroseconds: 1_000_000) { [weak self] in
                    self?.fire()
                }
            }
            timer?.arm(atMicroseconds: next)
        } catch {
            Log.warning("nobody will be reminded of surveys: \(error)")
        }
    }

    private func fire() {
        let now = SystemClock.monotonicMicroseconds
        let ids = due.filter { $0.value <= now }.map(\.key).prefix(Engine.maxFired)
        for id in ids {
            due[id] = nil
            remind(id)
        }
        rearm()
    }

    /// Reminds of a presentation, because it is time or an absent user is back.
    func remind(_ id: Identifier) {
        do throws(WireError) {
            try ledger.decide(needing: .presentation(id)) { engine, changes, now in
                engine.remind(id, now: now, into: &changes)
            }.then { [weak self] outcome in
                guard case .success(let told) = outcome, let presentation = told.value else { return }
                self?.onReminder(told.map { _ in presentation })
            }
        } catch {
            Log.debug("nobody was reminded of a survey: \(error.message)")
        }
    }
}
