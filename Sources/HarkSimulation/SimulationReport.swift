import HarkCore
import HarkWire

extension SimulationResult {
    /// The number of users that the report names.
    static let mostUsers = 10

    /// - Parameter simulations: One, or two to compare.
    init(_ simulations: [(file: String, simulation: Simulation)]) {
        self.init()
        self.simulations = simulations.map { SimulationInfo($0.simulation, of: $0.file) }
        guard simulations.count == 2, let new = simulations.first, let old = simulations.last else { return }
        differences = Self.differences(new.simulation.tally, old.simulation.tally)
    }

    /// For each survey in either file: the number of showings in both, and in only one.
    private static func differences(_ new: SimulationTally, _ old: SimulationTally) -> [SimulationDifference] {
        (new.ids + old.ids.filter { new.of($0) == nil }).map { id in
            let (mine, theirs) = (new.of(id)?.keys ?? [], old.of(id)?.keys ?? [])
            let both = mine.intersection(theirs).count
            var difference = SimulationDifference()
            difference.surveyId = id
            difference.both = Int64(both)
            difference.added = Int64(mine.count - both)
            difference.gone = Int64(theirs.count - both)
            return difference
        }
    }
}

extension SimulationInfo {
    fileprivate init(_ simulation: Simulation, of file: String) {
        self.init()
        let tally = simulation.tally
        self.file = file
        events = Int64(tally.events)
        outOfOrder = Int64(tally.outOfOrder)
        withoutSession = Int64(tally.withoutSession)
        realOfOtherSurveys = Int64(tally.realOfOthers)
        surveys = zip(tally.ids, tally.surveys).map { id, survey in
            var told = SimulatedSurvey(survey)
            told.surveyId = id
            told.asItWas = simulation.unrecorded.contains(ExactName(id))
            return told
        }
        users = Int64(tally.users.count)
        mostAsked = tally.mostAsked(SimulationResult.mostUsers).map { user, asked in
            var told = SimulatedUser()
            told.userId = user.userId
            told.uid = Int64(user.uid)
            told.shown = Int64(asked.shown)
            told.longestCalmSeconds = asked.calm / 1_000
            return told
        }
    }
}

extension SimulatedSurvey {
    fileprivate init(_ survey: SimulationTally.OfSurvey) {
        self.init()
        scheduled = Int64(survey.scheduled)
        shown = Int64(survey.shown)
        assumed = Int64(survey.assumed)
        answered = Int64(survey.answered)
        dismissed = Int64(survey.dismissed)
        unanswered = Int64(survey.unanswered)
        unseen = Int64(survey.unseen)
        waiting = Int64(survey.waiting)
        whileWaiting = Int64(survey.whileWaiting)
        reallyShown = Int64(survey.real)
        let checks = survey.stopped.sorted { (-$0.value, $0.key) < (-$1.value, $1.key) }
        stopped = AnyJSON(.object(JSONObject(checks.map { ($0.key, .int(Int64($0.value))) })))
        let others = survey.taken.sorted { (-$0.value, $0.key) < (-$1.value, $1.key) }
        turnTaken = AnyJSON(.object(JSONObject(others.map { ($0.key.text, .int(Int64($0.value))) })))
    }
}

extension SimulatedShowingInfo {
    init(_ showing: SimulatedShowing) {
        self.init()
        let presentation = showing.presentation
        surveyId = presentation.survey
        userId = presentation.user.userId
        uid = Int64(presentation.user.uid)
        app = presentation.app
        cameAboutAt = presentation.createdAt
        presentedAt = presentation.presentedAt
        closedAt = presentation.closedAt
        state = presentation.state.word
        reason = presentation.reason
        assumed = showing.real == nil
    }
}
