import Glibc
import HarkClient
import HarkWire

extension NotificationShape {
    /// The names of those by which what is shown here is over.
    static let endShowing = [surveyClosed, surveyReady, surveyScheduled].map(\.name)
}

/// A presenter's connection to the daemon: asks for surveys, sends answers, hears what becomes of them, and can be made
/// anew after the daemon went away.
final class SurveyLink {
    private var connection: Connection
    private let app: String?
    /// Whether surveys are offered here as they become ready.
    private let isPresenter: Bool
    private(set) var isAway = false

    /// How long a person in front of a screen is kept waiting.
    private static let patience = 10.0

    init(app: String?, isPresenter: Bool) throws {
        self.app = app
        self.isPresenter = isPresenter
        connection = try Connection()
        try subscribe()
    }

    /// Readable when there is something to hear; -1 while the daemon is away.
    var descriptor: CInt { isAway ? -1 : connection.descriptor }

    private func subscribe() throws(ClientError) {
        connection.patience = Self.patience
        try call(.surveySubscribe) { params in
            params.member(.isPresenter, isPresenter)
            params.member(.onlyApp, app)
            params.member(.presenterLocale, Self.locale)
        }
    }

    @discardableResult
    func call(_ method: MethodShape, _ write: (inout JSONWriter) -> Void) throws(ClientError) -> JSONText {
        try call(method, JSONWriter.object(write))
    }

    /// A call; a connection that broke is remembered.
    func call(_ method: MethodShape, _ params: [UInt8]) throws(ClientError) -> JSONText {
        do {
            return try connection.call(method, params)
        } catch {
            if error.code == .disconnected { isAway = true }
            throw error
        }
    }

    /// What came and was not looked at yet; nil if nothing has.
    func heard() throws(ClientError) -> (method: String, params: JSONText)? {
        guard !isAway else { return nil }
        do {
            return try connection.nextNotification(within: 0)
        } catch {
            if error.code == .disconnected { isAway = true }
            throw error
        }
    }

    /// Waits for something to hear; nil for nothing of meaning.
    func hear() throws(ClientError) -> (method: String, params: JSONText)? {
        try connection.nextNotification()
    }

    /// Gives the connection up; `reconnect` makes another.
    func lose() { isAway = true }

    /// Connects again after the daemon went away.
    func reconnect() throws(ClientError) {
        connection = try Connection()
        isAway = false
        try subscribe()
    }

    /// Begins to show a survey here.
    func present(_ presentationId: String) throws(ClientError) -> ShownSurvey {
        let result = try call(.surveyPresent) { params in
            params.member(.presentationToShow, presentationId)
            params.member(.locale, Self.locale)
        }
        guard let presentation = ShownSurvey(result.member("survey") ?? result) else {
            throw ClientError(.malformedReply, "the daemon's reply has no survey in it")
        }
        return presentation
    }

    func dismiss(_ presentation: ShownSurvey) throws(ClientError) {
        try call(.surveyDismiss) { $0.member(.presentation, presentation.id) }
    }

    /// What waits for whoever is here, the earliest first.
    ///
    /// - Parameter survey: only of this survey.
    func pending(of survey: String? = nil) throws(ClientError) -> [ShownSurvey] {
        let surveys = try PendingSurveys(app: app, survey: survey).all { params throws(ClientError) in
            try call(.surveyPending, params)
        }.surveys
        let pending = surveys.compactMap { ShownSurvey($0) }
        // An administrator sees everybody's.
        return pending.filter { $0.uid == getuid() }.sorted {
            ($0.triggerAt ?? .earliest) < ($1.triggerAt ?? .earliest)
        }
    }

    /// The language that whoever is here reads, such as `de_AT.UTF-8`; nil where nothing says so.
    private static var locale: String? {
        for name in ["LC_ALL", "LC_MESSAGES", "LANG"] {
            guard let value = SocketAddress.environment(name), !value.isEmpty else { continue }
            return value == "C" || value == "POSIX" || value.hasPrefix("C.") ? nil : value
        }
        return nil
    }
}
