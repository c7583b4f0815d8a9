internal import HarkWire

/// The audience of a survey.
extension SurveyGate {
    /// The number of events of a rule, as far as known.
    func count(_ rule: Audience.EventRule) -> Int {
        around.history?.eventTimes[rule.rule]?.count(within: rule.frequency.within, at: now) ?? 0
    }

    func count(_ rule: Audience.SurveyRule) -> Int {
        guard let gating = around.history?.gating[ExactName(rule.survey)] else { return 0 }
        let times = rule.was == .shown ? gating.times : gating.completed.map { [$0] } ?? []
        return RecentTimes(times).count(within: rule.frequency.within, at: now)
    }

    /// Whether the log is counted as far as a rule needs.
    func knows(_ rule: Audience.EventRule) -> Bool {
        around.gaps[rule.rule]?.knows(within: rule.frequency.within, at: now) ?? true
    }

    /// An event that has not come, as far as known, may be in a part of the log that is not counted yet.
    private func holds(_ rule: Audience.EventRule) -> Bool {
        rule.frequency.holds(count(rule)) && (rule.frequency.atLeast > 0 || knows(rule))
    }

    private func sessionValue(_ name: String) -> JSONValue? {
        around.session?.metadata[name].map(JSONValue.init)
    }

    private func profileValue(_ name: String) -> JSONValue? {
        guard let value = around.profile?[name], value != .null else { return nil }
        return value
    }

    /// How long ago the user was first seen, in milliseconds.
    private var age: Int64 {
        guard let first = around.firstSeen, first < now else { return 0 }
        return now.milliseconds.subtractingReportingOverflow(first.milliseconds).partialValue
    }

    var isInAudience: Bool {
        survey.audience.events.allSatisfy { holds($0) }
            && survey.audience.surveys.allSatisfy { $0.frequency.holds(count($0)) }
            && survey.audience.session?.holds { sessionValue($0) } ?? true
            && survey.audience.profile?.holds { profileValue($0) } ?? true
            && survey.audience.firstSeen?.holds(age) ?? true
    }

    var audienceWords: String {
        guard !survey.audience.isEmpty else { return "is for everybody" }
        let events = survey.audience.events.map { rule in
            let reading = knows(rule) ? "" : " so far, as the log is still being read"
            return "\(rule.event.words) has come \(Self.times(count(rule)))\(reading), asks for \(rule.frequency.words)"
        }
        let surveys = survey.audience.surveys.map { rule in
            let count = count(rule)
            let known = rule.was == .shown ? Self.times(count) : count > 0 ? "it was" : "it was not"
            return "survey '\(rule.survey)' \(rule.was.rawValue): \(known), asks for \(rule.frequency.words)"
        }
        return (events + surveys + otherWords).joined(separator: "; ")
    }

    private var otherWords: [String] {
        func words(_ condition: Condition?, _ name: String, _ lack: String?, _ value: (String) -> JSONValue?)
            -> [String]
        {
            guard let condition else { return [] }
            let known = condition.names.sorted().map { key in
                "\(key) \(value(key.text).map { "is \($0)" } ?? "is not set")"
            }
            return ["\(name): \(lack ?? known.joined(separator: ", ")), asks for \(condition.words)"]
        }
        let noSession = around.session == nil ? "there is none of this user" : nil
        let noProfile = around.profile == nil ? "there is none" : nil
        return words(survey.audience.session, "session", noSession) { sessionValue($0) }
            + words(survey.audience.profile, "profile", noProfile) { profileValue($0) }
            + (survey.audience.firstSeen.map { asked in
                let seen = around.firstSeen.map { "on \($0), \(SurveyGate.seconds(age)) s ago" } ?? "just now"
                return ["first seen \(seen), asks for \(asked.words)"]
            } ?? [])
    }

    private static func times(_ count: Int) -> String { count == 1 ? "once" : "\(count) times" }
}

extension Engine {
    /// Collects the data that an audience asks for.
    ///
    /// - Parameter around: has the history of the user, unless the user is unknown.
    func look(
        at audience: Audience, of user: UserKey, in scope: Scope, _ around: inout SurveyGate.Around, now: Timestamp
    ) {
        guard !audience.isEmpty else { return }
        let isVisitor = isVisitor(user, in: scope)
        if !isVisitor {
            for rule in audience.events { around.gaps[rule.rule] = eventRules[rule.rule] ?? .unknown }
        }
        guard audience.session != nil || audience.profile != nil || audience.firstSeen != nil else { return }
        around.session = sessions.current(scope).flatMap { UserKey($0.identity) == user ? $0.identity : nil }
        guard !isVisitor else { return }
        if audience.firstSeen != nil {
            around.firstSeen = [around.history?.firstSeen, around.session?.startedAt].compactMap(\.self).min()
        }
        if audience.profile != nil {
            let day = zone.date(now).number
            // Without rules for a profile there is no profile.
            around.profile = try? profile(of: user, day: day)
        }
    }
}
