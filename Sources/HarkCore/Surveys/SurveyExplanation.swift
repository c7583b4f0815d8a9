package import HarkWire

/// Why a survey would be shown to a user now, or would not: every check with its numbers.
package struct SurveyExplanation: Sendable {
    package struct Check: Sendable, Equatable {
        package let name: String
        package let passed: Bool
        package let explanation: String
    }

    package let survey: String
    package let user: UserKey
    package let checks: [Check]
    /// The event that the checks are about; nil: any that the survey listens to.
    package let event: Record?
    /// Gating is bypassed: the checks of gating do not count.
    package let isBypassed: Bool
    package let wouldShow: Bool
    /// The presentation that waits already, and is not shown.
    package let waiting: Waiting?

    package struct Waiting: Sendable, Equatable {
        package let presentation: Identifier
        /// Why it is not shown; nil: as far as is known here, it would be if a presenter showed it.
        package let reason: String?
    }

    package var info: SurveyExplained {
        var info = SurveyExplained()
        info.surveyId = survey
        info.userId = user.userId
        info.event = event.map { event in
            var told = ExplainedEvent()
            (told.seq, told.name, told.timestamp) = (Int64(clamping: event.sequence), event.name, event.at)
            return told
        }
        info.wouldShow = wouldShow
        info.gatingBypassed = isBypassed
        info.checks = checks.map { check in
            var told = SurveyCheck()
            (told.check, told.passed, told.explanation) = (check.name, check.passed, check.explanation)
            return told
        }
        return info
    }
}

extension Engine {
    /// Explains the effects of an event now on the survey, recorded by the user in the scope.
    ///
    /// The scope, its counters and the user must have been admitted.
    ///
    /// - Parameter event: a recorded event; its properties count as they are stored, all else as it is now.
    package func explain(
        _ id: String, to user: UserKey, in scope: Scope, event: Record? = nil, now: Timestamp
    ) throws(WireError) -> SurveyExplanation {
        guard let survey = surveys.configuration.survey(id) else { throw Engine.unknown(survey: id) }
        let current = sessions.current(scope)?.identity
        let session = current.flatMap { UserKey($0) == user ? $0 : nil }
        let occasion = SurveyOccasion(scope: scope, user: user, session: session)
        let gate = gate(survey, user, in: scope, session: session?.id, for: event?.properties ?? .none, now: now)
        let gating = SurveyGate.Check.allCases.map {
            SurveyExplanation.Check(name: $0.rawValue, passed: gate.passes($0), explanation: gate.explanation(of: $0))
        }
        let situation =
            [
                presence(of: user, current), waiting(survey, occasion), turn(of: survey, occasion, event, now: now),
                room(for: user), screen(in: scope),
            ]
            + (survey.trigger.counters.map { [standing($0, in: scope)] } ?? [])
            + (survey.cancelOn.isEmpty ? [] : [ending(survey)])
            + (survey.trigger.schedule == nil ? [] : [participation(of: user, survey, now: now)])
        let matching = event.map { survey.trigger.checks(of: $0) } ?? []
        return SurveyExplanation(
            survey: id, user: user, checks: matching + gating + situation, event: event,
            isBypassed: gate.debug.bypassesGating,
            wouldShow: gate.obstacle() == nil && gate.passes(.quietHours)
                && (matching + situation).allSatisfy(\.passed),
            waiting: pending(id, on: occasion).flatMap { notShown($0, current, now: now) })
    }

    /// - Returns: nil for a presentation on screen.
    private func notShown(
        _ presentation: Presentation, _ current: SessionIdentity?, now: Timestamp
    ) -> SurveyExplanation.Waiting? {
        let app = presentation.app
        let reason: String?
        switch presentation.state {
        case .scheduled: reason = "it is due on \(presentation.dueAt)"
        case .ready:
            if let current, UserKey(current) != presentation.user {
                reason = "the current session of app '\(app)' is another user's, and it waits for this user's next one"
            } else {
                reason =
                    surveys.shown(in: presentation.scope).map {
                        "'\($0.survey)' is being shown in app '\(app)', and one is shown at a time"
                    } ?? full(presentation, now: now)
                    ?? offer(in: presentation.scope, now: now).flatMap { ahead(of: presentation, $0) }
            }
        case .presented, .answered, .dismissed, .expired, .cancelled: return nil
        }
        return SurveyExplanation.Waiting(presentation: presentation.id, reason: reason)
    }

    /// Why its quota needs no answer now; nil: it needs one.
    private func full(_ presentation: Presentation, now: Timestamp) -> String? {
        guard !surveys.debug.bypassesGating, let survey = surveys.configuration.survey(presentation.survey),
            let standing = standing(survey, for: presentation.trigger, now: now), !standing.hasRoom
        else { return nil }
        return "there is no place for another answer (\(standing.words))"
    }

    /// Why another one is offered first; nil if it is this one, or came earlier.
    private func ahead(of presentation: Presentation, _ offered: Presentation) -> String? {
        guard let priority = surveys.configuration.survey(offered.survey)?.priority, offered.prompt == nil,
            priority > surveys.configuration.survey(presentation.survey)?.priority ?? 0
        else { return nil }
        return "'\(offered.survey)' has its turn first, with the higher priority \(priority)"
    }

    /// The events that cancel it while it waits. This check never fails.
    private func ending(_ survey: Survey) -> SurveyExplanation.Check {
        let rules = survey.cancelOn.map(\.words).joined(separator: "; ")
        return SurveyExplanation.Check(
            name: "cancelOn", passed: true, explanation: "while it waits, this event cancels it: \(rules)")
    }

    private func presence(of user: UserKey, _ current: SessionIdentity?) -> SurveyExplanation.Check {
        let isOther = current.map { UserKey($0) != user } ?? false
        let explanation =
            if isOther {
                "the current session is another user's; it would wait for this user's next session"
            } else if current == nil {
                "there is no current session; one would start"
            } else {
                "the current session is this user's"
            }
        return SurveyExplanation.Check(name: "session", passed: !isOther, explanation: explanation)
    }

    private func waiting(_ survey: Survey, _ occasion: SurveyOccasion) -> SurveyExplanation.Check {
        let pending = pending(survey.id, on: occasion)
        return SurveyExplanation.Check(
            name: "notPending", passed: pending == nil,
            explanation: pending.map {
                let origin = $0.origin == occasion.session?.id ? "this session" : "an earlier session"
                return "is \($0.state.word) since \(origin), for \($0.dueAt); until it is closed, surveys after it "
                    + "in the file get its turn"
            } ?? "nothing of it waits since this session")
    }

    /// Whether a survey before it in the file takes the same event, or change of a counter.
    private func turn(
        of survey: Survey, _ occasion: SurveyOccasion, _ event: Record?, now: Timestamp
    ) -> SurveyExplanation.Check {
        let rivals = rivals(of: survey).filter { rival in
            event.map { rival.trigger.condition.holds($0.properties) } ?? true
        }.filter {
            $0.trigger.counters.map { counters.holds($0, in: occasion.scope) } ?? true
                && pending($0.id, on: occasion) == nil && obstacle(to: $0, on: occasion, now: now) == nil
        }
        let first = rivals.first {
            event != nil || $0.trigger.condition == .always || $0.trigger.condition == survey.trigger.condition
        }
        let explanation =
            if let first, first.priority > survey.priority {
                "'\(first.id)' has the higher priority \(first.priority) and is shown for the same event"
            } else if let first {
                "'\(first.id)' comes before it in the file and is shown for the same event"
            } else if let rival = rivals.first {
                "no survey before it is shown for every such event; '\(rival.id)' is where the event has the "
                    + "properties it asks for"
            } else {
                "no survey before it in the file would be shown for the same event"
            }
        return SurveyExplanation.Check(name: "firstInLine", passed: first == nil, explanation: explanation)
    }

    /// The surveys before it in the file that its event or counter may also trigger.
    private func rivals(of survey: Survey) -> [Survey] {
        // A survey with a schedule competes with no other.
        guard survey.trigger.schedule == nil else { return [] }
        let configuration = surveys.configuration
        let before = configuration.surveys(before: survey)
        guard let event = survey.trigger.event else {
            let names = survey.trigger.counters?.names ?? []
            return before.filter {
                $0.trigger.event == nil && names.isSubset(of: $0.trigger.counters?.names ?? [])
            }
        }
        return before.filter { $0.trigger.schedule == nil && $0.trigger.event.hasSameBytes(as: event) }
    }

    /// The check whether the user takes part. It does not show when the next prompt comes, because participants must not know.
    private func participation(of user: UserKey, _ survey: Survey, now: Timestamp) -> SurveyExplanation.Check {
        let enrolment = surveys.enrolment(of: user, survey.id)
        let isPaused = enrolment?.isPaused(at: believed(now)) ?? false
        let explanation =
            switch enrolment {
            case nil: "does not take part; 'hark study join' adds a participant"
            case let enrolment? where !enrolment.isActive:
                "no longer takes part (\(enrolment.endReason ?? StudyEnd.left))"
            case let enrolment?:
                "takes part since \(enrolment.joinedAt), day 1 is \(enrolment.first.text)"
                    + (isPaused ? "; is excused for now" : "")
            }
        return SurveyExplanation.Check(
            name: "participant", passed: enrolment?.isActive ?? false && !isPaused, explanation: explanation)
    }

    private func standing(_ condition: Condition, in scope: Scope) -> SurveyExplanation.Check {
        let values = condition.names.sorted().map { name in
            counters.counter(name, in: scope).map { "\(name) is \($0.value)" } ?? "there is no counter \(name)"
        }
        return SurveyExplanation.Check(
            name: "counters", passed: counters.holds(condition, in: scope),
            explanation: "asks for \(condition.words); \(values.joined(separator: ", "))")
    }

    /// Whether another survey may wait.
    private func room(for user: UserKey) -> SurveyExplanation.Check {
        let lack = lackOfRoom(for: user)
        let waiting = surveys.state(of: user)?.open.count ?? 0
        return SurveyExplanation.Check(
            name: "room", passed: lack == nil,
            explanation: lack ?? "of the \(Engine.maxWaiting) surveys that may wait for this user, \(waiting) do")
    }

    private func screen(in scope: Scope) -> SurveyExplanation.Check {
        let shown = surveys.shown(in: scope)
        return SurveyExplanation.Check(
            name: "oneAtATime", passed: shown == nil,
            explanation: shown.map { "'\($0.survey)' is being shown in app '\(scope.app)'" }
                ?? "nothing else is being shown in app '\(scope.app)'")
    }
}
