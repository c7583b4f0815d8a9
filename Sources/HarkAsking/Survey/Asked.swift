package import HarkClient

/// How the asking ended.
package enum AskEnding: Sendable, Equatable {
    case answered
    case dismissed
    /// The person is never asked it again.
    case muted
    /// The person put it off; the daemon gives it back to who asks next.
    case left
    /// All that could be done here is done, and some of it waits to be sent.
    case waiting
    /// It is not to be answered any more: why.
    case gone(String)
}

/// What came of something that was done on the form.
package enum AskOutcome {
    case ended(AskEnding)
    /// The answers so far are kept; the way they lead, if the daemon tells.
    case kept(route: [String]?)
    /// Nothing was stored: why.
    case refused(String)
    /// The form tells.
    case told
}

/// What is before somebody's eyes here, and what the daemon says to what that person does.
package protocol Asked {
    /// The form as it begins.
    var form: SurveyForm { get }

    /// Does what came of a key or a line.
    func perform(_ action: SurveyForm.Action, _ form: inout SurveyForm) -> AskOutcome

    /// Listens to what the daemon says by itself; how it ended, if it did.
    ///
    /// - Throws: when the daemon went away.
    func listen(_ form: inout SurveyForm) throws(ClientError) -> AskEnding?

    /// Looks for the daemon after it went away, and takes up where that left off; how it ended, if it did.
    ///
    /// - Throws: while there is no way back yet.
    func resume(_ form: inout SurveyForm) throws(ClientError) -> AskEnding?

    /// Keeps what is on the screen and nowhere else, before this program ends by a signal.
    func keep(_ form: SurveyForm)

    /// After so many seconds `listen` has something to do; nil for never.
    func patience(_ form: SurveyForm) -> Double?

    /// What was answered here, to be changed; nil: it stays as it is.
    func change(_ form: SurveyForm) -> AskedChange?

    /// Readable when there is something to hear; -1 while the daemon is away.
    var descriptor: CInt { get }
    var isAway: Bool { get }
    /// Whether it goes on, line by line too, while the daemon is away.
    var outlivesDaemon: Bool { get }
}

extension Asked {
    package var outlivesDaemon: Bool { false }
    package func change(_ form: SurveyForm) -> AskedChange? { nil }
}
