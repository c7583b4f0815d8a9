import HarkClient
import HarkWire

/// A form that is being filled in here.
final class AskedForm: Asked {
    let form: SurveyForm
    private let link: FormLink
    /// Each answer is waited for until something has become of it, as somebody who reads line by line expects.
    private let waits: Bool
    /// When to ask next how things stand.
    private var nextLook = 0.0

    /// While something is under way, and while something waits to be sent.
    private static let (soon, later) = (0.15, 1.0)

    init(_ reply: FormReply, _ link: FormLink, waits: Bool) {
        form = SurveyForm(filling: reply)
        self.link = link
        self.waits = waits
    }

    func perform(_ action: SurveyForm.Action, _ form: inout SurveyForm) -> AskOutcome {
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
                form.update(
                    try link.call("form.retry", waits: waits) { params in
                        params.member("questionId", question)
                        params.key("confirm")
                        params.bool(waits)
                    }, now: MonotonicClock.now)
                return .told
            case .leave, .dismiss, .submit:
                try keepDrafts(&form)
                return .ended(form.filling?.isCompleted == true ? .answered : .left)
            case .suspend, .redraw: return .told
            }
        } catch {
            if action == .leave { return .ended(form.filling?.isCompleted == true ? .answered : .left) }
            return outcome(of: error)
        }
    }

    private func answer(_ fields: [FormField], _ form: inout SurveyForm) throws(ClientError) {
        nextLook = 0
        form.update(
            try link.call("form.answer", waits: waits) { params in
                params.key("answers")
                params.beginObject()
                for field in fields {
                    params.key(field.id)
                    params.value(field.value ?? .null)
                }
                params.endObject()
                params.key("confirm")
                params.bool(waits)
            }, now: MonotonicClock.now)
    }

    /// What was chosen or written and not kept yet, as far as it keeps the rules and stays here.
    private func keepDrafts(_ form: inout SurveyForm) throws(ClientError) {
        guard let filling = form.filling, !filling.isSubmitted else { return }
        let drafts = form.fields.filter { field in
            form.isChanged(field) && field.problem == nil && form.route.contains(field.id)
        }
        if !drafts.isEmpty { try answer(drafts, &form) }
    }

    private func outcome(of error: ClientError) -> AskOutcome {
        if error.reason == "notFound" { return .ended(.gone(error.message)) }
        if case .refused = error.code { return .refused(AskedSurvey.sentence(error.message)) }
        return .refused("The daemon does not answer; nothing was sent yet.")
    }

    func listen(_ form: inout SurveyForm) throws(ClientError) -> AskEnding? {
        try link.listen()
        let now = MonotonicClock.now
        form.filling?.tick(now: now)
        guard let interval = interval(form), now >= nextLook else { return nil }
        nextLook = now + interval
        form.update(try link.call("form.progress"), now: now)
        return nil
    }

    func resume(_ form: inout SurveyForm) throws(ClientError) -> AskEnding? {
        if link.isAway { try link.reconnect() }
        do {
            form.update(try link.call("form.start"), now: MonotonicClock.now)
            return nil
        } catch let error where error.reason == "notFound" {
            return .gone(error.message)
        }
    }

    func patience(_ form: SurveyForm) -> Double? {
        let now = MonotonicClock.now
        let look = interval(form).map { _ in nextLook - now }
        let banner = form.filling?.banner?.until.map { $0 - now }
        return [look, banner].compactMap(\.self).min().map { max($0, 0) }
    }

    private func interval(_ form: SurveyForm) -> Double? {
        let submissions = form.filling?.submissions.values.map(\.self) ?? []
        if submissions.contains(where: \.isUnderWay) { return Self.soon }
        return submissions.contains { $0.state == .queued } ? Self.later : nil
    }

    var descriptor: CInt { link.descriptor }
    var isAway: Bool { link.isAway }
}
