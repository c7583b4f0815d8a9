package import HarkWire

/// From shown to the end.
extension Engine {
    /// Takes the answer: checks it, records it as an event, and ends the user's other open presentations of the survey.
    package mutating func answer(
        _ id: Identifier, _ submission: SurveySubmission, visibleTo uid: UInt32?, source: Source, now: Timestamp,
        into changes: inout Changes
    ) throws(WireError) -> Presentation {
        let presentation = try find(id, visibleTo: uid)
        // A prompt can be answered on any surface, also on another one than the presenter's.
        guard presentation.state == .presented || presentation.prompt != nil && presentation.state.isOpen else {
            throw notShown(presentation)
        }
        let survey = try survey(of: presentation)
        let content = survey.content(for: presentation)
        let answers = try accept(submission, content, onto: presentation.answers, isFinal: true, now: now)
        return take(answers, to: presentation, survey, source: source, now: now, into: &changes)
    }

    /// Makes answers count that the survey accepts.
    mutating func take(
        _ answers: Answers, to presentation: Presentation, _ survey: Survey, source: Source, now: Timestamp,
        into changes: inout Changes
    ) -> Presentation {
        var presentation = presentation
        let id = presentation.id
        let content = survey.content(for: presentation)
        let session = session(for: &presentation, source: source, now: now, into: &changes)
        countAsShown(&presentation, survey, in: session, source: source, now: now, into: &changes)
        lap(&presentation)
        presentation.times.note(answers, after: presentation.answers, at: now)
        presentation.answers = answers
        presentation.session = session.id
        if !presentation.isUncounted, presentation.prompt == nil {
            var gating = surveys.state(of: presentation.user)?.gating[ExactName(survey.id)] ?? Gating()
            gating.completed = now
            put(gating, of: survey.id, presentation.user, into: &changes)
        }
        let locale = content.translation(for: presentation.locale)?.locale
        var properties = answers.response(to: survey.id, shown: content, locale: locale)
        if let changeable = survey.changeable, presentation.prompt == nil {
            presentation.changeableUntil = believed(now).adding(milliseconds: changeable)
            properties.append(("presentationId", .string(id.description)))
        }
        let event = emit(
            SurveyEvents.response, properties, of: presentation, in: session, source: source, now: now, into: &changes)
        let full = spendQuota(survey, presentation, in: session, source: source, now: now, into: &changes)
        endOthers(than: presentation, source: source, now: now, into: &changes)
        for other in surveys.state(of: presentation.user)?.open ?? []
        where other.id != id && presentation.prompt == nil && other.prompt == nil && other.times.sampling == nil
            && other.survey.hasSameBytes(as: survey.id) && !(presentation.isVisitors && presentation.isUncounted)
        {
            close(
                other, .cancelled, reason: Presentation.answeredReason, source: source, now: now, into: &changes)
        }
        let closed = close(presentation, .answered, source: source, now: now, into: &changes)
        for event in [event] + full { follow(event, source: source, now: now, into: &changes) }
        return closed
    }

    /// Keeps answers to some of the questions until the rest is there.
    ///
    /// - Parameters:
    ///   - question: the question that is on screen now; nil: the next one that needs an answer.
    ///   - isComplete: whether nothing else follows, so that every question on the way must be answered.
    package mutating func keepAnswers(
        _ id: Identifier, _ submission: SurveySubmission, visibleTo uid: UInt32?, showing question: String? = nil,
        isComplete: Bool = false, now: Timestamp, into changes: inout Changes
    ) throws(WireError) -> Presentation {
        var presentation = try find(id, visibleTo: uid)
        guard presentation.state == .presented else { throw notShown(presentation) }
        let content = try survey(of: presentation).content(for: presentation)
        let before = presentation.size
        let answers = try accept(submission, content, onto: presentation.answers, isFinal: isComplete, now: now)
        let questionnaire = content.questionnaire
        let isKnown = question.map { id in questionnaire.questions.contains { $0.id.hasSameBytes(as: id) } } ?? false
        presentation.times.note(answers, after: presentation.answers, at: now)
        presentation.answers = answers
        try checkRoom(
            for: presentation.size - before, .presentations, of: presentation.user.uid, paths: ("answers", "answers"))
        lap(&presentation, next: isKnown ? question : questionnaire.route(answers).questions.last?.id)
        put(presentation, into: &changes)
        return presentation
    }

    /// Ends a presentation without an answer. One that was never shown is withdrawn: no attempt, no event.
    ///
    /// - Parameter scope: with `ever` the person does not want to be asked this again, by any app; with `abandoned`
    ///   no person has closed it.
    package mutating func dismiss(
        _ id: Identifier, for scope: DismissalScope = .once, visibleTo uid: UInt32?, source: Source, now: Timestamp,
        into changes: inout Changes
    ) throws(WireError) -> Presentation {
        guard scope == .ever else {
            return try close(unanswered: id, scope, visibleTo: uid, source: source, now: now, into: &changes)
        }
        // A refused call must neither close it nor only mute it: so it is tried on a copy.
        var attempt = self
        var draft = Changes()
        _ = try attempt.closeForEver(id, visibleTo: uid, source: source, now: now, into: &draft)
        return try closeForEver(id, visibleTo: uid, source: source, now: now, into: &changes)
    }

    private mutating func closeForEver(
        _ id: Identifier, visibleTo uid: UInt32?, source: Source, now: Timestamp, into changes: inout Changes
    ) throws(WireError) -> Presentation {
        let presentation = try find(id, visibleTo: uid)
        guard presentation.prompt == nil else {
            throw WireError(
                .invalidParams, "a program asks this, and no survey; mute.set with 'prompts' mutes those",
                path: "for")
        }
        guard source.uid == presentation.user.uid else {
            throw WireError(
                .permissionDenied, "only the person who is asked can say so", path: "for")
        }
        let closed = try close(unanswered: id, .ever, visibleTo: uid, source: source, now: now, into: &changes)
        _ = try wish(
            WishOrder(mutedUntil: .latest), of: WishKey(uid: closed.user.uid, survey: closed.survey),
            source: source, now: now, into: &changes)
        return closed
    }

    private mutating func close(
        unanswered id: Identifier, _ scope: DismissalScope, visibleTo uid: UInt32?, source: Source, now: Timestamp,
        into changes: inout Changes
    ) throws(WireError) -> Presentation {
        var presentation = try find(id, visibleTo: uid)
        guard presentation.state.isOpen else { throw presentation.closedError }
        guard presentation.presentedAt != nil || presentation.prompt != nil else {
            return close(
                presentation, .cancelled,
                reason: scope == .ever ? SurveyGate.Check.muted.rawValue : Presentation.withdrawnReason, source: source,
                now: now, into: &changes)
        }
        let survey = try survey(of: presentation)
        if presentation.state != .presented, presentation.prompt == nil { try refuseOthers(presentation) }
        let session = session(for: &presentation, source: source, now: now, into: &changes)
        countAsShown(&presentation, survey, in: session, source: source, now: now, into: &changes)
        presentation.session = session.id
        let event = emit(
            SurveyEvents.dismissed,
            [
                ("id", .string(survey.id)), ("responseType", .string(survey.content.responseType.eventWord)),
                ("for", .string(scope.rawValue)),
            ], of: presentation, in: session, source: source, now: now, into: &changes)
        let closed = close(
            presentation, .dismissed, reason: scope == .abandoned ? Presentation.abandonedReason : nil, source: source,
            now: now, into: &changes)
        follow(event, source: source, now: now, into: &changes)
        return closed
    }

    /// Postpones a presentation; it becomes ready again after the delay in milliseconds.
    package mutating func snooze(
        _ id: Identifier, for delay: Int64, visibleTo uid: UInt32?, source: Source, now: Timestamp,
        into changes: inout Changes
    ) throws(WireError) -> Presentation {
        var presentation = try find(id, visibleTo: uid)
        guard presentation.state == .presented || presentation.state == .ready else { throw notShown(presentation) }
        lap(&presentation)
        presentation.state = .scheduled
        presentation.dueAt = believed(now).adding(milliseconds: max(delay, 0))
        presentation.times.noteDelay(at: now, until: presentation.dueAt)
        endSession(ownedBy: &presentation, source: source, now: now, into: &changes)
        endReminders(of: &presentation, into: &changes)
        put(presentation, into: &changes)
        return presentation
    }

    /// Counts a prompt as shown once a person answers or dismisses it, on any surface.
    private mutating func countAsShown(
        _ presentation: inout Presentation, _ survey: Survey, in session: SessionIdentity, source: Source,
        now: Timestamp, into changes: inout Changes
    ) {
        guard presentation.presentedAt == nil else { return }
        presentation.presentedAt = now
        presentation.shown = survey.shown(for: presentation)
        place(&presentation, on: presentation.times.surface ?? .script, at: now)
        let event = emitPresented(presentation, survey, in: session, source: source, now: now, into: &changes)
        follow(event, source: source, now: now, into: &changes)
    }

    /// Ends a presentation to which no person reacts.
    package mutating func expire(
        _ id: Identifier, visibleTo uid: UInt32?, source: Source, now: Timestamp, into changes: inout Changes
    ) throws(WireError) -> Presentation {
        let presentation = try find(id, visibleTo: uid)
        guard presentation.state == .presented || presentation.state == .ready else { throw notShown(presentation) }
        return close(presentation, .expired, source: source, now: now, into: &changes)
    }

    @discardableResult
    mutating func close(
        _ presentation: Presentation, _ state: Presentation.State, reason: String? = nil, source: Source? = nil,
        now: Timestamp, into changes: inout Changes
    ) -> Presentation {
        var presentation = presentation
        lap(&presentation)
        presentation.state = state
        presentation.reason = reason
        presentation.closedAt = now
        let source = source ?? presentation.ownSource
        recordClosing(of: presentation, source: source, now: now, into: &changes)
        endSession(ownedBy: &presentation, source: source, now: now, into: &changes)
        put(presentation, into: &changes)
        return presentation
    }

    /// Ends the session that was started for a survey, which is no longer shown.
    mutating func endSession(
        ownedBy presentation: inout Presentation, source: Source, now: Timestamp, into changes: inout Changes
    ) {
        guard let session = presentation.ownSession else { return }
        presentation.ownSession = nil
        // Version 0.1.0 made such a session the current one.
        if sessions.current(presentation.scope)?.identity == session {
            _ = endSession(presentation.scope, isOfApp: false, source: source, now: now, into: &changes)
        } else {
            endSessionAside(session, source: source, now: now, into: &changes)
        }
    }

    func accept(
        _ submission: SurveySubmission, _ content: SurveyContent, onto kept: Answers, isFinal: Bool, now: Timestamp
    ) throws(WireError) -> Answers {
        let path = { submission.path($0, in: content) }
        let answers = try content.questionnaire.accept(
            try submission.given(to: content), onto: kept, on: today(at: now), path: path)
        return isFinal ? try content.questionnaire.complete(answers, path: path) : answers
    }
}

extension Answers {
    /// The properties of `survey_response`: the answer, and the text that it answers.
    func response(to survey: String, shown: SurveyContent, locale: String?) -> [(String, PropertyValue)] {
        var properties: [(String, PropertyValue)] = [("id", .string(survey))]
        let option = self[SurveyContent.optionId]?.word ?? ""
        let text = self[SurveyContent.textId]?.word ?? ""
        switch shown.responseType {
        case .options: properties += [("type", .string("choice")), ("option", .string(option))]
        case .text: properties += [("type", .string("text")), ("text", .string(text))]
        case .combined:
            let joined = text.isEmpty ? option : "\(option)||\(text)"
            // The text in the form of earlier versions, and its parts, which conditions and SQL can test.
            properties += [("type", .string("text")), ("text", .string(joined)), ("option", .string(option))]
            if !text.isEmpty { properties.append(("comment", .string(text))) }
        case .questions:
            properties.append(("type", .string("questions")))
            properties += members.map { ("answer.\($0.id)", $0.answer.property) }
        }
        properties += [("title", .string(shown.title)), ("message", .string(shown.message))]
        if let locale { properties.append(("locale", .string(locale))) }
        return properties
    }
}

extension Answer {
    fileprivate var word: String { text(separator: "||") }

    /// Several choices are one text, separated by `||`.
    var property: PropertyValue {
        guard case .number(let number) = self else { return .string(word) }
        return number.whole.map(PropertyValue.integer) ?? .double(number.double)
    }
}
