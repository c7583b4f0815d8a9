package import HarkWire

extension Survey {
    /// The survey as in the list of the configuration.
    package var info: SurveyRuleInfo {
        var info = SurveyRuleInfo()
        info.surveyId = id
        info.event = trigger.event
        info.delaySeconds = Double(trigger.delay) / 1_000
        info.plan = trigger.schedule?.plan.text
        info.counters = (trigger.counters?.document).map { AnyJSON($0) }
        info.priority = priority == 0 ? nil : Int64(priority)
        info.groups = groups.nonEmpty
        info.atMost = limits.atMost.map { "\($0.count) within \(SurveyGate.seconds($0.within)) s" }.nonEmpty
        info.audience = audience.words.nonEmpty
        info.cancelOn = cancelOn.map(\.words).nonEmpty
        info.quota = quota?.words.nonEmpty
        info.variants = content.variants.map(\.id).nonEmpty
        info.content = self.info(in: nil)
        return info
    }
}

extension Audience {
    fileprivate var words: [String] {
        events.map { "\($0.event.words) \($0.frequency.words)" }
            + surveys.map { "survey '\($0.survey)' \($0.was.rawValue) \($0.frequency.words)" }
            + (session.map { ["session where \($0.words)"] } ?? [])
            + (profile.map { ["profile where \($0.words)"] } ?? [])
            + (firstSeen.map { ["first seen \($0.words)"] } ?? [])
    }
}
