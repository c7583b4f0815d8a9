import HarkCore
import HarkWire

/// Writes what came of simulations as JSON.
enum SimulationReport {
    /// The number of users that the report names.
    static let mostUsers = 10

    /// - Parameter simulations: one, or two to compare.
    static func write(_ simulations: [(file: String, simulation: Simulation)], to json: inout JSONWriter) {
        json.key("simulations")
        json.beginArray()
        for (file, simulation) in simulations { write(simulation, of: file, to: &json) }
        json.endArray()
        guard simulations.count == 2, let new = simulations.first, let old = simulations.last else { return }
        json.key("differences")
        json.beginArray()
        writeDifferences(new.simulation.tally, old.simulation.tally, to: &json)
        json.endArray()
    }

    private static func write(_ simulation: Simulation, of file: String, to json: inout JSONWriter) {
        let tally = simulation.tally
        json.beginObject()
        json.key("file")
        json.string(file)
        json.count("events", tally.events)
        json.count("outOfOrder", tally.outOfOrder)
        json.count("withoutSession", tally.withoutSession)
        json.count("realOfOtherSurveys", tally.realOfOthers)
        json.key("surveys")
        json.beginArray()
        for (id, survey) in zip(tally.ids, tally.surveys) {
            json.beginObject()
            json.key("surveyId")
            json.string(id)
            json.key("asItWas")
            json.bool(simulation.unrecorded.contains(ExactName(id)))
            write(survey, to: &json)
            json.endObject()
        }
        json.endArray()
        json.count("users", tally.users.count)
        json.key("mostAsked")
        json.beginArray()
        for (user, asked) in tally.mostAsked(mostUsers) {
            json.beginObject()
            json.key("userId")
            if let id = user.userId { json.string(id) } else { json.null() }
            json.count("uid", Int(user.uid))
            json.count("shown", asked.shown)
            json.count("longestCalmSeconds", Int(asked.calm / 1_000))
            json.endObject()
        }
        json.endArray()
        json.endObject()
    }

    private static func write(_ survey: SimulationTally.OfSurvey, to json: inout JSONWriter) {
        for (name, count) in [
            ("scheduled", survey.scheduled), ("shown", survey.shown), ("assumed", survey.assumed),
            ("answered", survey.answered), ("dismissed", survey.dismissed), ("unanswered", survey.unanswered),
            ("unseen", survey.unseen), ("waiting", survey.waiting), ("whileWaiting", survey.whileWaiting),
            ("reallyShown", survey.real),
        ] as [(StaticString, Int)] {
            json.count(name, count)
        }
        json.key("stopped")
        json.beginObject()
        for (check, count) in survey.stopped.sorted(by: { (-$0.value, $0.key) < (-$1.value, $1.key) }) {
            json.key(check)
            json.int(count)
        }
        json.endObject()
        json.key("turnTaken")
        json.beginObject()
        for (other, count) in survey.taken.sorted(by: { (-$0.value, $0.key) < (-$1.value, $1.key) }) {
            json.key(other.text)
            json.int(count)
        }
        json.endObject()
    }

    /// Of each survey of either file, how many showings both have, and how many one has alone.
    private static func writeDifferences(
        _ new: SimulationTally, _ old: SimulationTally, to json: inout JSONWriter
    ) {
        let others = old.ids.filter { new.of($0) == nil }
        for id in new.ids + others {
            let (mine, theirs) = (new.of(id)?.keys ?? [], old.of(id)?.keys ?? [])
            let both = mine.intersection(theirs).count
            json.beginObject()
            json.key("surveyId")
            json.string(id)
            json.count("both", both)
            json.count("added", mine.count - both)
            json.count("gone", theirs.count - both)
            json.endObject()
        }
    }

    /// Writes one showing.
    static func write(_ showing: SimulatedShowing, to json: inout JSONWriter) {
        let presentation = showing.presentation
        json.key("surveyId")
        json.string(presentation.survey)
        json.key("userId")
        if let id = presentation.user.userId { json.string(id) } else { json.null() }
        json.count("uid", Int(presentation.user.uid))
        json.key("app")
        json.string(presentation.app)
        json.key("cameAboutAt")
        json.timestamp(presentation.createdAt)
        if let presented = presentation.presentedAt {
            json.key("presentedAt")
            json.timestamp(presented)
        }
        if let closed = presentation.closedAt {
            json.key("closedAt")
            json.timestamp(closed)
        }
        json.key("state")
        json.string(presentation.state.word)
        if let reason = presentation.reason {
            json.key("reason")
            json.string(reason)
        }
        json.key("assumed")
        json.bool(showing.real == nil)
    }
}

extension JSONWriter {
    fileprivate mutating func count(_ name: StaticString, _ count: Int) {
        key(name)
        int(count)
    }
}
