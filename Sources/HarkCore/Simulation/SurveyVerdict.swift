/// The outcome for a survey whose event or counter occurred and whose condition held.
package struct SurveyVerdict: Sendable, Equatable {
    package enum Outcome: Sendable, Equatable {
        /// It waits for its delay, or is ready.
        case scheduled
        /// A presentation of it waits already.
        case waits
        /// A limit did not allow it.
        case stopped(SurveyGate.Check)
        /// It could have been asked, but another survey was first.
        case turnTaken(by: String)
    }

    package let survey: String
    package let outcome: Outcome
}

extension Changes {
    /// Makes the engine note in `verdicts` the outcome for each survey, including those after the first scheduled one.
    package mutating func tellVerdicts() { verdicts = verdicts ?? [] }

    /// Returns the verdicts since the last call.
    package mutating func takeVerdicts() -> [SurveyVerdict] {
        guard let told = verdicts, !told.isEmpty else { return [] }
        verdicts = []
        return told
    }

    /// Drops the records: only the state that follows from them must be stored.
    package mutating func dropRecords() { records.removeAll(keepingCapacity: true) }

    mutating func note(_ outcome: SurveyVerdict.Outcome, of survey: Survey) {
        verdicts?.append(SurveyVerdict(survey: survey.id, outcome: outcome))
    }
}
