package import HarkWire

/// The number of answers that a survey asks for, of all users together.
package struct SurveyQuota: Sendable, Equatable {
    /// A part of the answers, by a condition on the event that triggers the survey.
    package struct Cell: Sendable, Equatable {
        package let name: String
        package let condition: Condition
        package let answers: Int
    }

    /// nil: only cells are limited.
    package var answers: Int?
    /// The length of a period, in milliseconds; each begins anew. nil: there is one period without an end.
    package var period: Int64?
    /// Whether the answers of a period should come evenly.
    package var isSpread = false
    package var cells: [Cell] = []

    package static let mostAnswers = 1_000_000
    package static let mostCells = 16
    /// Ten years, in seconds.
    static let longestPeriod: Int64 = 315_360_000

    /// Periods are counted from a Monday, 5 January 1970, 00:00 UTC.
    private static let firstMonday: Int64 = 4 * 86_400_000

    /// The beginning of the period that contains a time; nil: there are no periods.
    package func begin(at now: Timestamp) -> Timestamp? {
        guard let period else { return nil }
        let (since, _) = now.milliseconds.subtractingReportingOverflow(SurveyQuota.firstMonday)
        let rest = since % period
        return Timestamp(milliseconds: now.milliseconds - (rest < 0 ? rest + period : rest))
    }

    /// The number of answers allowed by now; nil: unlimited.
    func allowed(at now: Timestamp) -> Int? {
        guard let answers, isSpread, let period, let begin = begin(at: now) else { return answers }
        let elapsed = min(max(now.milliseconds - begin.milliseconds, 0), period)
        return min(answers, Int(Int64(answers) * elapsed / period) + 1)
    }

    /// The cells that an event belongs to.
    func cells(of event: Properties) -> [Cell] {
        guard !cells.isEmpty else { return [] }
        let value = event.lookup(times: cells.count)
        return cells.filter { $0.condition.holds(value) }
    }

    /// The properties that the conditions of cells test.
    var properties: [String] { cells.flatMap { $0.condition.names.sorted().map(\.text) } }
}

/// The number of answers of a survey in a period.
package struct QuotaCount: Sendable, Equatable {
    /// The name under which all answers are counted.
    package static let all = ""

    /// nil: the quota has no periods.
    package var begins: Timestamp?
    /// By the name of the cell.
    package var answers: [String: Int]

    package init(begins: Timestamp? = nil, answers: [String: Int] = [:]) {
        self.begins = begins
        self.answers = answers
    }

    subscript(name: String) -> Int { answers[name] ?? 0 }
}

/// The quotas of all surveys; they are few, and stay in memory once they were needed.
struct QuotaBook: Sendable {
    private(set) var isLoaded = false
    private var counts: [ExactName: QuotaCount] = [:]
    /// For the surveys of a hub.
    var credits = CreditBook()

    mutating func admit(_ stored: [ExactName: QuotaCount], _ accounts: [ExactName: [CreditAccount]]) {
        guard !isLoaded else { return }
        counts = stored
        credits.admit(accounts)
        isLoaded = true
    }

    var restarted: QuotaBook {
        var book = QuotaBook()
        book.credits = credits.restarted
        return book
    }

    /// The count of a survey in the period that contains a time.
    func count(of survey: String, _ quota: SurveyQuota, at now: Timestamp) -> QuotaCount {
        let begins = quota.begin(at: now)
        guard let count = counts[ExactName(survey)], count.begins == begins else { return QuotaCount(begins: begins) }
        return count
    }

    mutating func put(_ count: QuotaCount, of survey: String) {
        assert(isLoaded, Unasked.message)
        counts[ExactName(survey)] = count
    }
}

/// The state of a survey's quota, for one event.
struct QuotaStanding: Sendable {
    let quota: SurveyQuota
    let count: QuotaCount
    /// The number of showings on screen, in all and by cell: each has its place.
    let reserved: [String: Int]
    /// The names of the cells that the event belongs to.
    let cells: [SurveyQuota.Cell]
    let now: Timestamp
    /// nil: this store counts for itself.
    var credits: Credits?

    private func used(_ name: String) -> Int { count[name] + (reserved[name] ?? 0) }

    /// Whether the survey can be shown.
    var hasRoom: Bool {
        if let credits { return hasRoom(credits) }
        return (quota.allowed(at: now).map { used(QuotaCount.all) < $0 } ?? true)
            && cells.allSatisfy { used($0.name) < $0.answers }
    }

    var words: String {
        if let credits { return words(credits) }
        var parts: [String] = []
        if let answers = quota.answers {
            parts.append("\(told(QuotaCount.all)) of \(SurveyQuota.answers(answers))")
            if quota.isSpread, let open = quota.allowed(at: now) { parts.append("\(open) are open by now") }
        }
        parts += cells.map { "\(told($0.name)) of \($0.answers) in '\($0.name)'" }
        if parts.isEmpty { parts.append("this event is in no cell, and all answers have no limit") }
        return parts.joined(separator: ", ") + (count.begins.map { ", since \($0)" } ?? "")
    }

    private func told(_ name: String) -> String {
        let open = reserved[name] ?? 0
        return open == 0 ? "\(count[name])" : "\(count[name]) (and \(open) being asked)"
    }
}

extension Engine {
    /// The state of a survey's quota; nil: it has none.
    func standing(_ survey: Survey, for event: Properties, now: Timestamp) -> QuotaStanding? {
        guard let quota = survey.quota else { return nil }
        var reserved: [String: Int] = [:]
        for id in surveys.shown(of: survey.id) {
            guard let shown = surveys.presentation(id), Engine.counts(shown), isOfPeriod(shown, quota, at: now) else {
                continue
            }
            reserved[QuotaCount.all, default: 0] += 1
            for cell in quota.cells(of: shown.trigger) { reserved[cell.name, default: 0] += 1 }
        }
        let now = believed(now)
        var standing = QuotaStanding(
            quota: quota, count: quotas.count(of: survey.id, quota, at: now), reserved: reserved,
            cells: quota.cells(of: event), now: now)
        standing.credits = credits(of: survey, quota, at: now)
        return standing
    }

    /// Counts an answer, and records an event for each limit that it reaches. `follow` must be called for each once all else is
    /// done.
    mutating func spendQuota(
        _ survey: Survey, _ presentation: Presentation, in session: SessionIdentity, source: Source, now: Timestamp,
        into changes: inout Changes
    ) -> [SurveyEvent] {
        guard let quota = survey.quota, Engine.counts(presentation) else { return [] }
        if hasCredits {
            spendCredits(survey, quota, presentation, now: now, into: &changes)
            return []
        }
        var count = quotas.count(of: survey.id, quota, at: believed(now))
        let cells = quota.cells(of: presentation.trigger)
        for name in [QuotaCount.all] + cells.map(\.name) { count.answers[name, default: 0] += 1 }
        put(count, of: survey, into: &changes)
        let limits: [(name: String, answers: Int?)] =
            [(QuotaCount.all, quota.answers)] + cells.map { ($0.name, $0.answers) }
        return limits.filter { $0.answers == count[$0.name] }.map { name, _ in
            let cell: [(String, PropertyValue)] = name == QuotaCount.all ? [] : [("cell", .string(name))]
            return emit(
                SurveyEvents.quota, [("id", .string(survey.id))] + cell, of: presentation, in: session, source: source,
                now: now, into: &changes)
        }
    }

    /// Handles that an answer was withdrawn; within its period its place is free again.
    mutating func giveBackQuota(_ presentation: Presentation, now: Timestamp, into changes: inout Changes) {
        guard let survey = surveys.configuration.survey(presentation.survey), let quota = survey.quota,
            Engine.counts(presentation), let closed = presentation.closedAt
        else { return }
        if hasCredits { return freeCredits(survey, quota, presentation, into: &changes) }
        var count = quotas.count(of: survey.id, quota, at: believed(now))
        guard quota.begin(at: closed) == count.begins else { return }
        for name in [QuotaCount.all] + quota.cells(of: presentation.trigger).map(\.name) where count[name] > 0 {
            count.answers[name, default: 0] -= 1
        }
        put(count, of: survey, into: &changes)
    }

    private mutating func put(_ count: QuotaCount, of survey: Survey, into changes: inout Changes) {
        quotas.put(count, of: survey.id)
        changes.rows.append(.survey(.putQuota(count, survey: survey.id)))
    }

    /// Showings of debug mode do not count; visitors of a kiosk have no history, and do count.
    static func counts(_ presentation: Presentation) -> Bool {
        presentation.prompt == nil && (!presentation.isUncounted || presentation.isVisitors)
    }
}

extension SurveyQuota {
    /// The quota in words.
    var words: [String] {
        let span = period.map { " within \(SurveyGate.seconds($0)) s" } ?? ""
        return (answers.map { ["\(SurveyQuota.answers($0))\(span)\(isSpread ? ", evenly" : "")"] } ?? [])
            + cells.map { "\(SurveyQuota.answers($0.answers))\(span) where \($0.condition.words) (\($0.name))" }
    }

    static func answers(_ count: Int) -> String { count == 1 ? "1 answer" : "\(count) answers" }
}
