import HarkClient
import HarkWire

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
        var params = JSONWriter()
        params.beginObject()
        params.key("presenter")
        params.bool(isPresenter)
        if let app { params.member("app", app) }
        if let locale = Self.locale { params.member("locale", locale) }
        params.endObject()
        _ = try call("survey.subscribe", params.bytes)
    }

    /// A call; a connection that broke is remembered.
    func call(_ method: String, _ params: some Collection<UInt8>) throws(ClientError) -> JSONText {
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

    /// Begins to present a survey here.
    ///
    /// - Parameter id: a presentation's id, or a survey's, which is then asked for by hand.
    /// - Parameter force: also when its rules would not let it be shown.
    func present(_ id: String, force: Bool = false) throws(ClientError) -> Presentation {
        var params = JSONWriter()
        params.beginObject()
        if Identifier(id) != nil {
            params.member("presentationId", id)
        } else {
            params.member("surveyId", id)
            if let app { params.member("app", app) }
        }
        if force {
            params.key("force")
            params.bool(true)
        }
        if let locale = Self.locale { params.member("locale", locale) }
        params.endObject()
        let result = try call("survey.present", params.bytes)
        guard let presentation = Presentation(result.member("survey") ?? result) else {
            throw ClientError(.malformedReply, "the daemon's reply has no survey in it")
        }
        return presentation
    }

    func dismiss(_ presentation: Presentation) throws(ClientError) {
        var params = JSONWriter()
        params.beginObject()
        params.member("presentationId", presentation.id)
        params.endObject()
        _ = try call("survey.dismiss", params.bytes)
    }

    /// What waits to be asked, the earliest first.
    func pending() throws(ClientError) -> [Presentation] {
        var params = JSONWriter()
        params.beginObject()
        if let app { params.member("app", app) }
        params.endObject()
        let result = try call("survey.pending", params.bytes)
        return (result.member("surveys")?.elements ?? []).compactMap { Presentation($0) }
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
