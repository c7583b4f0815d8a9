import HarkCore
import HarkLedger
import HarkServer
import HarkStore
import HarkWire

/// Streams, presenters, resets and the debug mode.
extension SurveyMethods {
    static let reset = Method(
        SurveyReset.self, summary: "Forgets what a user has been shown and has answered, as far as gating goes.",
        examples: [.init(params: #"{"userId":"user-123"}"#, result: #"{"reset":0}"#)],
        handler: .write { call, request, reply throws(WireError) in
            let user = UserKey(uid: call.peer.uid, userId: request.user.name(else: nil))
            try call.ledger.decide(needing: .user(user)) { engine, changes, _ in
                engine.resetSurveys(user, survey: request.surveyId, into: &changes)
            }.tell(in: &reply, as: "reset")
        })

    static let subscribe = Method(
        SurveySubscribe.self, summary: "Streams what becomes of surveys, and presents them if asked to.",
        details: """
            Notifications are `survey.scheduled`, `survey.ready`, `survey.presented` and `survey.closed`, each with \
            `params.subscription` and `params.survey`. With `presenter`, ready surveys of this user are brought here as \
            `survey.present`, one at a time, and no notification is shown elsewhere; answer with `survey.answer` or \
            `survey.dismiss`. When the connection ends, what it was showing is ready again. A presenter with the surface `kiosk` \
            is brought nothing: it takes what is ready by `survey.present` without an id, once the visitor before has left. As long as \
            it is there, whoever has no name is somebody new in its app: what was asked before bars nothing, and is not forgotten.
            """,
        examples: [.init(params: "{}", result: #"{"subscription":1}"#)],
        handler: .read { call, request, json throws(WireError) in
            let connection = call.connection
            let subscription = try connection.subscribe { number in
                SurveySubscription(
                    number: number, connection: connection, desk: call.desk(SurveyDesk.self),
                    isPresenter: request.presenter ?? false, app: request.app, locale: request.locale,
                    surface: request.surface ?? .app)
            }
            json.key("subscription")
            json.int(subscription.number)
        })

    static let debugSet = Method(
        .debugSet, summary: "Changes the debug mode of surveys until the next start or reload.",
        isForAdministrators: true,
        examples: [
            .init(
                params: #"{"preset":"production"}"#,
                result: """
                    {"debug":{"bypassGating":false,"scheduleDelaySeconds":null,"attemptCooldownSeconds":null}}
                    """)
        ],
        handler: .read { call, json throws(WireError) in
            var mode = call.ledger.settings.debug
            if let preset = try call.params.read(.debugPreset) { mode = DebugMode(preset) }
            if let flag = try call.params.read(.bypassesGating) { mode.bypassesGating = flag }
            mode.delay = try call.params.seconds(.debugDelay, else: mode.delay)
            mode.attemptCooldown = try call.params.seconds(.debugAttemptCooldown, else: mode.attemptCooldown)
            call.ledger.adjust { $0.setDebugMode(mode) }
            json.key("debug")
            mode.write(to: &json)
        })
}

extension Params {
    /// A duration in milliseconds; null switches it off, absence keeps the current one.
    func seconds(_ parameter: Parameter<Int64?>, else current: Int64?) throws(WireError) -> Int64? {
        has(parameter.name) ? try read(parameter) ?? nil : current
    }
}
