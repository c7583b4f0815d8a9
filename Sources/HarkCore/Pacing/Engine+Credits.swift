package import HarkWire

/// The credits of this machine: the answers of a fleet's quotas that its hub has dealt it.
extension Engine {
    /// Whether the surveys in force come from a hub that deals their quotas.
    var hasCredits: Bool { quotas.credits.isDealt && surveys.configuration.isFromHub }

    /// The surveys whose quotas the hub deals.
    package var creditSurveys: [Survey] {
        hasCredits ? surveys.configuration.surveys.filter { $0.quota != nil } : []
    }

    /// Sets whether the hub deals credits.
    package mutating func setCredits(areDealt: Bool) { quotas.credits.isDealt = areDealt }

    /// Uses no credits before the hub's next report.
    package mutating func suspendCredits() { quotas.credits.forgetWords() }

    func credits(of survey: Survey, _ quota: SurveyQuota, at now: Timestamp) -> QuotaStanding.Credits? {
        guard hasCredits else { return nil }
        let begins = quota.begin(at: now)
        return QuotaStanding.Credits(
            account: quotas.credits.account(of: survey.id, begins: begins),
            isUsable: quotas.credits.isUsable(survey.id),
            told: quotas.credits.standing(of: survey.id, begins: begins))
    }

    /// Whether a showing belongs to the current period. If credits count, one that began in an earlier period has a credit of
    /// that period.
    func isOfPeriod(_ shown: Presentation, _ quota: SurveyQuota, at now: Timestamp) -> Bool {
        guard hasCredits, let period = quotas.credits.period(of: shown.id) else { return true }
        return period == quota.begin(at: believed(now))
    }

    mutating func reserveCredit(_ presentation: Presentation, _ survey: Survey, now: Timestamp) {
        guard hasCredits, presentation.prompt == nil, let quota = survey.quota else { return }
        quotas.credits.show(
            presentation.id, in: quota.begin(at: believed(now)), keeping: Set(surveys.allShown.map(\.id)))
    }

    mutating func spendCredits(
        _ survey: Survey, _ quota: SurveyQuota, _ presentation: Presentation, now: Timestamp,
        into changes: inout Changes
    ) {
        let begins = quotas.credits.period(of: presentation.id) ?? quota.begin(at: believed(now))
        var account = quotas.credits.account(of: survey.id, begins: begins)
        for name in quota.counted(presentation.trigger) { account[name].spent += 1 }
        put(account, of: survey.id, into: &changes)
    }

    /// Frees the credits of an answer that was withdrawn. An answer that was given in another period than the showing began in
    /// frees nothing.
    mutating func freeCredits(
        _ survey: Survey, _ quota: SurveyQuota, _ presentation: Presentation, into changes: inout Changes
    ) {
        guard let closed = presentation.closedAt, let presented = presentation.presentedAt,
            quota.begin(at: closed) == quota.begin(at: presented)
        else { return }
        var account = quotas.credits.account(of: survey.id, begins: quota.begin(at: closed))
        for name in quota.counted(presentation.trigger) where account[name].used > 0 { account[name].freed += 1 }
        put(account, of: survey.id, into: &changes)
    }

    private mutating func put(_ account: CreditAccount, of survey: String, into changes: inout Changes) {
        let all = quotas.credits.put(account, of: survey)
        changes.rows.append(.survey(.putCredits(all, survey: survey)))
    }

    // MARK: Reports to and from the hub

    /// A machine's report to its hub about a quota.
    package struct CreditReport: Sendable, Equatable {
        package let survey: String
        package let account: CreditAccount
        /// The surveys that wait or are on screen: the cells of each, and their number.
        package var wants: [[String]: Int] = [:]

        /// Whether the hub knows all of it from another report. The dealt credits do not count, because they come from the hub.
        package func saysNothingNew(after other: CreditReport) -> Bool {
            var (own, before) = (account, other.account)
            for name in own.cells.keys { own[name].dealt = 0 }
            for name in before.cells.keys { before[name].dealt = 0 }
            let isSame = Set(own.cells.keys).union(before.cells.keys).allSatisfy { own[$0] == before[$0] }
            return isSame && survey.hasSameBytes(as: other.survey) && own.begins == before.begins
                && wants == other.wants
        }
    }

    /// The most waiting surveys of each kind in a report.
    package static let mostWanted = 1_000

    /// The state of all credits. The store must have been read (`Need.quotas`).
    ///
    /// - Parameter isShownAlone: whether only surveys on screen count as wanted.
    package func creditReports(isShownAlone: Bool = false, now: Timestamp) -> [CreditReport] {
        let believed = believed(now)
        let surveys = creditSurveys
        guard !surveys.isEmpty else { return [] }
        var wants: [ExactName: [[String]: Int]] = [:]
        for presentation in self.surveys.allOpen where isWanting(presentation, now: now) {
            if isShownAlone, presentation.state != .presented { continue }
            guard let quota = self.surveys.configuration.survey(presentation.survey)?.quota else { continue }
            let cells = quota.counted(presentation.trigger).sorted()
            let count = wants[ExactName(presentation.survey)]?[cells] ?? 0
            guard !cells.isEmpty, count < Engine.mostWanted else { continue }
            wants[ExactName(presentation.survey), default: [:]][cells] = count + 1
        }
        return surveys.compactMap { survey in
            guard let quota = survey.quota else { return nil }
            return CreditReport(
                survey: survey.id,
                account: quotas.credits.account(of: survey.id, begins: quota.begin(at: believed)),
                wants: wants[ExactName(survey.id)] ?? [:])
        }
    }

    private func isWanting(_ presentation: Presentation, now: Timestamp) -> Bool {
        guard presentation.prompt == nil, let quota = surveys.configuration.survey(presentation.survey)?.quota else {
            return false
        }
        switch presentation.state {
        // A survey for another user than the current one, or one that may not be shown yet, needs no credit now.
        case .ready:
            return mayBeOffered(presentation, ignoringQuota: true, now: now)
                && (sessions.current(presentation.scope) == nil || currentSession(for: presentation) != nil)
        case .presented: return Engine.counts(presentation) && isOfPeriod(presentation, quota, at: now)
        case .scheduled, .answered, .dismissed, .expired, .cancelled: return false
        }
    }

    /// Handles the hub's report of an account, and of the quota's state.
    ///
    /// - Returns: whether it must be stored.
    @discardableResult
    package mutating func takeCredits(
        _ account: CreditAccount, of survey: String, standing: [String: CreditStanding], now: Timestamp,
        into changes: inout Changes
    ) -> Bool {
        guard hasCredits, let quota = surveys.configuration.survey(survey)?.quota else { return false }
        // The report of a hub whose clock is in another period is not about this one.
        guard account.begins == quota.begin(at: believed(now)) else { return false }
        var own = quotas.credits.account(of: survey, begins: account.begins)
        let before = own
        own.merge(account)
        quotas.credits.tell(standing, of: survey, begins: own.begins)
        guard own != before else { return false }
        put(own, of: survey, into: &changes)
        return true
    }

    /// Returns the credits of a survey that are not needed, because surveys wait elsewhere. If the quota is smaller than the
    /// credits of all machines, returns all but those for surveys on screen.
    package mutating func returnCredits(of survey: String, now: Timestamp, into changes: inout Changes) {
        guard let survey = surveys.configuration.survey(survey), let quota = survey.quota, hasCredits else { return }
        let standing = quotas.credits.standing(of: survey.id, begins: quota.begin(at: believed(now)))
        let isOver = standing.values.contains { $0.held > $0.limit }
        let report = creditReports(isShownAlone: isOver, now: now).first { $0.survey.hasSameBytes(as: survey.id) }
        guard var account = report?.account else { return }
        let needed = account.needed(for: report?.wants ?? [:], isUsable: quotas.credits.isUsable(survey.id))
        let names = [QuotaCount.all] + quota.cells.map(\.name)
        for name in names { account[name].returned += max(account[name].left - (needed[name] ?? 0), 0) }
        put(account, of: survey.id, into: &changes)
    }

    /// Handles the end of the lease of a survey's credits: takes it from the screen, and shows it no more.
    package mutating func endCredits(of survey: String, now: Timestamp, into changes: inout Changes) {
        quotas.credits.end(survey)
        for id in surveys.shown(of: survey) {
            guard let shown = surveys.presentation(id), Engine.counts(shown) else { continue }
            release(shown, now: now, into: &changes)
        }
    }

    /// Handles that the log is another one to the hub: no credits are dealt to it yet, and surveys on screen have credits of
    /// another log.
    package mutating func forgetCredits(now: Timestamp, into changes: inout Changes) {
        for survey in creditSurveys { endCredits(of: survey.id, now: now, into: &changes) }
        quotas.credits.forget()
        changes.rows.append(.survey(.forgetCredits))
    }
}

extension CreditAccount {
    /// Returns the credits that waiting and shown surveys need.
    fileprivate func needed(for wants: [[String]: Int], isUsable: Bool) -> [String: Int] {
        var needed: [String: Int] = [:]
        for (cells, count) in wants.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
            let met = cells.map { self[$0].left - (needed[$0] ?? 0) }.min() ?? 0
            for name in cells { needed[name, default: 0] += min(max(met, 0), count) }
        }
        return needed
    }
}

extension SurveyQuota {
    /// The names under which an answer to an event is counted.
    func counted(_ event: Properties) -> [String] {
        (answers == nil ? [] : [QuotaCount.all]) + cells(of: event).map(\.name)
    }

    /// The number of answers that are enough, by cell.
    package var wanted: [String: Int] {
        var wanted = Dictionary(cells.map { ($0.name, $0.answers) }) { first, _ in first }
        wanted[QuotaCount.all] = answers
        return wanted
    }

    /// Counts the answers of a period among showings, by cell.
    package func count(_ answered: [Presentation], since begins: Timestamp?) -> [String: Int] {
        var counts: [String: Int] = [:]
        for showing in answered where begin(at: showing.presentedAt ?? showing.createdAt) == begins {
            for name in counted(showing.trigger) { counts[name, default: 0] += 1 }
        }
        return counts
    }

    /// The number of answers allowed by now, by cell.
    package func limits(at now: Timestamp) -> [String: Int] {
        var limits = wanted
        limits[QuotaCount.all] = allowed(at: now)
        return limits
    }
}

extension QuotaStanding {
    /// The credits of a machine for a fleet's quota.
    struct Credits: Sendable {
        let account: CreditAccount
        let isUsable: Bool
        let told: [String: CreditStanding]
    }

    private var names: [String] { (quota.answers == nil ? [] : [QuotaCount.all]) + cells.map(\.name) }

    func hasRoom(_ credits: Credits) -> Bool {
        names.isEmpty || credits.isUsable && names.allSatisfy { credits.account[$0].left > reserved[$0] ?? 0 }
    }

    /// Whether an event may trigger the survey: for a quota of a fleet, unless all answers are known to be in.
    var isWanted: Bool {
        guard let credits else { return hasRoom }
        return hasRoom(credits) || !names.contains { credits.told[$0]?.isFull ?? false }
    }

    /// Why it cannot be shown.
    var refusal: String {
        guard credits != nil, isWanted else { return "this survey has all the answers it asks for (\(words))" }
        return "this survey waits until the hub lets this machine ask for one more answer (\(words))"
    }

    func words(_ credits: Credits) -> String {
        guard !names.isEmpty else { return "this event is in no cell, and all answers have no limit" }
        let parts = names.map { name in
            let limit = name == QuotaCount.all ? quota.answers : cells.first { $0.name == name }?.answers
            let cell = name == QuotaCount.all ? "" : " in '\(name)'"
            let of = "\(SurveyQuota.answers(limit ?? 0))\(cell) of the fleet"
            let (left, shown) = (credits.account[name].left, reserved[name] ?? 0)
            let asked = shown == 0 ? "" : ", and \(shown) being asked"
            let own = "this machine has \(max(left - shown, 0)) of them to ask for\(asked)"
            guard let told = credits.told[name] else { return "\(of): \(own)" }
            let (known, open) = (told.used, max(told.held - told.used, 0))
            func words(_ count: Int) -> String { "\(count) \(count == 1 ? "is" : "are")" }
            return "\(of): \(words(known)) in, \(words(open)) with machines; \(own)"
        }
        let why =
            credits.isUsable
            ? ""
            : ", and may not ask before it has heard from the hub (again after a restart, and when it was long away)"
        return parts.joined(separator: "; ") + why + (credits.account.begins.map { ", since \($0)" } ?? "")
    }
}
