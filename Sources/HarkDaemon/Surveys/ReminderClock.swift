import HarkCore
import HarkStore
import HarkSystem
import HarkWire

/// Has people told once more of surveys that are ready: one timer for all of them, armed for the next.
///
/// The time counts from when a survey was last told of in this run; how often that was is stored, so that a restart sends
/// none twice.
@DaemonActor
final class ReminderClock {
    private let ledger: Ledger
    private let loop: EventLoop
    /// Tells somebody again, of what is stored.
    var onReminder: (Stored<Presentation>) -> Void = { _ in }
    /// When each is told of again, in microseconds of the monotonic clock, in which the machine does not sleep.
    private var due: [Identifier: UInt64] = [:]
    private var timer: TimerSource?

    init(ledger: Ledger, loop: EventLoop) {
        self.ledger = ledger
        self.loop = loop
    }

    /// Something has become of a presentation, or it was just told of.
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
            let now = SystemClock.monotonicMicroseconds
            timer?.arm(afterMicroseconds: next > now ? next - now : 0)
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

    /// Whoever was away is back, or the time has come.
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
