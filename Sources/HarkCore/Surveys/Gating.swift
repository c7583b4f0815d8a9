package import HarkWire

/// The history of one survey and one user, kept as long as the store.
package struct Gating: Sendable, Equatable {
    /// The number of showings; for a survey that repeats, of this round.
    package var attempts = 0
    package var lastPresented: Timestamp?
    package var completed: Timestamp?
    /// The session of the last showing, by app. A session that has stopped being current never is again, so one per app
    /// is enough.
    package var sessions: [ExactName: Identifier] = [:]

    package init() {}

    /// The history in force at a time: once a survey repeats, only the last showing counts.
    package func inForce(_ limits: SurveyLimits, at now: Timestamp) -> Gating {
        guard let period = limits.repeatEvery, let last = completed ?? lastPresented,
            now >= last.adding(milliseconds: period)
        else { return self }
        var fresh = Gating()
        fresh.lastPresented = lastPresented
        return fresh
    }

    mutating func countPresentation(app: String, session: Identifier, at now: Timestamp) {
        attempts += 1
        lastPresented = now
        sessions[ExactName(app)] = session
    }

    /// Corrects times in the future, which mean that the clock was set back: they count as now, or a cooldown might
    /// last for years.
    mutating func mend(_ now: Timestamp) -> Bool {
        let before = self
        lastPresented = lastPresented.map { min($0, now) }
        completed = completed.map { min($0, now) }
        return self != before
    }
}
