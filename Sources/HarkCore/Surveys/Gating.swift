package import HarkWire

/// What is remembered about one survey and one user for as long as the store lives.
package struct Gating: Sendable, Equatable {
    /// Showings so far; in a survey that repeats, those of this round.
    package var attempts = 0
    package var lastPresented: Timestamp?
    package var completed: Timestamp?
    /// The session of the last showing, by app. A session that is not the current one of its app never is again, so
    /// one for each app is enough.
    package var sessions: [ExactName: Identifier] = [:]

    package init() {}

    /// What counts at a moment: when a survey repeats and its time has come round, only the last showing does.
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

    /// A showing or an answer that seems to lie ahead means that the clock was set back: it counts as of now, or a
    /// cooldown might last for years.
    mutating func mend(_ now: Timestamp) -> Bool {
        let before = self
        lastPresented = lastPresented.map { min($0, now) }
        completed = completed.map { min($0, now) }
        return self != before
    }
}
