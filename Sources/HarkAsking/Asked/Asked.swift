package import HarkClient
import HarkWire

/// How a survey or form ended.
package enum AskEnding: Sendable, Equatable {
    case answered
    /// It was answered. The answer can be undone, and counts once it is sent or this program ends.
    case held
    case dismissed
    /// The person is never asked this again.
    case muted
    /// The person put it off. The daemon gives it to the next presenter.
    case left
    /// Everything is done here, and some answers wait to be sent.
    case waiting
    /// It can no longer be answered, for this reason.
    case gone(String)
}

/// The outcome of an action.
package enum AskOutcome {
    case ended(AskEnding)
    /// The answers so far are kept, with the new route if the daemon returns it, and the questions with the texts that
    /// they have now.
    case kept(route: [String]?, questions: [SurveyQuestion] = [])
    /// Nothing was stored, for this reason.
    case refused(String)
    /// The form shows the outcome.
    case told

    /// The outcome of an error after which the survey or form can still be answered, with a message to the person.
    static func refused(_ error: ClientError) -> AskOutcome {
        if case .refused = error.code { return .refused(AskedSurvey.sentence(error.message)) }
        return .refused(Words.say("The daemon does not answer; nothing was sent yet."))
    }

    /// The same outcome, or the ending if the survey or form can no longer be answered.
    static func failed(_ error: ClientError) -> AskOutcome {
        error.reason == .alreadyClosed || error.reason == .notFound ? .ended(.gone(error.message)) : .refused(error)
    }

    /// The outcome of a reply to partial answers.
    static func kept(_ reply: JSONText) -> AskOutcome {
        let survey = ShownSurvey(PresentationResult(reply).survey.json)
        return .kept(route: survey?.route, questions: survey?.questions ?? [])
    }
}

/// A survey or form that is shown here, and its communication with the daemon.
package protocol Asked {
    /// The form in its initial state.
    var form: SurveyForm { get }

    /// Carries out an action of the form.
    func perform(_ action: SurveyForm.Action, _ form: inout SurveyForm) -> AskOutcome

    /// Handles notifications of the daemon. Returns the ending, if it ended.
    ///
    /// - Throws: If the daemon went away.
    func listen(_ form: inout SurveyForm) throws(ClientError) -> AskEnding?

    /// Reconnects after the daemon went away, and resumes. Returns the ending, if it ended.
    ///
    /// - Throws: While it cannot resume yet.
    func resume(_ form: inout SurveyForm) throws(ClientError) -> AskEnding?

    /// Saves unsaved input before this program is ended by a signal.
    func keep(_ form: SurveyForm)

    /// Returns the seconds after which `listen` has work to do; nil for never.
    func patience(_ form: SurveyForm) -> Double?

    /// Returns the answered form for a change; nil if the answer is final.
    func change(_ form: SurveyForm) -> AskedChange?

    /// A descriptor that becomes readable on incoming data; -1 while the daemon is away.
    var descriptor: CInt { get }
    var isAway: Bool { get }
    /// Whether it continues while the daemon is away, also line by line.
    var outlivesDaemon: Bool { get }
}

extension Asked {
    package var outlivesDaemon: Bool { false }
    /// A survey that was shown becomes ready again, with the answers kept from its pages.
    package func keep(_ form: SurveyForm) {}
    package func patience(_ form: SurveyForm) -> Double? { nil }
    package func change(_ form: SurveyForm) -> AskedChange? { nil }
}
