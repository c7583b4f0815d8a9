/// What became of a survey when something happened that it listens to and whose condition held.
package struct SurveyVerdict: Sendable, Equatable {
    package enum Outcome: Sendable, Equatable {
        /// It waits for its delay, or is ready.
        case scheduled
        /// It waited already.
        case waits
        /// A limit did not allow it.
        case stopped(SurveyGate.Check)
        /// It might have been asked, but another survey was first.
        case turnTaken(by: String)
    }

    package let survey: String
    package let outcome: Outcome
}

extension Changes {
    /// Has the engine tell in `verdicts` what becomes of each survey, those after the first that is scheduled included.
    package mutating func tellVerdicts() { verdicts = verdicts ?? [] }

    /// Hands out the verdicts so far, and the next ones from here on.
    package mutating func takeVerdicts() -> [SurveyVerdict] {
        guard let told = verdicts, !told.isEmpty else { return [] }
        verdicts = []
        return told
    }

    /// Leaves out the records: only the state that follows from them is to be stored.
    package mutating func dropRecords() { records.removeAll(keepingCapacity: true) }

    mutating func note(_ outcome: SurveyVerdict.Outcome, of survey: Survey) {
        verdicts?.append(SurveyVerdict(survey: survey.id, outcome: outcome))
    }
}
