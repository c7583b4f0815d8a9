import Glibc
package import HarkClient
package import HarkWire

extension NotificationShape {
    /// The notifications after which a survey is no longer shown here.
    package static let endShowing = [surveyClosed, surveyReady, surveyScheduled].map(\.name)
}

/// A presenter's connection to the daemon: fetches surveys, sends answers, and receives notifications. It can be
/// reopened after the daemon went away.
package final class SurveyLink {
    private let line: Line
    let app: String?
    /// Whether the daemon offers surveys here as they become ready.
    private let isPresenter: Bool
    private let surface: Surface
    /// The language of surveys.
    package var locale = Words.locale
    /// The last answer, and until when it can be changed; nil if it is final.
    package private(set) var changeable: (id: String, until: Timestamp)?
    /// Surveys offered while another one was shown.
    private var offers: [ShownSurvey] = []

    /// The timeout for a person at a screen, in seconds.
    private static let patience = 10.0

    /// - Parameter surface: The surface on which this presenter shows surveys.
    package init(app: String?, isPresenter: Bool, on surface: Surface) throws {
        self.app = app
        self.surface = surface
        self.isPresenter = isPresenter
        line = try Line(patience: Self.patience)
        try subscribe()
    }

    package var isAway: Bool { line.isAway }
    /// A descriptor that becomes readable on incoming data; -1 while the daemon is away.
    package var descriptor: CInt { line.descriptor }

    private func subscribe() throws(ClientError) {
        var request = SurveySubscribe()
        (request.presenter, request.app, request.locale, request.surface) = (isPresenter, app, locale, surface)
        try call(request)
    }

    @discardableResult
    package func call<Request: WireMethod>(_ request: Request) throws(ClientError) -> Reply<Request.Result> {
        try line.call(request)
    }

    /// Returns the next notification; nil if there is none.
    package func heard() throws(ClientError) -> (method: String, params: JSONText)? { try line.heard() }

    /// Notes from a reply whether an answer can be changed.
    func noteAnswer(_ result: JSONText) {
        let survey = PresentationInfo(PresentationResult(result).survey.json)
        changeable = survey.changeableUntil.map { (survey.presentationId.description, $0) }
    }

    /// Returns the next notification about a presentation; nil if there is none.
    func heard(of id: String) throws(ClientError) -> (method: String, presentation: ShownSurvey)? {
        while let (method, params) = try heard() {
            guard let told = ShownSurvey(SurveyNotice(params).survey.json) else { continue }
            if told.id == id { return (method, told) }
            note(method, told)
        }
        return nil
    }

    func note(_ method: String, _ told: ShownSurvey) {
        guard isPresenter else { return }
        if method == NotificationShape.surveyPresent.name {
            offers.append(told)
        } else if NotificationShape.endShowing.contains(method) {
            offers.removeAll { $0.id == told.id }
        }
    }

    /// Returns the next offered survey; nil if there is none.
    ///
    /// - Parameter id: Limits it to one presentation.
    package func nextOffer(_ id: String? = nil) throws(ClientError) -> ShownSurvey? {
        while let (method, params) = try heard() {
            if let told = ShownSurvey(SurveyNotice(params).survey.json) { note(method, told) }
        }
        return offers.firstIndex { id == nil || $0.id == id }.map { offers.remove(at: $0) }
    }

    /// Waits for a notification; nil if it has no meaning here.
    package func hear() throws(ClientError) -> (method: String, params: JSONText)? {
        try line.connection.nextNotification()
    }

    /// Closes the connection, which ends presentations here; `reconnect` opens another.
    package func lose() { line.lose() }

    /// Connects again after the daemon went away.
    package func reconnect() throws(ClientError) {
        try line.reconnect()
        offers = []
        try subscribe()
    }

    /// Starts to present a survey here.
    ///
    /// - Parameter presentationId: Nil for the next one that is ready.
    package func present(_ presentationId: String?) throws(ClientError) -> ShownSurvey {
        var request = SurveyPresent()
        request.presentationId = presentationId
        if presentationId == nil { request.app = app }
        (request.locale, request.surface) = (locale, surface)
        guard let presentation = ShownSurvey(try call(request).value.survey.json) else {
            throw ClientError(.malformedReply, "the daemon's reply has no survey in it")
        }
        // Notifications before this reply are about an earlier showing: a daemon that has just started takes back surveys that no
        // presenter shows.
        line.connection.dropHeld { ShownSurvey(SurveyNotice($0).survey.json)?.id == presentation.id }
        return presentation
    }

    /// - Parameter scope: With `ever`, the person is never asked this again.
    package func dismiss(_ presentation: ShownSurvey, for scope: DismissalScope = .once) throws(ClientError) {
        var request = SurveyDismiss(presentation.id)
        request.scope = scope == .once ? nil : scope
        try call(request)
    }

    /// Puts a survey off; it comes again.
    package func snooze(_ presentation: ShownSurvey, seconds: Int64) throws(ClientError) {
        var request = SurveySnooze(presentation.id)
        request.seconds = seconds
        try call(request)
    }

    /// Returns the waiting surveys of the calling user, the earliest first.
    ///
    /// - Parameter survey: Limits them to one survey.
    package func pending(of survey: String? = nil) throws(ClientError) -> [ShownSurvey] {
        var request = SurveyPending()
        (request.app, request.surveyId) = (app, survey)
        let surveys = try line.use { connection throws(ClientError) in try connection.pending(request) }.surveys
        let pending = surveys.compactMap { ShownSurvey($0) }
        // Administrators receive the surveys of all users.
        return pending.filter { $0.uid == getuid() }.sorted {
            ($0.triggerAt ?? .earliest) < ($1.triggerAt ?? .earliest)
        }
    }
}
