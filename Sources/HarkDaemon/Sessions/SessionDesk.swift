import HarkCore
import HarkStore
import HarkSystem
import HarkWire

/// Ends sessions in which nothing has been recorded for a while, so that what comes later is not taken for their user's.
///
/// Nothing is noted as records come. The timer is armed for the earliest session that may be over by then, and when it
/// goes off the newest record of each is looked at: a session costs one look in such a while.
@DaemonActor
final class SessionDesk: Desk {
    private let ledger: Ledger
    private let loop: EventLoop
    private var timer: TimerSource?
    /// How long nothing may come, in milliseconds; nil: sessions do not end by themselves.
    private var idle: Int64?
    private(set) var dueAt: Timestamp?
    private(set) var isLooking = false
    /// Something happened meanwhile that asks for another look.
    private var isToLookAgain = false

    /// So many sessions are looked at in one turn of the thread that reads.
    private nonisolated static let page = 64
    /// After a fault it is tried again so much later.
    private static let patience: Int64 = 3_600_000

    init(ledger: Ledger, loop: EventLoop) {
        self.ledger = ledger
        self.loop = loop
    }

    var timerName: String { "session" }

    func configure(_ settings: Configuration) {
        idle = settings.sections[SessionSettings.self].idle
        look()
    }

    func begin() throws {
        if timer == nil {
            timer = try loop.timer(clock: .boottime, accuracyMicroseconds: 1_000_000) { [weak self] in self?.look() }
        }
        look()
    }

    func end() {
        timer?.cancel()
        timer = nil
    }

    func follow(_ changes: Stored<Changes>, _ report: CommitReport) {
        // A session that began now is over later than any that is waited for.
        guard dueAt == nil, let idle else { return }
        for case .session(.setCurrent(_, _?)) in changes.value.rows {
            if isLooking { isToLookAgain = true } else { arm(for: ledger.ageClock.now.adding(milliseconds: idle)) }
            return
        }
    }

    /// The clock has jumped, is no longer believed, or is again.
    func lookAtClock() {
        // Comes from within a decision at times.
        DaemonActor.post { [weak self] in self?.look() }
    }

    private func arm(for due: Timestamp?) {
        dueAt = due
        timer?.disarm()
        guard let due, let idle else { return }
        // With a clock that was set back it would be later than all that may be over.
        let rest = min(max(0, due.milliseconds - ledger.ageClock.now.milliseconds), max(idle, SessionDesk.patience))
        timer?.arm(afterMicroseconds: UInt64(rest) * 1_000)
    }

    /// Ends what is over, and arms the timer for what will be next.
    private func look() {
        guard timer != nil else { return }
        guard let idle else { return arm(for: nil) }
        if isLooking {
            isToLookAgain = true
            return
        }
        (isLooking, isToLookAgain) = (true, false)
        DaemonActor.task { [self] in
            var next: Timestamp?
            do throws(WireError) {
                next = try await endIdle(for: idle)
            } catch {
                // Where the store takes no commits, `begin` comes once it does again.
                next = ledger.ageClock.now.adding(milliseconds: SessionDesk.patience)
                if error.reason != .shuttingDown {
                    Log.warning("sessions could not be looked through for those that are over: \(error.message)")
                }
            }
            isLooking = false
            arm(for: next)
            if isToLookAgain { look() }
        }
    }

    /// - Returns: when the next may be over; nil: there is none.
    private func endIdle(for idle: Int64) async throws(WireError) -> Timestamp? {
        var next: Timestamp?
        var count = 0
        var place: Scope?
        repeat {
            let page: [OpenSession]
            do throws(StoreError) {
                page = try await ledger.store.read { [place] reader throws(StoreError) in
                    try reader.openSessions(after: place, limit: SessionDesk.page)
                }
            } catch {
                throw WireError(error)
            }
            for open in page {
                let due = open.lastAt.adding(milliseconds: idle)
                if due <= ledger.ageClock.now, try end(open, idle) {
                    count += 1
                } else {
                    next = min(next ?? .latest, max(due, ledger.ageClock.now.adding(milliseconds: 1_000)))
                }
            }
            place = page.last?.place
        } while place != nil && timer != nil
        if count > 0 { Log.info("sessions ended in which nothing was recorded for long", ["count": String(count)]) }
        return next
    }

    /// - Returns: false if something has come since it was looked at.
    private func end(_ open: OpenSession, _ idle: Int64) throws(WireError) -> Bool {
        guard !ledger.isWriting(to: open.session) else { return false }
        let last = try ledger.lookUp { reader throws(StoreError) in try reader.lastArrival(in: open.session) }
        let due = last.adding(milliseconds: idle)
        guard due <= ledger.ageClock.now else { return false }
        try ledger.decide(needing: .scope(open.place)) { engine, changes, now in
            guard engine.sessions.current(open.place)?.identity == open.session else { return }
            let source = Source(uid: open.place.uid, pid: 0)
            _ = engine.endSession(open.place, source: source, now: now, earlier: min(now, due), into: &changes)
        }
        return true
    }
}
