package import HarkClient
import HarkWire

/// A survey that is shown here, and its communication with the daemon.
package struct AskedSurvey: Asked {
    package let presentation: ShownSurvey
    private let link: SurveyLink
    /// Whether it is presented only with the complete answer, so that an input that ends early uses no attempt.
    private let isTried: Bool
    /// Whether the daemon keeps the answer for a moment in which it can be undone. Then `.submit` ends as `.held`, and `.send`
    /// makes the answer count.
    private let holds: Bool
    /// The reason, if it ended before it was shown.
    private var endedEarly: String?

    /// - Parameters:
    ///   - isTried: Whether it was not presented, and is answered without being shown.
    ///   - holds: Whether the answer can be undone for a moment.
    package init(
        _ presentation: ShownSurvey, _ link: SurveyLink, isTried: Bool = false, holds: Bool = false
    ) throws(ClientError) {
        self.holds = holds
        self.presentation = presentation
        self.link = link
        self.isTried = isTried
        // The notification of its own presentation looks like a withdrawal.
        while let closed = try link.heard(of: presentation.id) {
            if closed.method == NotificationShape.surveyClosed.name { endedEarly = closed.presentation.ending }
        }
    }

    /// The language, if the survey was not presented with one.
    private var locale: String? { isTried ? Words.locale : nil }

    package var form: SurveyForm { SurveyForm(presentation) }

    package func perform(_ action: SurveyForm.Action, _ form: inout SurveyForm) -> AskOutcome {
        switch action {
        case .submit: holds ? hold(form) : submit(form)
        case .send: submit(form)
        case .keep: keep(form)
        case .dismiss: dismiss()
        case .mute: dismiss(isForEver: true)
        case .leave: .ended(.left)
        case .retry: .told
        }
    }

    private func submit(_ form: SurveyForm) -> AskOutcome {
        send(form.answer(to: presentation.id, locale: locale)) { result in
            link.noteAnswer(result)
            return .ended(.answered)
        }
    }

    /// Makes the daemon keep the answer. Some answers count at once all the same.
    private func hold(_ form: SurveyForm) -> AskOutcome {
        send(form.answer(to: presentation.id, isHeld: true)) { result in
            if PresentationInfo(PresentationResult(result).survey.json).state == "presented" { return .ended(.held) }
            link.noteAnswer(result)
            return .ended(.answered)
        }
    }

    /// Takes back an answer that is held. A survey of pages keeps the answers of earlier pages.
    ///
    /// - Returns: The reason why it may count after all; nil if it is taken back.
    package func undo(_ form: SurveyForm) -> String? {
        let outcome = send(form.undoing(presentation.id)) { _ in .told }
        return switch outcome {
        case .refused(let why), .ended(.gone(let why)): why
        case .told, .kept, .ended: nil
        }
    }

    private func keep(_ form: SurveyForm) -> AskOutcome {
        let request =
            isTried
            ? form.answer(to: presentation.id, locale: locale, isTried: true) : form.pageAnswer(to: presentation.id)
        return send(request) { AskOutcome.kept($0) }
    }

    private func dismiss(isForEver: Bool = false) -> AskOutcome {
        do {
            if isTried { _ = try link.present(presentation.id) }
            try link.dismiss(presentation, for: isForEver ? .ever : .once)
            return .ended(isForEver ? .muted : .dismissed)
        } catch {
            return .failed(error)
        }
    }

    private func send(_ request: SurveyAnswer, _ outcome: (JSONText) -> AskOutcome) -> AskOutcome {
        do throws(ClientError) {
            do {
                return outcome(try link.call(request).text)
            } catch let error where error.reason == .conflict && !isTried {
                // It was withdrawn from here, for example because the daemon restarted.
                return outcome(try again(request))
            }
        } catch {
            return .failed(error)
        }
    }

    private func again(_ request: SurveyAnswer) throws(ClientError) -> JSONText {
        _ = try link.present(presentation.id)
        return try link.call(request).text
    }

    package static func sentence(_ message: String) -> String {
        message.prefix(1).uppercased() + message.dropFirst() + (message.hasSuffix(".") ? "" : ".")
    }

    package func listen(_ form: inout SurveyForm) throws(ClientError) -> AskEnding? {
        if let endedEarly { return .gone(endedEarly) }
        while let told = try link.heard(of: presentation.id) {
            if NotificationShape.endShowing.contains(told.method) { return .gone(told.presentation.ending) }
        }
        return nil
    }

    /// Presents the survey again.
    package func resume(_ form: inout SurveyForm) throws(ClientError) -> AskEnding? {
        if link.isAway { try link.reconnect() }
        if isTried { return nil }
        do {
            _ = try link.present(presentation.id)
            return nil
        } catch let error where error.reason == .alreadyClosed || error.reason == .notFound {
            return .gone(error.message)
        } catch let error where error.reason == .conflict {
            // For a presenter, the daemon has offered it first.
            guard try link.nextOffer(presentation.id) != nil else { throw error }
            return nil
        }
    }

    package func change(_ form: SurveyForm) -> AskedChange? { AskedChange(of: form, link) }

    package var descriptor: CInt { link.descriptor }
    package var isAway: Bool { link.isAway }
}
