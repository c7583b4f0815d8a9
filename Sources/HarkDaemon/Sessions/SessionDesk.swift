import HarkCore
import HarkLedger
import HarkSettings
import HarkStore
import HarkSystem
import HarkWire

/// Ends idle sessions, so that later records are not attributed to their users.
///
/// Recording has no extra cost. The timer fires for the earliest session that may be idle, and then the newest record
/// of each is looked up: once per session and idle time.
@DaemonActor
final class SessionDesk: ConfiguredDesk {
    private let ledger: Ledger
    private let loop: EventLoop
    private var timer: TimerSource?
    /// The idle time in milliseconds; nil: sessions do not end by themselves.
    private var idle: Int64?
    private(set) var dueAt: Timestamp?
    private(set) var isLooking = false
    /// Whether something happened meanwhile that requires another pass.
    private var isToLookAgain = false

    /// The number of sessions read in one turn of the reader thread.
    private nonisolated static let page = 64
    /// The delay before a retry after an error.
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
        // A session that began now ends later than those already waited for.
        guard dueAt == nil, let idle else { return }
        for case .session(.setCurrent(_, _?)) in changes.value.rows {
            if isLooking { isToLookAgain = true } else { arm(for: ledger.ageClock.now.adding(milliseconds: idle)) }
            return
        }
    }

    func lookAtClock() {
        // Deferred, because this may be called from within a decision.
        DaemonActor.post { [weak self] in self?.look() }
    }

    private func arm(for due: Timestamp?) {
        dueAt = due
        timer?.disarm()
        guard let due, let idle else { return }
        // Bounded, because a clock that was set back would make the delay too long.
        let rest = min(max(0, due.milliseconds - ledger.ageClock.now.milliseconds), max(idle, SessionDesk.patience))
        timer?.arm(afterMicroseconds: UInt64(rest) * 1_000)
    }

    /// Ends idle sessions, and arms the timer for the next.
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
                // If the store refuses commits, `begin` is called when it recovers.
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

    /// - Returns: When the next session may be idle; nil: there is none.
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

    /// - Returns: False if a record has come since it was looked up.
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
