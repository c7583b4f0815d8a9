package import HarkClient
import HarkWire

/// A form that is being filled in by this program.
package final class AskedForm: Asked {
    package let form: SurveyForm
    private let link: FormLink
    /// Whether each answer waits for its outcome, as expected when answering line by line.
    private let waits: Bool
    /// The time of the next status request.
    private var nextLook = 0.0
    private var drafts: DraftKeeper
    /// Whether the person was warned that leaving loses the unfinished answers.
    private var hasWarned = false

    /// The intervals of status requests: while an answer is being sent, and while one waits to be sent.
    private static let (soon, later) = (0.15, 1.0)

    package init(_ reply: FormReply, _ link: FormLink, waits: Bool) {
        form = SurveyForm(filling: reply)
        self.link = link
        self.waits = waits
        drafts = DraftKeeper(reply.draft)
    }

    package func perform(_ action: SurveyForm.Action, _ form: inout SurveyForm) -> AskOutcome {
        let field = form.current
        do throws(ClientError) {
            switch action {
            case .keep:
                try answer([field], &form)
                return .kept(route: form.route)
            case .send:
                form.filling?.banner = nil
                try answer([field], &form)
                return .told
            case .retry(let question):
                form.filling?.banner = nil
                var request = FormRetry()
                (request.questionId, request.confirm) = (question, waits)
                form.update(try link.call(request, waits: waits), now: MonotonicClock.now)
                return .told
            case .leave, .dismiss, .submit: return leave(form)
            case .mute: return .told
            }
        } catch {
            return .failed(error)
        }
    }

    private func leave(_ form: SurveyForm) -> AskOutcome {
        do throws(ClientError) {
            try keepDraft(form)
        } catch {
            guard form.draft.answers.isEmpty || hasWarned else {
                hasWarned = true
                var why = Words.say("The daemon does not answer.")
                if case .refused = error.code { why = AskedSurvey.sentence(error.message) }
                return .refused("\(why) What you began would be lost; again leaves all the same.")
            }
        }
        return .ended(form.filling?.isCompleted == true ? .answered : .left)
    }

    package func keep(_ form: SurveyForm) {
        do throws(ClientError) {
            try keepDraft(form)
        } catch {
            // This program ends in any case, and an earlier draft is already kept.
            return
        }
    }

    private func keepDraftIfTaken(_ form: SurveyForm) throws(ClientError) {
        do throws(ClientError) {
            try keepDraft(form)
        } catch {
            guard case .refused = error.code else { throw error }
            // The draft is too long, for example. It stays here, and is sent again after its next change.
            drafts.postpone()
        }
    }

    /// Sends the draft to the daemon. There are no drafts when answering line by line.
    private func keepDraft(_ form: SurveyForm) throws(ClientError) {
        guard !waits, let change = drafts.change(to: form.draft) else { return }
        var request = FormDraftRequest()
        (request.page, request.answers) = (change.page, AnyJSON(JSONObject(change.answers)))
        drafts.kept = try link.call(request).draft
    }

    private func answer(_ fields: [FormField], _ form: inout SurveyForm) throws(ClientError) {
        nextLook = 0
        var request = FormAnswerRequest()
        (request.answers, request.confirm) = (AnyJSON(FormField.answers(fields)), waits)
        let reply = try link.call(request, waits: waits)
        drafts.kept = reply.draft
        form.update(reply, now: MonotonicClock.now)
    }

    package func listen(_ form: inout SurveyForm) throws(ClientError) -> AskEnding? {
        try link.listen()
        let now = MonotonicClock.now
        form.filling?.tick(now: now)
        if drafts.isDue(form.draft, now: now) { try keepDraftIfTaken(form) }
        guard let interval = interval(form), now >= nextLook else { return nil }
        nextLook = now + interval
        form.update(try link.call(FormProgressRequest()), now: now)
        return nil
    }

    package func resume(_ form: inout SurveyForm) throws(ClientError) -> AskEnding? {
        if link.isAway { try link.reconnect() }
        do {
            let reply = try link.call(FormStart())
            drafts.kept = reply.draft
            hasWarned = false
            form.update(reply, now: MonotonicClock.now)
            return nil
        } catch let error where error.reason == .notFound {
            return .gone(error.message)
        }
    }

    package func patience(_ form: SurveyForm) -> Double? {
        let now = MonotonicClock.now
        let look = interval(form).map { _ in nextLook - now }
        let banner = form.filling?.banner?.until.map { $0 - now }
        let draft = waits ? nil : drafts.dueAt(form.draft, now: now).map { $0 - now }
        return [look, banner, draft].compactMap(\.self).min().map { max($0, 0) }
    }

    private func interval(_ form: SurveyForm) -> Double? {
        let submissions = form.filling?.submissions.values.map(\.self) ?? []
        if submissions.contains(where: \.isUnderWay) { return Self.soon }
        return submissions.contains { $0.state == .queued } ? Self.later : nil
    }

    package var descriptor: CInt { link.descriptor }
    package var isAway: Bool { link.isAway }
}
