package import HarkWire

/// What an account has said of the hours at which it is not asked.
package struct PersonalQuiet: Sendable, Equatable {
    package var hours: QuietHours?
    /// Surveys that are alarms may ask all the same.
    package var allowsAlarms = false

    package init(hours: QuietHours? = nil, allowsAlarms: Bool = false) {
        self.hours = hours
        self.allowsAlarms = allowsAlarms
    }
}

/// What a survey says of hours at which it is not shown.
package struct SurveyQuiet: Sendable, Equatable {
    package var hours: QuietHours?
    /// What comes in these hours is dropped, and does not wait for their end.
    package var drops = false
    /// It may pass the hours of a person who allows that.
    package var isAlarm = false

    package init() {}
}

/// Hours at which nobody is asked. What waits is put off until they end; programs' questions are asked all the same, as
/// somebody waits for the answer.
extension Engine {
    /// Keeps what somebody says, and has what waits for the end of the hours before looked at again. Who has something put
    /// off until then must have been admitted.
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

    /// Until when the quiet hours of an account hold what would be ready by now; nil: nothing is held.
    package func quietEnd(of uid: UInt32, now: Timestamp) -> Timestamp? {
        wishes.quiet(of: uid).hours?.end(at: believed(now), in: zone)
    }

    /// Puts off what is ready in a scope and comes at a quiet time. The scope and its users must have been admitted.
    ///
    /// - Parameter isKept: whether one stays as it is, by itself and by when the quiet hours end.
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

    /// When what is ready in a scope is to be put off next; nil: nothing of it.
    package func quietBegins(in scope: Scope, now: Timestamp) -> Timestamp? {
        guard hasQuietHours else { return nil }
        return waiting(in: scope).filter { $0.scope == scope && $0.state == .ready && $0.prompt == nil }.compactMap {
            presentation -> Timestamp? in
            guard let survey = surveys.configuration.survey(presentation.survey) else { return nil }
            return quietHours(of: survey, uid: presentation.user.uid)
                .compactMap { $0.begin(after: believed(now), in: zone) }.min()
        }.min()
    }

    /// Whether anybody, or any survey, has hours at which it is quiet.
    private var hasQuietHours: Bool { wishes.hasQuiet || surveys.configuration.hasQuietHours }

    /// Puts off what is scheduled or ready until a quiet time is over.
    mutating func hold(_ presentation: Presentation, until: Timestamp, now: Timestamp, into changes: inout Changes) {
        var presentation = presentation
        presentation.state = .scheduled
        presentation.dueAt = until
        presentation.times.noteDelay(at: now, until: until, isQuiet: true)
        presentation.times.sampling?.away = MissedReason.quiet.rawValue
        put(presentation, into: &changes)
    }

    /// Until when it is too quiet to show something; nil: it is not.
    func quiet(_ presentation: Presentation, now: Timestamp) -> Timestamp? {
        guard presentation.prompt == nil, let survey = surveys.configuration.survey(presentation.survey) else {
            return nil
        }
        return quiet(survey, of: presentation.user.uid, at: believed(now))
    }

    /// The same of a survey and an account; by the time that is believed.
    func quiet(_ survey: Survey, of uid: UInt32, at now: Timestamp) -> Timestamp? {
        let hours = quietHours(of: survey, uid: uid)
        guard !hours.isEmpty else { return nil }
        var until = now
        // One may begin where another ends.
        for _ in 0..<16 {
            guard let end = hours.compactMap({ $0.end(at: until, in: zone) }).max() else { break }
            until = end
        }
        return until > now ? until : nil
    }

    /// Whether a survey is to be dropped now, as its own hours are quiet.
    func drops(_ survey: Survey, at now: Timestamp) -> Bool {
        guard survey.quiet.drops, !surveys.debug.bypassesGating else { return false }
        return survey.quiet.hours?.end(at: now, in: zone) != nil
    }

    /// The person's, which hold whatever else does, and the survey's own, which the debug mode passes over.
    private func quietHours(of survey: Survey, uid: UInt32) -> [QuietHours] {
        let personal = wishes.quiet(of: uid)
        return [
            survey.quiet.isAlarm && personal.allowsAlarms ? nil : personal.hours,
            surveys.debug.bypassesGating ? nil : survey.quiet.hours,
        ].compactMap(\.self)
    }
}
