package import HarkWire

/// The quiet hours of an account.
package struct PersonalQuiet: Sendable, Equatable {
    package var hours: QuietHours?
    /// Whether surveys that are alarms may be shown all the same.
    package var allowsAlarms = false

    package init(hours: QuietHours? = nil, allowsAlarms: Bool = false) {
        self.hours = hours
        self.allowsAlarms = allowsAlarms
    }
}

/// The quiet hours of a survey.
package struct SurveyQuiet: Sendable, Equatable {
    package var hours: QuietHours?
    /// Whether a survey that is triggered in these hours is dropped, instead of waiting for their end.
    package var drops = false
    /// Whether it may be shown in the quiet hours of a person who allows alarms.
    package var isAlarm = false

    package init() {}
}

/// Hours at which surveys are not shown. Waiting surveys are postponed until they end; prompts of programs are shown all the
/// same, because a program waits for the answer.
extension Engine {
    /// Stores a person's quiet hours, and makes surveys that wait for the end of the earlier ones due. The users of postponed
    /// surveys must have been admitted.
    package mutating func setQuiet(
        _ quiet: PersonalQuiet, of uid: UInt32, now: Timestamp, into changes: inout Changes
    ) {
        let held = surveys.allOpen.filter {
            $0.user.uid == uid && $0.state == .scheduled && $0.dueAt == self.quiet($0, now: now)
        }
        wishes.put(quiet, of: uid)
        keep(WishRow.putQuiet(quiet, uid: uid), into: &changes)
        for var presentation in held {
            presentation.dueAt = believed(now)
            put(presentation, into: &changes)
        }
    }

    /// The end of a person's quiet hours, if it is quiet now; nil: it is not quiet.
    package func quietEnd(of uid: UInt32, now: Timestamp) -> Timestamp? {
        wishes.quiet(of: uid).hours?.end(at: believed(now), in: zone)
    }

    /// Postpones the ready surveys of a scope for which it is quiet now. The scope and its users must have been admitted.
    ///
    /// - Parameter isKept: whether a presentation stays as it is, given the end of the quiet hours.
    package mutating func holdWhileQuiet(
        in scope: Scope, except isKept: (Presentation, Timestamp) -> Bool = { _, _ in false }, now: Timestamp,
        into changes: inout Changes
    ) {
        guard hasQuietHours else { return }
        for presentation in waiting(in: scope)
        where presentation.scope == scope && presentation.state == .ready {
            guard let until = quiet(presentation, now: now), !isKept(presentation, until) else { continue }
            hold(presentation, until: until, now: now, into: &changes)
        }
    }

    /// When the next ready survey of a scope must be postponed; nil: none.
    package func quietBegins(in scope: Scope, now: Timestamp) -> Timestamp? {
        guard hasQuietHours else { return nil }
        return waiting(in: scope).filter { $0.scope == scope && $0.state == .ready && $0.prompt == nil }.compactMap {
            presentation -> Timestamp? in
            guard let survey = surveys.configuration.survey(presentation.survey) else { return nil }
            return quietHours(of: survey, uid: presentation.user.uid)
                .compactMap { $0.begin(after: believed(now), in: zone) }.min()
        }.min()
    }

    /// Whether any person, or any survey, has quiet hours.
    private var hasQuietHours: Bool { wishes.hasQuiet || surveys.configuration.hasQuietHours }

    /// Postpones a scheduled or ready survey until a quiet time is over.
    mutating func hold(_ presentation: Presentation, until: Timestamp, now: Timestamp, into changes: inout Changes) {
        var presentation = presentation
        presentation.state = .scheduled
        presentation.dueAt = until
        presentation.times.noteDelay(at: now, until: until, isQuiet: true)
        presentation.times.sampling?.away = MissedReason.quiet.rawValue
        put(presentation, into: &changes)
    }

    /// The end of the quiet time for a presentation; nil: it is not quiet.
    func quiet(_ presentation: Presentation, now: Timestamp) -> Timestamp? {
        guard presentation.prompt == nil, let survey = surveys.configuration.survey(presentation.survey) else {
            return nil
        }
        return quiet(survey, of: presentation.user.uid, at: believed(now))
    }

    /// The same for a survey and an account; by the believed time.
    func quiet(_ survey: Survey, of uid: UInt32, at now: Timestamp) -> Timestamp? {
        let hours = quietHours(of: survey, uid: uid)
        guard !hours.isEmpty else { return nil }
        var until = now
        // Quiet hours may begin where others end.
        for _ in 0..<16 {
            guard let end = hours.compactMap({ $0.end(at: until, in: zone) }).max() else { break }
            until = end
        }
        return until > now ? until : nil
    }

    /// Whether a survey must be dropped now, because its own hours are quiet.
    func drops(_ survey: Survey, at now: Timestamp) -> Bool {
        guard survey.quiet.drops, !surveys.debug.bypassesGating else { return false }
        return survey.quiet.hours?.end(at: now, in: zone) != nil
    }

    /// The person's hours, which always apply, and the survey's own, which the debug mode ignores.
    private func quietHours(of survey: Survey, uid: UInt32) -> [QuietHours] {
        let personal = wishes.quiet(of: uid)
        return [
            survey.quiet.isAlarm && personal.allowsAlarms ? nil : personal.hours,
            surveys.debug.bypassesGating ? nil : survey.quiet.hours,
        ].compactMap(\.self)
    }
}
