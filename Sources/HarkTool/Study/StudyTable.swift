import HarkClient
import HarkWire

/// How a study goes: as a table for people, rows for programs, and JSON.
enum StudyTable {
    static let columns = [
        "survey", "participant", "machine", "group", "planned", "excused", "open", "delivered", "answered",
        "compliance",
        "compliance_low", "compliance_high", "of_delivered", "of_delivered_low", "of_delivered_high", "latency_seconds",
        "duration_seconds", "fast", "same", "reasons",
    ]

    static func row(
        _ participant: StudyTally.Participant, of tally: StudyTally, _ table: CSVTable
    ) -> [String] {
        let counts = [
            participant.planned, participant.excused, participant.open, participant.delivered, participant.answered,
        ].map(String.init)
        let shares = [participant.expected, participant.delivered].flatMap { total -> [String] in
            guard total > 0 else { return ["", "", ""] }
            let interval = WilsonInterval(participant.answered, of: total)
            return [Double(participant.answered) / Double(total), interval.low, interval.high].map(number)
        }
        let reasons = participant.reasons.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        let latency = StudyTally.median(participant.latencies).map(number) ?? ""
        let duration = StudyTally.median(participant.durations).map(number) ?? ""
        var row = [tally.survey] + [participant.user, participant.machine, participant.group].map { $0 ?? "" }
        row = row.map(table.text)
        row += counts
        row += shares
        row += [latency, duration, "\(participant.fast(below: tally.fastLimit))", "\(participant.sameAnswers)"]
        row.append(table.text(reasons.joined(separator: ";")))
        return row
    }

    /// A number with three digits after the decimal point.
    private static func number(_ value: Double) -> String {
        let thousandths = Int64((value * 1_000).rounded())
        let rest = String(abs(thousandths) % 1_000)
        return (thousandths < 0 ? "-" : "") + "\(abs(thousandths) / 1_000)."
            + String(repeating: "0", count: 3 - rest.count) + rest
    }

    static func text(_ tally: StudyTally, withReasons: Bool, _ style: TextStyle) -> String {
        guard !tally.participants.isEmpty else {
            return "\(VisibleText.value(tally.survey)): no prompt's time has come yet"
        }
        let head = [
            "PARTICIPANT", "PLANNED", "CAME", "ANSWERED", "OF PLANNED", "OF THOSE THAT CAME", "LATENCY", "TIME", "FAST",
            "SAME",
            "DAYS",
        ]
        let isFleet = tally.participants.contains { $0.machine != nil }
        var rows = [(isFleet ? ["MACHINE"] : []) + head]
        let all = tally.participants + (tally.participants.count > 1 ? [tally.total] : [])
        for (place, participant) in all.enumerated() {
            let isTotal = place == tally.participants.count
            let name = isTotal ? "all" : participant.user.map { VisibleText.value($0) } ?? "-"
            let planned = participant.planned - participant.open
            let excused = participant.excused > 0 ? " (\(participant.excused) excused)" : ""
            let latency = StudyTally.median(participant.latencies).map { DurationText.make($0) } ?? "-"
            let duration = StudyTally.median(participant.durations).map { DurationText.make($0) } ?? "-"
            var row: [String] = []
            if isFleet { row.append(participant.machine.map { VisibleText.value($0) } ?? "-") }
            row += [name, "\(planned)\(excused)", "\(participant.delivered)", "\(participant.answered)"]
            row.append(share(participant.answered, of: participant.expected))
            row.append(share(participant.answered, of: participant.delivered))
            row += [latency, duration]
            row += ["\(participant.fast(below: tally.fastLimit))", "\(participant.sameAnswers)"]
            row.append(isTotal ? "" : signs(of: participant))
            rows.append(row)
        }
        var parts = ["\(VisibleText.value(tally.survey))", TextTable.text(rows, style)]
        if withReasons { parts.append(reasons(tally.total)) }
        return parts.joined(separator: "\n")
    }

    private static func share(_ count: Int, of total: Int) -> String {
        guard total > 0 else { return "-" }
        let interval = WilsonInterval(count, of: total)
        let percent = [Double(count) / Double(total), interval.low, interval.high].map { Int(($0 * 100).rounded()) }
        return "\(percent[0]) % (\(percent[1])–\(percent[2]))"
    }

    /// The signs of the last 14 days, one for each prompt.
    private static func signs(of participant: StudyTally.Participant) -> String {
        participant.days.suffix(14).map { day in
            day.fates.map { fate in
                switch fate {
                case .answered: "●"
                case .ignored: "○"
                case .missed: "·"
                case .excused: "-"
                case .open: "?"
                }
            }.joined()
        }.joined(separator: " ")
    }

    private static func reasons(_ total: StudyTally.Participant) -> String {
        let told = total.reasons.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        if told.isEmpty { return "nothing was missed" }
        return "not answered: " + told.map { "\(VisibleText.make($0.key)) \($0.value)" }.joined(separator: ", ")
    }

    static func json(_ tally: StudyTally) -> [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        json.key("surveyId")
        json.string(tally.survey)
        json.key("participants")
        json.beginArray()
        for participant in tally.participants { write(participant, of: tally, to: &json) }
        json.endArray()
        json.key("total")
        write(tally.total, of: tally, to: &json)
        json.endObject()
        return json.bytes
    }

    private static func write(_ one: StudyTally.Participant, of tally: StudyTally, to json: inout JSONWriter) {
        json.beginObject()
        for (name, text) in [("userId" as StaticString, one.user), ("machine", one.machine), ("group", one.group)] {
            guard let text else { continue }
            json.key(name)
            json.string(text)
        }
        let counts: [(StaticString, Int)] = [
            ("planned", one.planned), ("excused", one.excused), ("open", one.open), ("delivered", one.delivered),
            ("answered", one.answered), ("fast", one.fast(below: tally.fastLimit)), ("same", one.sameAnswers),
        ]
        for (name, count) in counts {
            json.key(name)
            json.int(count)
        }
        for (name, total) in [("compliance" as StaticString, one.expected), ("ofDelivered", one.delivered)]
        where total > 0 {
            let interval = WilsonInterval(one.answered, of: total)
            json.key(name)
            json.beginObject()
            let values: [(StaticString, Double)] = [
                ("share", Double(one.answered) / Double(total)), ("low", interval.low), ("high", interval.high),
            ]
            for (key, value) in values {
                json.key(key)
                json.double(value)
            }
            json.endObject()
        }
        let medians: [(StaticString, Double?)] = [
            ("latencySeconds", StudyTally.median(one.latencies)), ("durationSeconds", StudyTally.median(one.durations)),
        ]
        for (name, value) in medians {
            guard let value else { continue }
            json.key(name)
            json.double(value)
        }
        json.key("reasons")
        json.beginObject()
        for (reason, count) in one.reasons.sorted(by: { $0.key < $1.key }) {
            json.key(reason)
            json.int(count)
        }
        json.endObject()
        json.endObject()
    }
}
