package import HarkClient
import HarkWire

/// A survey that was just answered, shown again for a change. Leaving it keeps the answer.
package struct AskedChange: Asked {
    package let form: SurveyForm
    /// How long the page of thanks offers a change, in seconds. Users who need longer set it in the environment.
    package static let secondsOfThanks =
        SocketAddress.environment("HARK_THANKS_SECONDS").flatMap { Double($0) }
        .map { $0.isFinite ? min(max($0, 1), 3600) : 6 } ?? 6

    private let id: String
    private let link: SurveyLink

    /// - Parameter form: The answered form.
    /// - Returns: Nil if the answer cannot be changed.
    init?(of form: SurveyForm, _ link: SurveyLink) {
        guard let id = link.changeable?.id else { return nil }
        self.id = id
        self.link = link
        self.form = form.reopened
    }

    package func perform(_ action: SurveyForm.Action, _ form: inout SurveyForm) -> AskOutcome {
        switch action {
        case .submit, .send:
            call(form.change(of: id)) { result in
                link.noteAnswer(result)
                return .ended(.answered)
            }
        case .keep:
            // Nothing is changed before the last page. The daemon returns the next page.
            call(form.change(of: id, isTried: true)) { result in
                AskOutcome.kept(result)
            }
        case .dismiss, .leave: .ended(.left)
        case .mute, .retry: .told
        }
    }

    private func call(_ request: SurveyChange, _ outcome: (JSONText) -> AskOutcome) -> AskOutcome {
        do throws(ClientError) {
            return outcome(try link.call(request).text)
        } catch {
            return .refused(error)
        }
    }

    package func listen(_ form: inout SurveyForm) throws(ClientError) -> AskEnding? {
        // Notifications about this survey are caused here; others are noted.
        while try link.heard(of: id) != nil {}
        return nil
    }

    package func resume(_ form: inout SurveyForm) throws(ClientError) -> AskEnding? {
        if link.isAway { try link.reconnect() }
        return nil
    }

    package func change(_ form: SurveyForm) -> AskedChange? { AskedChange(of: form, link) }

    package var descriptor: CInt { link.descriptor }
    package var isAway: Bool { link.isAway }
}
