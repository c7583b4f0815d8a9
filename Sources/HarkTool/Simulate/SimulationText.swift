import HarkAsking
import HarkClient
import HarkWire

/// The result of a simulation, for people.
struct SimulationText {
    private let report: SimulationResult
    private let range: ClosedRange<Timestamp>
    private let begin: Timestamp?
    private let style: TextStyle
    private let columns: Int?

    /// - Parameters:
    ///   - begin: When the oldest event of the log came; nil: it is empty.
    ///   - columns: The width of the terminal; nil in a pipe.
    init(
        _ report: SimulationResult, _ range: ClosedRange<Timestamp>, begin: Timestamp?, _ style: TextStyle,
        columns: Int? = nil
    ) {
        self.report = report
        self.range = range
        self.begin = begin
        self.style = style
        self.columns = columns
    }

    var text: String {
        guard let first = report.simulations.first else { return "" }
        let parts = [
            head(first), surveys(of: first), stops(of: first), users(of: first), differences, notes(of: first),
        ]
        return parts.filter { !$0.isEmpty }.joined(separator: "\n\n")
    }

    private func head(_ simulation: SimulationInfo) -> String {
        let span = "\(LocalTime.secondText(range.lowerBound)) to \(LocalTime.secondText(range.upperBound))"
        let count = simulation.events
        let events = "\(Plural.count(count, "event")) that \(count == 1 ? "matters" : "matter") to it"
        let file = VisibleText.make(simulation.file)
        let about = style.bold("\(file), \(span): \(events)")
        return WordWrap.hanging("", about, indent: 2, columns: columns).joined(separator: "\n")
    }

    private func surveys(of simulation: SimulationInfo) -> String {
        let rows = simulation.surveys.map { survey in
            [VisibleText.make(survey.surveyId)]
                + [
                    survey.scheduled, survey.shown, survey.answered, survey.dismissed, survey.waiting,
                    survey.reallyShown,
                ].map { Plural.grouped($0) }
        }
        guard !rows.isEmpty else { return "The file has no surveys." }
        let head = ["survey", "came about", "shown", "answered", "dismissed", "waiting", "really shown"]
        return TextTable.text([head] + rows, style, columns: columns)
    }

    /// The reasons for which surveys were not shown, the most frequent first.
    private func stops(of simulation: SimulationInfo) -> String {
        var rows: [(count: Int64, survey: String, why: String)] = []
        for survey in simulation.surveys {
            let id = VisibleText.make(survey.surveyId)
            survey.stopped.json.forEachMember { key, count in
                rows.append((count.int ?? 0, id, Self.why(String(decoding: key, as: UTF8.self))))
                return true
            }
            survey.turnTaken.json.forEachMember { key, count in
                let other = JSONText(ArraySlice("\"".utf8 + key + "\"".utf8)).string ?? ""
                rows.append((count.int ?? 0, id, "\(VisibleText.value(other)) came first"))
                return true
            }
            for (count, why) in [
                (survey.whileWaiting, "it waited already"), (survey.unseen, "nobody saw it before it ran out"),
            ] where count > 0 {
                rows.append((count, id, why))
            }
        }
        guard !rows.isEmpty else { return "" }
        rows.sort { ($1.count, $0.survey, $0.why) < ($0.count, $1.survey, $1.why) }
        return TextTable.text(
            [["survey", "times", "not shown because"]] + rows.map { [$0.survey, Plural.grouped($0.count), $0.why] },
            style, columns: columns)
    }

    /// A limit in words; `hark explain` has the same ones, as what holds.
    private static func why(_ check: String) -> String {
        switch check {
        case "event": "an event cancelled it"
        case "answeredElsewhere": "it was answered meanwhile"
        case "withdrawn": "it was withdrawn"
        default: "of a limit: \(VisibleText.make(ExplanationText.title(check)))"
        }
    }

    private func users(of simulation: SimulationInfo) -> String {
        let asked = simulation.users
        guard asked > 0 else { return "Nobody would have been asked." }
        let rows = simulation.mostAsked.map { user in
            let calm = user.longestCalmSeconds
            return [
                user.userId.map { VisibleText.make($0) } ?? "nobody by name", Plural.grouped(user.shown),
                calm > 0 ? DurationText.make(Double(calm)) : "–",
            ]
        }
        let head = "\(asked == 1 ? "One user" : "\(Plural.grouped(asked)) users") would have been asked; most of all:"
        return head + "\n" + TextTable.text([["user", "asked", "longest calm"]] + rows, style, columns: columns)
    }

    private var differences: String {
        guard let told = report.differences, let other = report.simulations.last, !told.isEmpty else { return "" }
        let rows = told.map { difference in
            [VisibleText.make(difference.surveyId)]
                + [difference.both, difference.added, difference.gone].map { Plural.grouped($0) }
        }
        let file = VisibleText.make(other.file)
        return "Against \(file):\n"
            + TextTable.text([["survey", "in both", "more", "fewer"]] + rows, style, columns: columns)
    }

    /// Notes on the accuracy of the numbers.
    private func notes(of simulation: SimulationInfo) -> String {
        var notes: [String] = []
        if let begin, begin > range.lowerBound {
            notes.append("The log begins on \(LocalTime.secondText(begin)); what came before is gone.")
        } else if begin == nil {
            notes.append("The log has no events.")
        }
        let assumed = simulation.surveys.reduce(0) { $0 + $1.assumed }
        if assumed > 0 {
            notes.append(
                "\(Plural.count(assumed, "showing")) had no real counterpart: whether they are answered is chosen by chance."
            )
        }
        let taken = simulation.surveys.filter(\.asItWas).map { VisibleText.make($0.surveyId) }
        if !taken.isEmpty {
            notes.append(
                "Taken as they really were, as the log does not have what triggers them: \(taken.joined(separator: ", "))."
            )
        }
        for (count, why) in [
            (simulation.outOfOrder, "came out of order, as imported ones do, and are left out"),
            (simulation.withoutSession, "are of sessions that are gone, and are left out"),
        ] where count > 0 {
            notes.append("\(Plural.count(count, "event")) \(why).")
        }
        let others = simulation.realOfOtherSurveys
        if others > 0 {
            notes.append("\(Plural.count(others, "real showing")) were of surveys that the file does not have.")
        }
        return notes.flatMap { WordWrap.hanging("", style.dim($0), indent: 2, columns: columns) }
            .joined(separator: "\n")
    }

    /// One showing as a line.
    static func line(of showing: SimulatedShowingInfo) -> String {
        let time = showing.presentedAt.map { LocalTime.text($0) } ?? ""
        let user = showing.userId.map { VisibleText.make($0) } ?? "nobody by name"
        let reason = showing.reason.map { " (\(VisibleText.make($0)))" } ?? ""
        let app = showing.app == "default" ? "" : " in \(VisibleText.make(showing.app))"
        return
            "\(time)  \(VisibleText.make(showing.surveyId))  \(user)\(app): \(VisibleText.make(showing.state))\(reason)"
            + (showing.assumed ? ", assumed" : "")
    }
}
