import HarkAsking
import HarkClient
import HarkWire

/// Talks with the daemon beside the main thread, so that a daemon that is slow never freezes a window.
actor Clerk {
    /// What is wanted.
    enum Wish: Sendable {
        /// A presentation, a survey, or (nil) whatever is ready.
        case survey(String?, app: String?)
        case form(String, of: FormOwner)
        /// Every survey that the daemon brings, one after the other.
        case all(app: String?)
    }

    /// How things stand after a talk.
    struct Word: Sendable {
        let form: SurveyForm
        let ending: AskEnding?
        /// Readable when there is something to hear; -1 while the daemon is away.
        let descriptor: CInt
        /// After so many seconds there is something to do by itself; nil for never.
        let patience: Double?
    }

    private var link: SurveyLink?
    private var asked: (any Asked)?
    private var isLost = false

    private static let betweenAttempts = 1.0

    // MARK: Beginning

    /// Begins what is wanted; nil where it is to be waited for.
    ///
    /// - Throws: `NothingToAsk`, `NotUnderstood` or a `ClientError`.
    func begin(_ wish: Wish) throws -> Word? {
        switch wish {
        case .survey(let named, let app):
            let link = try SurveyLink(app: app, isPresenter: false, on: .window)
            self.link = link
            return try take(try link.choose(named), link)
        case .form(let id, let owner):
            let link = try FormLink(id, of: owner)
            let reply = try link.call(.formStart)
            guard !reply.isUnknown, !reply.questions.isEmpty else { throw NotUnderstood() }
            return begin(AskedForm(reply, link, waits: false))
        case .all(let app):
            link = try SurveyLink(app: app, isPresenter: true, on: .window)
            return try next()
        }
    }

    /// The next survey that the daemon has brought; nil if none waits.
    ///
    /// - Throws: a `ClientError` when the daemon went away; the next call looks for it.
    func next() throws -> Word? {
        asked = nil
        guard let link else { return nil }
        if link.isAway { try link.reconnect() }
        while let offer = try link.nextOffer() {
            do {
                return try take(offer, link)
            } catch let error as NotUnderstood {
                Say.error("the survey '\(offer.surveyId)' is left to others: \(error.text)")
            }
        }
        return nil
    }

    private func take(_ survey: ShownSurvey, _ link: SurveyLink) throws -> Word {
        guard !survey.isUnknown, !survey.questions.isEmpty else { throw NotUnderstood() }
        return begin(try AskedSurvey(survey, link))
    }

    private func begin(_ asked: any Asked) -> Word {
        self.asked = asked
        isLost = false
        return word(asked.form, nil)
    }

    // MARK: Going on

    func carryOut(_ action: SurveyForm.Action, _ form: SurveyForm) -> Word {
        talk(form) { asked, form in asked.carryOut(action, &form, isLost: &isLost) }
    }

    /// Hears the daemon, or looks for it.
    func attend(_ form: SurveyForm) -> Word {
        talk(form) { asked, form in asked.attend(&form, isLost: &isLost) }
    }

    /// Keeps what would be lost, before the program ends.
    func keep(_ form: SurveyForm) { asked?.keep(form) }

    private func talk(_ form: SurveyForm, _ body: (any Asked, inout SurveyForm) -> AskEnding?) -> Word {
        var form = form
        guard let asked else { return Word(form: form, ending: .left, descriptor: -1, patience: nil) }
        let ending = body(asked, &form)
        return word(form, ending)
    }

    private func word(_ form: SurveyForm, _ ending: AskEnding?) -> Word {
        Word(
            form: form, ending: ending, descriptor: asked?.descriptor ?? -1,
            patience: isLost ? Self.betweenAttempts : asked?.patience(form))
    }

    /// Whether the daemon was there once, so that `next` goes on.
    var hasBegun: Bool { link != nil }

    /// Readable when something comes while nothing is asked; -1 while the daemon is away.
    var descriptor: CInt { link?.descriptor ?? -1 }
}

/// There are questions of a kind that this version does not know.
nonisolated struct NotUnderstood: Error {
    let text = "it has questions that hark \(Version.current) does not know; is the daemon newer?"
}
