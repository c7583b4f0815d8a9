package import HarkWire

/// Changes and withdrawals of answers, within the time that the survey gives.
///
/// Each version is a presentation of its own, so both are kept; the earlier one refers to its replacement. A change is
/// not counted again, needs no check of limits, and triggers nothing.
extension Engine {
    /// - Parameters:
    ///   - submission: the changed answers; nil withdraws all of them.
    ///   - version: the version of the presentation's answers according to the store; 1 for the first answers.
    ///   - version: the version of the presentation's answers according to the store; 1 for the first answers.
    package mutating func changeAnswers(
        _ id: Identifier, version: Int, to submission: SurveySubmission?, visibleTo uid: UInt32?, source: Source,
        now: Timestamp, into changes: inout Changes
    ) throws(WireError) -> Presentation {
        var before = try find(id, visibleTo: uid)
        try checkChangeable(before, source: source, now: now)
        let content = try contentShown(in: before, submission)
        let answers = try submission.map { submission throws(WireError) in
            try accept(submission, content, onto: before.answers, isFinal: true, now: now)
        }
        if answers == before.answers { return before }
        if submission != nil { try checkRoom(forVersionAfter: version) }
        var after = Presentation(revising: before, id: identifiers.next(at: now))
        after.times.note(answers ?? Answers(), after: before.answers, at: now)
        after.answers = answers ?? Answers()
        let session = session(for: &after, source: source, now: now, into: &changes)
        after.session = session.id
        let ids: [(String, PropertyValue)] = [
            ("presentationId", .string(after.id.description)), ("revises", .string(before.id.description)),
        ]
        before.revisedBy = after.id
        put(before, into: &changes)
        guard let answers else {
            giveBackQuota(before, now: now, into: &changes)
            _ = emit(
                SurveyEvents.takenBack, [("id", .string(before.survey))] + ids, of: after, in: session, source: source,
                now: now, into: &changes)
            return close(
                after, .cancelled, reason: Presentation.takenBackReason, source: source, now: now, into: &changes)
        }
        let survey = surveys.configuration.survey(before.survey)
        let locale = survey?.content.translation(for: before.locale)?.locale
        _ = emit(
            SurveyEvents.response, answers.response(to: before.survey, shown: content, locale: locale) + ids, of: after,
            in: session, source: source, now: now, into: &changes)
        return close(after, .answered, source: source, now: now, into: &changes)
    }

    /// Shows the result of changing some answers, without changing anything.
    package func tryChange(
        _ id: Identifier, version: Int, to submission: SurveySubmission, visibleTo uid: UInt32?, source: Source,
        now: Timestamp
    ) throws(WireError) -> Presentation {
        var presentation = try find(id, visibleTo: uid)
        try checkChangeable(presentation, source: source, now: now)
        let content = try contentShown(in: presentation, submission)
        let answers = try accept(submission, content, onto: presentation.answers, isFinal: false, now: now)
        if answers != presentation.answers { try checkRoom(forVersionAfter: version) }
        presentation.answers = answers
        return presentation
    }

    private func checkRoom(forVersionAfter version: Int) throws(WireError) {
        guard version >= Limits.answerVersions else { return }
        throw WireError(
            .tooLarge,
            "these answers were changed \(version - 1) times, and cannot be changed again; they can still be taken back "
                + "('hark answer --take-back', or \"takeBack\": true)", path: Engine.idPath)
    }

    private func checkChangeable(_ presentation: Presentation, source: Source, now: Timestamp) throws(WireError) {
        func refuse(_ reason: ErrorReason, _ why: String) -> WireError { WireError(reason, why, path: Engine.idPath) }
        guard !presentation.state.isOpen else {
            throw refuse(.conflict, "this survey is not answered yet, it is \(presentation.state.word); answer it")
        }
        guard presentation.state == .answered else { throw presentation.closedError }
        if let newer = presentation.revisedBy {
            throw refuse(.conflict, "these answers were changed already; the newest are those of presentation \(newer)")
        }
        guard let until = presentation.changeableUntil else {
            throw refuse(
                .conflict,
                presentation.prompt == nil
                    ? "answers to this survey stay as they are; 'changeableSeconds' in the survey file lets them be changed"
                    : "the program that asked has the answer already; it cannot be changed")
        }
        guard presentation.user.uid == source.uid else {
            throw refuse(.permissionDenied, "only the account that was asked may change its answers")
        }
        try refuseOthers(presentation)
        // After the clock was set back, the person gets at most the same time once more.
        let span = surveys.configuration.survey(presentation.survey)?.changeable
        let earliest = span.map { until.adding(milliseconds: -2 * $0) } ?? .earliest
        guard (earliest..<until).contains(believed(now)) else {
            throw refuse(.alreadyClosed, "the time in which these answers could be changed ended on \(until)")
        }
    }

    /// The content that was shown: from the current survey if unchanged, else as it was stored then.
    private func contentShown(
        in presentation: Presentation, _ submission: SurveySubmission?
    ) throws(WireError) -> SurveyContent {
        if let survey = surveys.configuration.survey(presentation.survey),
            presentation.shown == survey.shown(for: presentation)
        {
            return survey.content(for: presentation)
        }
        guard let content = SurveyContent(shown: presentation.shown) else {
            throw WireError(
                .conflict,
                "the survey has changed since, and what was asked is not known any more; only 'takeBack' is possible",
                path: Engine.idPath)
        }
        // The stored content has no branches, so questions that were not asked stay unasked.
        let given = submission?.ids ?? []
        var asked = content.filled(with: presentation.values(for: content))
        asked.questionnaire = Questionnaire(
            asked.questionnaire.questions.filter { question in
                presentation.answers[question.id] != nil || given.contains { $0.hasSameBytes(as: question.id) }
            })
        return asked
    }
}

extension Presentation {
    static let takenBackReason = "takenBack"

    /// The next version of an answered presentation.
    fileprivate init(revising before: Presentation, id: Identifier) {
        self = Presentation(
            id: id, survey: before.survey, user: before.user, app: before.app, origin: before.origin,
            createdAt: before.createdAt, state: .presented, dueAt: before.dueAt)
        revises = before.id
        changeableUntil = before.changeableUntil
        presentedAt = before.presentedAt
        depth = before.depth
        trigger = before.trigger
        given = before.given
        isUncounted = before.isUncounted
        locale = before.locale
        shown = before.shown
        times = before.times
    }
}

extension SurveySubmission {
    /// The ids of the questions that are answered.
    fileprivate var ids: [String] {
        let simple = [(SurveyContent.optionId, option), (SurveyContent.textId, text)].filter { $0.1 != nil }.map(\.0)
        return simple + answers.map(\.key)
    }
}
