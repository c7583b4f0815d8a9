import HarkClient
import HarkWire

/// The totals of the time before that of a report.
struct ReportPast {
    let range: Range<Timestamp>
    var events: Int64 = 0
    var names: Int64 = 0
    var users: Int64?
    var sessions = SessionTally()
    var surveys: [String: SurveyTally] = [:]

    var answered: Int { surveys.values.reduce(0) { $0 + $1.answered } }

    init(_ range: Range<Timestamp>) { self.range = range }

    /// Returns the time of the same length before; nil if there is none.
    static func range(before since: Timestamp, _ until: Timestamp) -> Range<Timestamp>? {
        let length = until.milliseconds - since.milliseconds
        guard length > 0 else { return nil }
        let start = since.adding(milliseconds: -length)
        return start < since ? start..<since : nil
    }

    init(
        _ range: Range<Timestamp>, _ request: StatisticsRequest, _ pages: SessionPages,
        _ surveys: [String: SurveyTally], _ connection: inout Connection
    ) throws {
        self.range = range
        var request = request
        request.set(range)
        (request.by, request.distinct, request.step) = (["@name"], "@user", nil)
        let found = try request.ask(&connection, [])
        events = found.total.all.count
        names = found.groupCount
        users = found.total.all.distinct
        sessions = try SessionTally(pages, since: range.lowerBound, until: range.upperBound, &connection)
        self.surveys = surveys
    }
}

/// A change of a number since the time before, in percent.
enum ReportChange {
    /// Returns `▲ 12 %`; nil if there was nothing before, or no number.
    static func text(_ now: Double?, _ before: Double?) -> String? {
        guard let now, let before, now.isFinite, before.isFinite, before > 0 else { return nil }
        let percent = ((now - before) / before * 100).rounded()
        guard percent.magnitude < 1e6 else { return nil }
        if percent == 0 { return "± 0 %" }
        return (percent > 0 ? "▲ " : "▼ ") + NumberText.make(percent.magnitude) + " %"
    }
}
