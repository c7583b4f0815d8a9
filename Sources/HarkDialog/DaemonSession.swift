import HarkAsking
import HarkClient
import HarkWire

/// The connection to the daemon. It works off the main thread, so that a slow daemon never freezes a window.
actor DaemonSession {
    /// What to show.
    enum Request: Sendable {
        /// A presentation or a survey by its id; nil for the next survey that is ready.
        case survey(String?, app: String?)
        case form(String, of: FormOwner)
        /// Every survey that the daemon offers, one after the other.
        case all(app: String?)
        /// Every survey for the visitors of a kiosk, where each visitor is another person.
        ///
        /// - Parameter alwaysShown: The survey that stays on the screen while there is no other; nil for none.
        case visitors(app: String, alwaysShown: String?)

        var waits: Bool {
            switch self {
            case .all, .visitors: true
            case .survey, .form: false
            }
        }
    }

    /// The state after a call.
    struct Reply: Sendable {
        let form: SurveyForm
        let ending: AskEnding?
        /// A descriptor that becomes readable on incoming data; -1 while the daemon is away.
        let descriptor: CInt
        /// The seconds after which there is work to do; nil for never.
        let patience: Double?
        /// Whether it was answered and can be changed.
        var mayBeChanged = false
        /// Whether it is the survey that stays on a kiosk's screen.
        var isStanding = false
    }

    private var link: SurveyLink?
    /// The look of windows; nil until there is a connection.
    private(set) var look: ShownLook?
    private var asked: (any Asked)?
    private var reconnection = Reconnection()
    /// For a kiosk: whether visitors are asked, what to tell the daemon, and the last visitor's survey.
    private var asksVisitors = false
    /// The survey that stays on the screen; nil for none.
    private var alwaysShown: String?
    private var hasSaidMissing = false
    private var news = VisitNews()
    private var last: ShownSurvey?

    /// The seconds after which a survey that was put off comes again.
    private static let later: Int64 = 600

    // MARK: Start

    /// Starts, and returns the first survey; nil if there is none yet.
    ///
    /// - Throws: `NothingToAsk`, `NotUnderstood` or a `ClientError`.
    func begin(_ request: Request) throws -> Reply? {
        switch request {
        case .survey(let named, let app):
            let link = try SurveyLink(app: app, isPresenter: false, on: .window)
            self.link = link
            look = link.look
            return try take(try link.choose(named), link)
        case .form(let id, let owner):
            let link = try FormLink(id, of: owner)
            look = link.look
            let reply = try link.call(FormStart())
            guard !reply.isUnknown, !reply.questions.isEmpty else { throw NotUnderstood() }
            return begin(AskedForm(reply, link, waits: false))
        case .all(let app):
            link = try SurveyLink(app: app, isPresenter: true, on: .window)
            look = link?.look
            return try next()
        case .visitors(let app, let alwaysShown):
            self.alwaysShown = alwaysShown
            link = try SurveyLink(app: app, isPresenter: true, on: .kiosk)
            look = link?.look
            asksVisitors = true
            news.beginsSession = true
            return try next()
        }
    }

    /// Returns the next offered survey; nil if there is none.
    ///
    /// - Throws: A `ClientError` if the daemon went away; the next call reconnects.
    func next() throws -> Reply? {
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

    /// Puts the survey off, so that others come first and it comes again later.
    ///
    /// - Parameter seconds: For how long; nil for a while.
    func putOff(for seconds: Int64? = nil) {
        guard let link, let shown = (asked as? AskedSurvey)?.presentation else { return }
        // A survey that is gone, or is returned with the connection, need not be put off.
        try? link.snooze(shown, seconds: seconds ?? Self.later)
    }

    // MARK: Visitors

    private func nextForVisitor(_ link: SurveyLink) throws -> Reply? {
        try link.tell(&news)
        var mayStand = true
        repeat {
            while try link.heard() != nil {}
            var next = try link.takeNext()
            if next == nil, mayStand {
                mayStand = false
                next = try takeAlwaysShown(link)
            }
            guard let survey = next else { continue }
            do {
                return try take(survey, link)
            } catch let error as NotUnderstood {
                Say.error("the survey '\(survey.surveyId)' is closed: \(error.text)")
                try link.dismiss(survey)
            }
        } while try link.heard() != nil
        return nil
    }

    /// Triggers the survey that stays on the screen, and presents it; nil if it does not come.
    private func takeAlwaysShown(_ link: SurveyLink) throws -> ShownSurvey? {
        guard let alwaysShown else { return nil }
        try link.tellRest(for: alwaysShown)
        if let survey = try link.takeNext() { return survey }
        if !hasSaidMissing {
            Say.error(
                "'kiosk_rest' does not trigger the survey '\(alwaysShown)'; 'hark explain \(alwaysShown)' says why")
        }
        hasSaidMissing = true
        return nil
    }

    /// Ends a visit; everything after it belongs to the next visitor. If the daemon is away, it is told with the next
    /// request for a survey.
    func endVisit(isAbandoned: Bool) {
        last = (asked as? AskedSurvey)?.presentation
        asked = nil
        if isAbandoned, let last { news.abandoned = last }
        news.beginsSession = true
        if let link, !link.isAway { try? link.tell(&news) }
    }

    /// Notes the number of presses ignored after the last answer.
    func note(ignored presses: Int) {
        if presses > 0, let last { news.ignored = (last.surveyId, presses) }
    }

    /// Sets the language of surveys; nil for the desktop's.
    func speak(_ language: String?) { link?.locale = language ?? Words.locale }

    private func take(_ survey: ShownSurvey, _ link: SurveyLink) throws -> Reply {
        guard !survey.isUnknown, !survey.questions.isEmpty else { throw NotUnderstood() }
        // The next visitor of a kiosk must not undo the answer of the one before.
        return begin(try AskedSurvey(survey, link, holds: !asksVisitors))
    }

    private func begin(_ asked: any Asked) -> Reply {
        self.asked = asked
        reconnection.succeeded()
        return reply(asked.form, nil)
    }

    // MARK: Actions

    /// Reopens the answers for a change; nil if that is no longer possible.
    func change(_ form: SurveyForm) -> Reply? { asked?.change(form).map { begin($0) } }

    func carryOut(_ action: SurveyForm.Action, _ form: SurveyForm) -> Reply {
        talk(form) { asked, form in asked.carryOut(action, &form, &reconnection) }
    }

    /// Lets a held answer count. If the daemon went away meanwhile, this reconnects first.
    func complete(_ form: SurveyForm) -> Reply {
        talk(form) { asked, form in
            let ending = asked.carryOut(.send, &form, &reconnection)
            guard ending == nil, reconnection.isAway else { return ending }
            if let ending = asked.attend(&form, &reconnection) { return ending }
            guard !reconnection.isAway else { return nil }
            return asked.carryOut(.send, &form, &reconnection)
        }
    }

    /// Takes a held answer back.
    func undo(_ form: SurveyForm) -> Reply {
        talk(form) { asked, form in
            guard let why = (asked as? AskedSurvey)?.undo(form) else { return nil }
            form.problem = why
            if asked.isAway { reconnection.failed(at: MonotonicClock.now) }
            return nil
        }
    }

    /// Handles notifications, or reconnects.
    func attend(_ form: SurveyForm) -> Reply {
        talk(form) { asked, form in asked.attend(&form, &reconnection) }
    }

    /// Saves unsaved input before the program ends.
    func keep(_ form: SurveyForm) { asked?.keep(form) }

    private func talk(_ form: SurveyForm, _ body: (any Asked, inout SurveyForm) -> AskEnding?) -> Reply {
        var form = form
        guard let asked else { return Reply(form: form, ending: .left, descriptor: -1, patience: nil) }
        let ending = body(asked, &form)
        return reply(form, ending)
    }

    private func reply(_ form: SurveyForm, _ ending: AskEnding?) -> Reply {
        Reply(
            form: form, ending: ending, descriptor: asked?.descriptor ?? -1,
            patience: reconnection.isAway
                ? Double(reconnection.pause(at: MonotonicClock.now)) / 1_000 : asked?.patience(form),
            mayBeChanged: ending == .answered && asked?.change(form) != nil,
            isStanding: alwaysShown != nil && (asked as? AskedSurvey)?.presentation.surveyId == alwaysShown)
    }

    /// Whether the daemon was reached once, so that `next` can continue.
    var hasBegun: Bool { link != nil }

    /// A descriptor that becomes readable on incoming data while no survey is shown; -1 while the daemon is away.
    var descriptor: CInt { link?.descriptor ?? -1 }
}

/// Questions have types that this version does not know.
nonisolated struct NotUnderstood: Error {
    let text = "it has questions that hark \(Version.current) does not know; is the daemon newer?"
}
