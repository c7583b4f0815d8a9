internal import HarkWire

/// Caps on showings, and rules about what a user has done.
extension SurveyGate {
    /// What a user did, and the limits of the file that count several surveys together.
    package struct Around: Sendable {
        /// nil: nobody is known, as at a kiosk.
        var history: UserSurveys?
        var atMost: [ShowingCap] = []
        /// Those that the survey is in.
        var groups: [SurveyGroup] = []

        package init() {}
    }

    /// A cooldown or cap over several surveys would shift the times at which a study asks.
    var heedsOthers: Bool { survey.trigger.schedule.map(\.heedsCooldowns) ?? true }

    var ownCaps: [CapStanding] { survey.limits.atMost.map { CapStanding($0, gating.times, at: now) } }

    var groupCaps: [(group: SurveyGroup, caps: [CapStanding])] {
        guard heedsOthers else { return [] }
        return around.groups.map { group in
            let times = group.members.flatMap { around.history?.gating[$0]?.times ?? [] }
            return (group, group.atMost.map { CapStanding($0, times, at: now) })
        }
    }

    var fileCaps: [CapStanding] {
        guard heedsOthers, !around.atMost.isEmpty else { return [] }
        let times = around.history?.gating.values.flatMap(\.times) ?? []
        return around.atMost.map { CapStanding($0, times, at: now) }
    }

    /// How often the events of a rule have come.
    func count(_ rule: Audience.EventRule) -> Int {
        around.history?.eventTimes[rule.rule]?.count(within: rule.frequency.within, at: now) ?? 0
    }

    func count(_ rule: Audience.SurveyRule) -> Int {
        guard let gating = around.history?.gating[ExactName(rule.survey)] else { return 0 }
        let times = rule.was == .shown ? gating.times : gating.completed.map { [$0] } ?? []
        return RecentTimes(times).count(within: rule.frequency.within, at: now)
    }

    var isInAudience: Bool {
        survey.audience.events.allSatisfy { $0.frequency.holds(count($0)) }
            && survey.audience.surveys.allSatisfy { $0.frequency.holds(count($0)) }
    }

    func words(of caps: [CapStanding], for what: String) -> String {
        caps.isEmpty ? "has no cap\(what)" : caps.map(\.words).joined(separator: "; ")
    }

    var groupWords: String {
        let caps = groupCaps
        guard !caps.isEmpty else { return around.groups.isEmpty ? "is in no group" : "a schedule heeds no group" }
        return caps.map { "group '\($0.group.name)': \(words(of: $0.caps, for: ""))" }.joined(separator: "; ")
    }

    var audienceWords: String {
        let events = survey.audience.events.map { rule in
            "\(rule.event.words) has come \(Self.times(count(rule))), asks for \(rule.frequency.words)"
        }
        let surveys = survey.audience.surveys.map { rule in
            let count = count(rule)
            let known = rule.was == .shown ? Self.times(count) : count > 0 ? "it was" : "it was not"
            return "survey '\(rule.survey)' \(rule.was.rawValue): \(known), asks for \(rule.frequency.words)"
        }
        return survey.audience.isEmpty ? "is for everybody" : (events + surveys).joined(separator: "; ")
    }

    private static func times(_ count: Int) -> String { count == 1 ? "once" : "\(count) times" }
}
