import Glibc
package import HarkClient
package import HarkWire

extension NotificationShape {
    /// The names of those by which what is shown here is over.
    package static let endShowing = [surveyClosed, surveyReady, surveyScheduled].map(\.name)
}

/// A presenter's connection to the daemon: asks for surveys, sends answers, hears what becomes of them, and can be made
/// anew after the daemon went away.
package final class SurveyLink {
    private var connection: Connection
    let app: String?
    /// Whether surveys are offered here as they become ready.
    private let isPresenter: Bool
    private let surface: Surface
    /// The language of surveys.
    package var locale = Words.locale
    package private(set) var isAway = false
    /// What was answered here last, and until when that may be changed; nil: it stays as it is.
    package private(set) var changeable: (id: String, until: Timestamp)?
    /// Surveys that were brought here while another one was before somebody's eyes.
    private var offers: [ShownSurvey] = []

    /// How long a person in front of a screen is kept waiting.
    private static let patience = 10.0

    /// - Parameter surface: where surveys are shown by it.
    package init(app: String?, isPresenter: Bool, on surface: Surface) throws {
        self.app = app
        self.surface = surface
        self.isPresenter = isPresenter
        connection = try Connection()
        try subscribe()
    }

    /// Readable when there is something to hear; -1 while the daemon is away.
    package var descriptor: CInt { isAway ? -1 : connection.descriptor }

    private func subscribe() throws(ClientError) {
        connection.patience = Self.patience
        try call(.surveySubscribe) { params in
            params.member(.isPresenter, isPresenter)
            params.member(.onlyApp, app)
            params.member(.presenterLocale, locale)
            params.member(.surface, surface.rawValue)
        }
    }

    @discardableResult
    package func call(_ method: MethodShape, _ write: (inout JSONWriter) -> Void) throws(ClientError) -> JSONText {
        try call(method, JSONWriter.object(write))
    }

    /// A call; a connection that broke is remembered.
    package func call(_ method: MethodShape, _ params: [UInt8]) throws(ClientError) -> JSONText {
        do {
            return try connection.call(method, params)
        } catch {
            if error.code == .disconnected { isAway = true }
            throw error
        }
    }

    /// What came and was not looked at yet; nil if nothing has.
    package func heard() throws(ClientError) -> (method: String, params: JSONText)? {
        guard !isAway else { return nil }
        do {
            return try connection.nextNotification(within: 0)
        } catch {
            if error.code == .disconnected { isAway = true }
            throw error
        }
    }

    /// Takes what the daemon says of an answer that it has stored.
    func noteAnswer(_ result: JSONText) {
        let survey = result.member("survey")
        guard let id = survey?.member("presentationId")?.string,
            let until = survey?.member("changeableUntil")?.string.flatMap({ Timestamp($0) })
        else {
            changeable = nil
            return
        }
        changeable = (id, until)
    }

    /// What was told about this presentation next; nil if nothing waits.
    func heard(of id: String) throws(ClientError) -> (method: String, presentation: ShownSurvey)? {
        while let (method, params) = try heard() {
            guard let told = params.member("survey").flatMap({ ShownSurvey($0) }) else { continue }
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

    /// The next survey that was brought here; nil if none waits.
    ///
    /// - Parameter id: only that one.
    package func nextOffer(_ id: String? = nil) throws(ClientError) -> ShownSurvey? {
        while let (method, params) = try heard() {
            if let told = params.member("survey").flatMap({ ShownSurvey($0) }) { note(method, told) }
        }
        return offers.firstIndex { id == nil || $0.id == id }.map { offers.remove(at: $0) }
    }

    /// Waits for something to hear; nil for nothing of meaning.
    package func hear() throws(ClientError) -> (method: String, params: JSONText)? {
        try connection.nextNotification()
    }

    /// Gives the connection up, and with it what is presented here; `reconnect` makes another.
    package func lose() {
        isAway = true
        shutdown(connection.descriptor, CInt(SHUT_RDWR))
    }

    /// Connects again after the daemon went away.
    package func reconnect() throws(ClientError) {
        connection = try Connection()
        isAway = false
        offers = []
        try subscribe()
    }

    /// Begins to show a survey here.
    ///
    /// - Parameter presentationId: nil: the next one that is ready.
    package func present(_ presentationId: String?) throws(ClientError) -> ShownSurvey {
        let result = try call(.surveyPresent) { params in
            params.member(.presentationToShow, presentationId)
            if presentationId == nil { params.member(.appToShow, app) }
            params.member(.locale, locale)
            params.member(.surface, surface.rawValue)
        }
        guard let presentation = ShownSurvey(result.member("survey") ?? result) else {
            throw ClientError(.malformedReply, "the daemon's reply has no survey in it")
        }
        return presentation
    }

    /// - Parameter scope: with `ever` the person is never asked it again.
    package func dismiss(_ presentation: ShownSurvey, for scope: DismissalScope = .once) throws(ClientError) {
        try call(.surveyDismiss) { params in
            params.member(.presentation, presentation.id)
            if scope != .once { params.member(.dismissalScope, scope.rawValue) }
        }
    }

    /// Puts it off; it comes again.
    package func snooze(_ presentation: ShownSurvey, seconds: Int64) throws(ClientError) {
        try call(.surveySnooze) { params in
            params.member(.presentation, presentation.id)
            params.member(.snoozeSeconds, seconds)
        }
    }

    /// What waits for whoever is here, the earliest first.
    ///
    /// - Parameter survey: only of this survey.
    package func pending(of survey: String? = nil) throws(ClientError) -> [ShownSurvey] {
        let surveys = try PendingSurveys(app: app, survey: survey).all { params throws(ClientError) in
            try call(.surveyPending, params)
        }.surveys
        let pending = surveys.compactMap { ShownSurvey($0) }
        // An administrator sees everybody's.
        return pending.filter { $0.uid == getuid() }.sorted {
            ($0.triggerAt ?? .earliest) < ($1.triggerAt ?? .earliest)
        }
    }
}
