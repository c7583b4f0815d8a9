import HarkAsking
import HarkClient
import HarkWire

/// What came of a simulation, for people.
struct SimulationText {
    private let report: JSONText
    private let range: ClosedRange<Timestamp>
    private let begin: Timestamp?
    private let style: TextStyle
    private let columns: Int?

    /// - Parameters:
    ///   - begin: When the oldest event of the log came; nil: it is empty.
    ///   - columns: The width of the terminal; nil in a pipe.
    init(
        _ report: JSONText, _ range: ClosedRange<Timestamp>, begin: Timestamp?, _ style: TextStyle,
        columns: Int? = nil
    ) {
        self.report = report
        self.range = range
        self.begin = begin
        self.style = style
        self.columns = columns
    }

    private var simulations: [JSONText] { report.member("simulations")?.elements ?? [] }

    var text: String {
        guard let first = simulations.first else { return "" }
        let parts = [
            head(first), surveys(of: first), stops(of: first), users(of: first), differences, notes(of: first),
        ]
        return parts.filter { !$0.isEmpty }.joined(separator: "\n\n")
    }

    private func head(_ simulation: JSONText) -> String {
        let span = "\(LocalTime.secondText(range.lowerBound)) to \(LocalTime.secondText(range.upperBound))"
        let count = simulation.member("events")?.int ?? 0
        let events = "\(Plural.count(count, "event")) that \(count == 1 ? "matters" : "matter") to it"
        let file = VisibleText.make(simulation.member("file")?.string ?? "")
        let about = style.bold("\(file), \(span): \(events)")
        return WordWrap.hanging("", about, indent: 2, columns: columns).joined(separator: "\n")
    }

    private func surveys(of simulation: JSONText) -> String {
        let rows = elements("surveys", of: simulation).map { survey in
            [
                Self.id(of: survey), Self.number("scheduled", of: survey), Self.number("shown", of: survey),
                Self.number("answered", of: survey), Self.number("dismissed", of: survey),
                Self.number("waiting", of: survey), Self.number("reallyShown", of: survey),
            ]
        }
        guard !rows.isEmpty else { return "The file has no surveys." }
        let head = ["survey", "came about", "shown", "answered", "dismissed", "waiting", "really shown"]
        return TextTable.text([head] + rows, style, columns: columns)
    }

    /// What kept surveys from being shown, the most frequent first.
    private func stops(of simulation: JSONText) -> String {
        var rows: [(count: Int64, survey: String, why: String)] = []
        for survey in elements("surveys", of: simulation) {
            let id = Self.id(of: survey)
            survey.member("stopped")?.forEachMember { key, count in
                rows.append((count.int ?? 0, id, Self.why(String(decoding: key, as: UTF8.self))))
                return true
            }
            survey.member("turnTaken")?.forEachMember { key, count in
                let other = JSONText(ArraySlice("\"".utf8 + key + "\"".utf8)).string ?? ""
                rows.append((count.int ?? 0, id, "\(VisibleText.value(other)) had its turn"))
                return true
            }
            for (name, why) in [
                ("whileWaiting", "it waited already"), ("unseen", "nobody saw it before it ran out"),
            ] as [(StaticString, String)] {
                if let count = survey.member(name)?.int, count > 0 { rows.append((count, id, why)) }
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

    private func users(of simulation: JSONText) -> String {
        let asked = simulation.member("users")?.int ?? 0
        guard asked > 0 else { return "Nobody would have been asked." }
        let rows = elements("mostAsked", of: simulation).map { user in
            let calm = user.member("longestCalmSeconds")?.int ?? 0
            return [
                user.member("userId")?.string.map { VisibleText.make($0) } ?? "nobody by name",
                Self.number("shown", of: user), calm > 0 ? DurationText.make(Double(calm)) : "–",
            ]
        }
        let head = "\(asked == 1 ? "One user" : "\(Plural.grouped(asked)) users") would have been asked; most of all:"
        return head + "\n" + TextTable.text([["user", "asked", "longest calm"]] + rows, style, columns: columns)
    }

    private var differences: String {
        let told = report.member("differences")?.elements ?? []
        guard let other = simulations.last, !told.isEmpty else { return "" }
        let rows = told.map { difference in
            [
                Self.id(of: difference), Self.number("both", of: difference), Self.number("added", of: difference),
                Self.number("gone", of: difference),
            ]
        }
        let file = VisibleText.make(other.member("file")?.string ?? "")
        return "Against \(file):\n"
            + TextTable.text([["survey", "in both", "more", "fewer"]] + rows, style, columns: columns)
    }

    /// What limits how far the numbers can be trusted.
    private func notes(of simulation: JSONText) -> String {
        var notes: [String] = []
        if let begin, begin > range.lowerBound {
            notes.append("The log begins on \(LocalTime.secondText(begin)); what came before is gone.")
        } else if begin == nil {
            notes.append("The log has no events.")
        }
        let surveys = elements("surveys", of: simulation)
        let assumed = surveys.reduce(0) { $0 + ($1.member("assumed")?.int ?? 0) }
        if assumed > 0 {
            notes.append(
                "\(Plural.count(assumed, "showing")) had no real counterpart: whether they are answered is chosen by chance."
            )
        }
        let taken = surveys.filter { $0.member("asItWas")?.bool == true }.map(Self.id)
        if !taken.isEmpty {
            notes.append(
                "Taken as it really was, as the log does not have what it goes by: \(taken.joined(separator: ", ")).")
        }
        for (name, why) in [
            ("outOfOrder", "came in no order of time, as imported ones do, and are left out"),
            ("withoutSession", "are of sessions that are gone, and are left out"),
        ] as [(StaticString, String)] {
            if let count = simulation.member(name)?.int, count > 0 {
                notes.append("\(Plural.count(count, "event")) \(why).")
            }
        }
        if let others = simulation.member("realOfOtherSurveys")?.int, others > 0 {
            notes.append("\(Plural.count(others, "real showing")) were of surveys that the file does not have.")
        }
        return notes.flatMap { WordWrap.hanging("", style.dim($0), indent: 2, columns: columns) }
            .joined(separator: "\n")
    }

    /// One showing as a line.
    static func line(of showing: JSONText) -> String {
        let time = showing.member("presentedAt")?.string.map { LocalTime.text(iso: $0) } ?? ""
        let user = showing.member("userId")?.string.map { VisibleText.make($0) } ?? "nobody by name"
        let state = showing.member("state")?.string ?? ""
        let reason = showing.member("reason")?.string.map { " (\(VisibleText.make($0)))" } ?? ""
        let assumed = showing.member("assumed")?.bool == true ? ", assumed" : ""
        let app = showing.member("app")?.string.flatMap { $0 == "default" ? nil : " in \(VisibleText.make($0))" } ?? ""
        return "\(time)  \(id(of: showing))  \(user)\(app): \(VisibleText.make(state))\(reason)\(assumed)"
    }

    private func elements(_ name: StaticString, of object: JSONText) -> [JSONText] {
        object.member(name)?.elements ?? []
    }

    private static func id(of object: JSONText) -> String {
        VisibleText.make(object.member("surveyId")?.string ?? "")
    }

    private static func number(_ name: StaticString, of object: JSONText) -> String {
        Plural.grouped(object.member(name)?.int ?? 0)
    }
}
