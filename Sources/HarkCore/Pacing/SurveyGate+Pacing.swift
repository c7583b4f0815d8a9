internal import HarkWire

/// Caps on showings, and rules about a user's history.
extension SurveyGate {
    /// The history of a user, and the limits of the file that count several surveys together.
    package struct Around: Sendable {
        /// nil: the user is unknown, as at a kiosk.
        var history: UserSurveys?
        var atMost: [ShowingCap] = []
        /// The groups of the survey.
        var groups: [SurveyGroup] = []
        /// The parts of the log that the rules of its audience do not count yet; a rule without an entry counts all.
        var gaps: [ExactName: RuleGaps] = [:]
        /// The current session of the app, if it is the user's.
        var session: SessionIdentity?
        /// nil: the survey does not ask for it, or there is none.
        var profile: Profile?
        /// When the user's oldest session began; nil: the user is new.
        var firstSeen: Timestamp?

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

    func words(of caps: [CapStanding], for what: String) -> String {
        caps.isEmpty ? "has no cap\(what)" : caps.map(\.words).joined(separator: "; ")
    }

    var groupWords: String {
        let caps = groupCaps
        guard !caps.isEmpty else { return around.groups.isEmpty ? "is in no group" : "a schedule heeds no group" }
        return caps.map { "group '\($0.group.name)': \(words(of: $0.caps, for: ""))" }.joined(separator: "; ")
    }
}
