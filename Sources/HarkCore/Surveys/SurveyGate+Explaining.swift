internal import HarkWire

extension SurveyGate {
    /// Explains a check in words, with its numbers.
    package func explanation(of check: Check) -> String {
        let limits = survey.limits
        return switch check {
        case .muted: mutingWords
        case .ownInterval: intervalWords
        case .quietHours: quietWords
        case .started: limits.starts.map { "starts on \($0)" } ?? "has no start date"
        case .notEnded: limits.ends.map { "ends on \($0)" } ?? "has no end date"
        case .rollout:
            limits.rolloutPercent.map { "the user is at place \(rolloutPlace) of 100, it is shown below \($0)" }
                ?? "is shown to all users"
        case .completion: gating.completed.map { "was answered on \($0)\(repetition)" } ?? "was not answered yet"
        case .oncePerUser:
            if !limits.oncePerUser { "may be shown to a user more than once" } else { "once a user; \(lastShown)" }
        case .oncePerSession:
            if !limits.oncePerSession {
                "may be shown in a session more than once"
            } else if session == nil {
                "once a session; there is no session now"
            } else {
                "once a session; was \(wasShownInSession ? "" : "not ")shown in this one"
            }
        case .maxAttempts:
            limits.maxAttempts.map { "\(gating.attempts) of \($0) attempts are used" }
                ?? "\(gating.attempts) \(gating.attempts == 1 ? "attempt" : "attempts"); there is no limit"
        case .cooldown:
            explanation(of: cooldown, until: cooldownEnd, name: isReattempt ? "attempt cooldown" : "cooldown")
        case .globalCooldown: explanation(of: globalCooldown, until: globalCooldownEnd, name: "global cooldown")
        case .atMost: words(of: ownCaps, for: " of its own")
        case .groups: groupWords
        case .globalAtMost: words(of: fileCaps, for: " of the file")
        case .audience: audienceWords
        case .quota: quota?.words ?? "any number of answers is welcome"
        }
    }

    private var mutingWords: String {
        guard let until = person.mutedUntil(at: now) else { return "you have not muted it" }
        let what = person.all.mutedUntil == until ? "all surveys" : "it"
        return
            "you have muted \(what) \(until == .latest ? "for ever" : "until \(until)"); 'hark unmute' undoes that"
    }

    private var quietWords: String {
        guard let until = quietUntil else { return "these are no quiet hours" }
        return
            "these are quiet hours, until \(until); what comes now \(isDroppedWhileQuiet ? "is dropped" : "waits for their end")"
    }

    private var intervalWords: String {
        if let every = person.every {
            if every == 0 { return "you let surveys ask as often as they want" }
            return explanation(of: every, until: person.ownIntervalEnd, name: "your own interval")
        }
        guard person.isFromAfar else { return "you have set no limit" }
        return explanation(
            of: PersonalLimits.usualFromAfar, until: person.usualIntervalEnd,
            name: "interval of surveys that come from a hub or a URL ('hark mute --every' sets your own)")
    }

    private var repetition: String {
        guard let period = survey.limits.repeatEvery, let completed = gating.completed else { return "" }
        return ", is asked again from \(completed.adding(milliseconds: period))"
    }

    private var lastShown: String { gating.lastPresented.map { "was shown on \($0)" } ?? "was never shown" }

    private func explanation(of length: Int64?, until end: Timestamp?, name: String) -> String {
        guard let length else { return "has no \(name)" }
        let seconds = SurveyGate.seconds(length)
        guard let end else { return "\(name) of \(seconds) s; was never shown" }
        if now >= end { return "\(name) of \(seconds) s; is over since \(end)" }
        let left = SurveyGate.seconds(end.milliseconds - now.milliseconds)
        return "\(name) of \(seconds) s; \(left) s are left, until \(end)"
    }

    /// Seconds as text, without a needless fraction.
    static func seconds(_ milliseconds: Int64) -> String {
        milliseconds % 1000 == 0 ? String(milliseconds / 1000) : String(Double(milliseconds) / 1000)
    }
}
