import HarkAsking
import HarkWire

extension ReportPage {
    private static let mostStudies = 20

    /// The section about studies; empty if there are none.
    var studies: String {
        guard !report.studies.isEmpty else { return "" }
        let rows = report.studies.prefix(Self.mostStudies).map { study in
            let total = study.total
            return [
                Markup.recorded(study.survey), Plural.grouped(study.participants.count),
                Plural.grouped(total.expected), Plural.grouped(total.excused), Plural.grouped(total.delivered),
                Plural.grouped(total.answered), compliance(total.answered, of: total.expected),
                compliance(total.answered, of: total.delivered),
                StudyTally.median(total.latencies).map { DurationText.make($0) } ?? "–",
                StudyTally.median(total.durations).map { DurationText.make($0) } ?? "–",
            ]
        }
        let columns = [
            "Survey", "#Participants", "#Planned", "#Excused", "#Came", "#Answered", "#Of planned",
            "#Of those that came",
            "#Latency", "#Time",
        ]
        let words =
            "Prompts that are excused are not among the planned ones. The numbers in parentheses say where the true share "
            + "lies, with 95 % confidence (Wilson's interval). <code>hark study status</code> shows each participant."
        return section(
            "Studies", [table("Prompts of schedules that were due in this time", columns, rows), paragraph(words)])
    }

    private func compliance(_ count: Int, of total: Int) -> String {
        guard total > 0 else { return "–" }
        let interval = WilsonInterval(count, of: total)
        let (low, high) = (Int((interval.low * 100).rounded()), Int((interval.high * 100).rounded()))
        return "\(share(count, of: total)) (\(low)–\(high))"
    }
}
