package import HarkWire

/// The history of one survey and one user, kept as long as the store.
package struct Gating: Sendable, Equatable {
    /// The number of showings; for a survey that repeats, of this round.
    package var attempts = 0
    package var lastPresented: Timestamp?
    /// The times of recent showings, in all rounds.
    package var recent = RecentTimes()
    package var completed: Timestamp?
    /// The session of the last showing, by app. A session that has stopped being current never is again, so one per app
    /// is enough.
    package var sessions: [ExactName: Identifier] = [:]
    /// The id of the variant that was drawn for the user.
    package var variant: String?

    package init() {}

    /// The history in force at a time: once a survey repeats, only the last showing counts.
    package func inForce(_ limits: SurveyLimits, at now: Timestamp) -> Gating {
        guard let period = limits.repeatEvery, let last = completed ?? lastPresented,
            now >= last.adding(milliseconds: period)
        else { return self }
        var fresh = Gating()
        fresh.lastPresented = lastPresented
        fresh.recent = recent
        fresh.variant = variant
        return fresh
    }

    /// The times that caps count. Earlier versions kept the last one only.
    var times: [Timestamp] { recent.times.isEmpty ? lastPresented.map { [$0] } ?? [] : recent.times }

    /// - Parameter kept: the number of showings whose times are kept.
    mutating func countPresentation(app: String, session: Identifier, keeping kept: Int, at now: Timestamp) {
        attempts += 1
        recent = RecentTimes(times)
        recent.note(now, keeping: kept)
        lastPresented = now
        sessions[ExactName(app)] = session
    }

    /// Corrects times in the future, which mean that the clock was set back: they count as now, or a cooldown might
    /// last for years.
    mutating func mend(_ now: Timestamp) -> Bool {
        let before = self
        lastPresented = lastPresented.map { min($0, now) }
        completed = completed.map { min($0, now) }
        recent.mend(now)
        return self != before
    }
}
