package import HarkClient
import HarkWire

/// A prompt shown to the user of the program that asks. Others may be asked too; the first answer counts for all.
package struct AskedPrompt: Asked {
    private let shown: ShownSurvey
    private let link: PromptLink

    package init(_ shown: ShownSurvey, _ link: PromptLink) {
        self.shown = shown
        self.link = link
    }

    package var form: SurveyForm {
        var form = SurveyForm(shown)
        form.isPrompt = true
        form.mayBeMuted = false
        // The program that asks is the one that shows it.
        form.asker = nil
        return form
    }

    package func perform(_ action: SurveyForm.Action, _ form: inout SurveyForm) -> AskOutcome {
        switch action {
        case .submit, .send:
            return call(form.answer(to: shown.id), .answered)
        // A prompt has at most one page, which is sent with the rest.
        case .keep: return .kept(route: nil)
        case .dismiss:
            return call(SurveyDismiss(shown.id), .dismissed)
        case .leave: return .ended(.left)
        case .retry, .mute: return .told
        }
    }

    private func call(_ request: some WireMethod, _ ending: AskEnding) -> AskOutcome {
        do throws(ClientError) {
            try link.call(request)
            return .ended(ending)
        } catch {
            switch error.reason {
            case .alreadyClosed, .notFound: return .ended(.gone(error.message))
            default: break
            }
            if error.isLoss {
                return .refused(Words.say("The daemon does not answer; nothing was sent yet."))
            }
            return .refused(AskedSurvey.sentence(error.message))
        }
    }

    package func listen(_ form: inout SurveyForm) throws(ClientError) -> AskEnding? {
        guard let over = try link.heard() else { return nil }
        return .gone(over.state.rawValue)
    }

    package func resume(_ form: inout SurveyForm) throws(ClientError) -> AskEnding? {
        if link.isAway { try link.reconnect() }
        return try listen(&form)
    }

    /// The program ends, and no caller waits for the answer.
    package func keep(_ form: SurveyForm) { link.cancel() }

    package var descriptor: CInt { link.descriptor }
    package var isAway: Bool { link.isAway }
    package var outlivesDaemon: Bool { true }
}
