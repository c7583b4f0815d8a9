import HarkClient

/// How the asking ended.
enum AskEnding: Equatable {
    case answered
    case dismissed
    /// The person put it off; the daemon gives it back to who asks next.
    case left
    /// It is not to be answered any more: why.
    case gone(String)
}

/// A survey that is before somebody's eyes here, and what the daemon says to what that person does.
struct AskedSurvey {
    let presentation: Presentation
    private let link: SurveyLink
    /// It ended before it was on the screen.
    private var endedEarly: String?

    init(_ presentation: Presentation, _ link: SurveyLink) throws(ClientError) {
        self.presentation = presentation
        self.link = link
        // How it came here is told as well, and looks like being taken back.
        while let closed = try next() {
            if closed.method == "survey.closed" { endedEarly = closed.presentation.ending }
        }
    }

    enum Outcome {
        case ended(AskEnding)
        /// The answers so far are kept; the way they lead, if the daemon tells.
        case kept(route: [String]?)
        /// Nothing was stored: why.
        case refused(String)
    }

    func submit(_ form: SurveyForm) -> Outcome {
        send(form.answerParams(presentationId: presentation.id)) { _ in .ended(.answered) }
    }

    func keep(_ form: SurveyForm) -> Outcome {
        send(form.pageParams(presentationId: presentation.id)) { result in
            .kept(route: result.member("survey").flatMap { Presentation($0) }?.route)
        }
    }

    func dismiss() -> Outcome {
        do {
            try link.dismiss(presentation)
            return .ended(.dismissed)
        } catch {
            return Self.outcome(of: error)
        }
    }

    private func send(_ params: [UInt8], _ outcome: (JSONText) -> Outcome) -> Outcome {
        do throws(ClientError) {
            do {
                return outcome(try link.call("survey.answer", params))
            } catch let error where error.reason == "conflict" {
                // It was taken from here, say because the daemon started anew.
                return outcome(try again(params))
            }
        } catch {
            return Self.outcome(of: error)
        }
    }

    private func again(_ params: [UInt8]) throws(ClientError) -> JSONText {
        _ = try link.present(presentation.id)
        return try link.call("survey.answer", params)
    }

    private static func outcome(of error: ClientError) -> Outcome {
        switch error.reason {
        case "alreadyClosed", "notFound": return .ended(.gone(error.message))
        default: break
        }
        if case .refused = error.code { return .refused(sentence(error.message)) }
        return .refused("The daemon does not answer; nothing was sent yet.")
    }

    private static func sentence(_ message: String) -> String {
        message.prefix(1).uppercased() + message.dropFirst() + (message.hasSuffix(".") ? "" : ".")
    }

    /// Listens to what the daemon has sent: why it is gone, if it is.
    ///
    /// - Throws: when the daemon went away.
    func heardEnding() throws(ClientError) -> String? {
        if let endedEarly { return endedEarly }
        while let told = try next() {
            if ["survey.closed", "survey.ready", "survey.scheduled"].contains(told.method) {
                return told.presentation.ending
            }
        }
        return nil
    }

    /// What was told about this presentation next; nil if nothing waits.
    private func next() throws(ClientError) -> (method: String, presentation: Presentation)? {
        while let (method, params) = try link.heard() {
            guard let told = params.member("survey").flatMap({ Presentation($0) }), told.id == presentation.id else {
                continue
            }
            return (method, told)
        }
        return nil
    }

    /// Looks for the daemon after it went away, and presents the survey again.
    ///
    /// - Returns: why it is gone, if it is; nil when all is as before.
    /// - Throws: while there is no way back yet.
    func resume() throws(ClientError) -> String? {
        if link.isAway { try link.reconnect() }
        do {
            _ = try link.present(presentation.id)
            return nil
        } catch let error where error.reason == "alreadyClosed" || error.reason == "notFound" {
            return error.message
        }
    }

    var descriptor: CInt { link.descriptor }
    var isAway: Bool { link.isAway }
}
