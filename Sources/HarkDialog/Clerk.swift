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
        /// The same for visitors, each of whom is another person.
        case visitors(app: String)

        var waits: Bool {
            switch self {
            case .all, .visitors: true
            case .survey, .form: false
            }
        }
    }

    /// How things stand after a talk.
    struct Word: Sendable {
        let form: SurveyForm
        let ending: AskEnding?
        /// Readable when there is something to hear; -1 while the daemon is away.
        let descriptor: CInt
        /// After so many seconds there is something to do by itself; nil for never.
        let patience: Double?
        /// It was answered, and that can be changed.
        var mayBeChanged = false
    }

    private var link: SurveyLink?
    private var asked: (any Asked)?
    private var isLost = false
    /// Of a kiosk: visitors are asked, what there is to tell of them, and the survey that the last one was asked.
    private var asksVisitors = false
    private var news = VisitNews()
    private var last: ShownSurvey?

    private static let betweenAttempts = 1.0
    /// What is put off comes again after ten minutes.
    private static let later: Int64 = 600

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
        case .visitors(let app):
            link = try SurveyLink(app: app, isPresenter: true, on: .kiosk)
            asksVisitors = true
            news.beginsSession = true
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
        if asksVisitors { return try nextForVisitor(link) }
        while let offer = try link.nextOffer() {
            do {
                return try take(offer, link)
            } catch let error as NotUnderstood {
                Say.error("the survey '\(offer.surveyId)' is left to others: \(error.text)")
            }
        }
        return nil
    }

    /// Whoever has put it off is asked again, though not at once; until then others have their turn.
    func putOff() {
        guard let link, let shown = (asked as? AskedSurvey)?.presentation else { return }
        // What is gone, or is given back with the connection, needs no putting off.
        try? link.snooze(shown, seconds: Self.later)
    }

    // MARK: Visitors

    private func nextForVisitor(_ link: SurveyLink) throws -> Word? {
        try link.tell(&news)
        repeat {
            while try link.heard() != nil {}
            guard let survey = try link.takeNext() else { continue }
            do {
                return try take(survey, link)
            } catch let error as NotUnderstood {
                Say.error("the survey '\(survey.surveyId)' is closed: \(error.text)")
                try link.dismiss(survey)
            }
        } while try link.heard() != nil
        return nil
    }

    /// The visitor is done, or has gone: what comes from now on is the next one's. While the daemon is away it is told with
    /// the next question for what comes.
    func endVisit(isAbandoned: Bool) {
        last = (asked as? AskedSurvey)?.presentation
        asked = nil
        if isAbandoned, let last { news.abandoned = last }
        news.beginsSession = true
        if let link, !link.isAway { try? link.tell(&news) }
    }

    /// So many presses after the last answer did not count.
    func note(ignored presses: Int) {
        if presses > 0, let last { news.ignored = (last.surveyId, presses) }
    }

    /// Surveys are shown in that language from now on; nil: in the desktop's.
    func speak(_ language: String?) { link?.locale = language ?? Words.locale }

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

    /// What was answered, to be changed; nil where that is not possible any more.
    func change(_ form: SurveyForm) -> Word? { asked?.change(form).map { begin($0) } }

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
            patience: isLost ? Self.betweenAttempts : asked?.patience(form),
            mayBeChanged: ending == .answered && asked?.change(form) != nil)
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
