package import HarkWire

extension Engine {
    /// Accepts an answer to a presentation that is shown, or that is ready, which then counts as shown.
    ///
    /// The button of a notification and a script answer without showing first.
    package mutating func presentAndAnswer(
        _ id: Identifier, _ submission: SurveySubmission, visibleTo uid: UInt32?, locale: String? = nil,
        isOpened: Bool = false, on surface: Surface = .script, source: Source, now: Timestamp,
        into changes: inout Changes
    ) throws(WireError) -> Presentation {
        guard let ready = surveys.presentation(id), ready.state == .ready, ready.prompt == nil else {
            return try answer(id, submission, visibleTo: uid, source: source, now: now, into: &changes)
        }
        // Tries on a copy first, so that a refused answer does not leave the survey shown.
        var attempt = self
        var draft = Changes()
        _ = try attempt.present(
            id, visibleTo: uid, locale: locale, isOpened: isOpened, on: surface, source: source, now: now, into: &draft)
        _ = try attempt.answer(id, submission, visibleTo: uid, source: source, now: now, into: &draft)
        _ = try present(
            id, visibleTo: uid, locale: locale, isOpened: isOpened, on: surface, source: source, now: now,
            into: &changes)
        return try answer(id, submission, visibleTo: uid, source: source, now: now, into: &changes)
    }

    /// The time before a survey's expiry in which its answers are not held, in milliseconds.
    private static let leastToHold: Int64 = 60_000

    /// Keeps a complete answer that its person may undo for a moment.
    ///
    /// It counts at once if it could be lost, if a program waits for it, or if it can be changed anyway.
    package mutating func holdAnswer(
        _ id: Identifier, _ submission: SurveySubmission, visibleTo uid: UInt32?, source: Source, now: Timestamp,
        into changes: inout Changes
    ) throws(WireError) -> Presentation {
        let presentation = try find(id, visibleTo: uid)
        let survey = try survey(of: presentation)
        let expiresSoon =
            presentation.expiresAt.map { $0 < believed(now).adding(milliseconds: Self.leastToHold) } ?? false
        if presentation.prompt != nil || survey.changeable != nil || expiresSoon {
            return try answer(id, submission, visibleTo: uid, source: source, now: now, into: &changes)
        }
        return try keepAnswers(id, submission, visibleTo: uid, isComplete: true, now: now, into: &changes)
    }

    /// Makes a held answer count.
    ///
    /// - Returns: Whether it does; false if the answer was not kept after all.
    package mutating func answerHeld(
        _ id: Identifier, source: Source, now: Timestamp, into changes: inout Changes
    ) -> Bool {
        // A failing call changes nothing.
        let answered = try? answer(
            id, SurveySubmission(), visibleTo: nil, source: source, now: now, into: &changes)
        return answered != nil
    }

    /// Shows the result of answering some questions, without changing anything: a ready presentation stays ready.
    package func tryAnswers(
        _ id: Identifier, _ submission: SurveySubmission, visibleTo uid: UInt32?, locale: String?, source: Source,
        now: Timestamp
    ) throws(WireError) -> Presentation {
        var attempt = self
        var draft = Changes()
        if surveys.presentation(id)?.state == .ready {
            _ = try attempt.present(
                id, visibleTo: uid, locale: locale, isOpened: false, source: source, now: now, into: &draft)
        }
        return try attempt.keepAnswers(id, submission, visibleTo: uid, now: now, into: &draft)
    }

    /// Dismisses a presentation that is ready and counts as shown by this.
    package mutating func presentAndDismiss(
        _ id: Identifier, isForEver: Bool = false, visibleTo uid: UInt32?, isOpened: Bool = false,
        on surface: Surface = .script, source: Source,
        now: Timestamp, into changes: inout Changes
    ) throws(WireError) -> Presentation {
        if surveys.presentation(id)?.prompt == nil {
            _ = try present(
                id, visibleTo: uid, isOpened: isOpened, on: surface, source: source, now: now, into: &changes)
        }
        return try dismiss(id, for: isForEver ? .ever : .once, visibleTo: uid, source: source, now: now, into: &changes)
    }
}
