import HarkCore
import HarkLedger
import HarkServer
import HarkStore
import HarkWire

/// Streams, presenters, resets and the debug mode.
extension SurveyMethods {
    static let reset = Method(
        .surveyReset, summary: "Forgets what a user has been shown and has answered, as far as gating goes.",
        examples: [.init(params: #"{"userId":"user-123"}"#, result: #"{"reset":0}"#)],
        handler: .write { call, reply throws(WireError) in
            let user = UserKey(uid: call.peer.uid, userId: try call.params.read(.userToForget))
            let survey = try call.params.read(.surveyToForget)
            try call.ledger.decide(needing: .user(user)) { engine, changes, _ in
                engine.resetSurveys(user, survey: survey, into: &changes)
            }.tell(in: &reply, as: "reset")
        })

    static let subscribe = Method(
        .surveySubscribe, summary: "Streams what becomes of surveys, and presents them if asked to.",
        details: """
            Notifications are `survey.scheduled`, `survey.ready`, `survey.presented` and `survey.closed`, each with \
            `params.subscription` and `params.survey`. With `presenter`, ready surveys of this user are brought here as \
            `survey.present`, one at a time, and no notification is shown elsewhere; answer with `survey.answer` or \
            `survey.dismiss`. When the connection ends, what it was showing is ready again. A presenter with the surface `kiosk` \
            is brought nothing: it takes what is ready by `survey.present` without an id, once the visitor before has left. As long as \
            it is there, whoever has no name is somebody new in its app: what was asked before bars nothing, and is not forgotten.
            """,
        examples: [.init(params: "{}", result: #"{"subscription":1}"#)],
        handler: .read { call, json throws(WireError) in
            let isPresenter = try call.params.read(.isPresenter) ?? false
            let app = try call.params.read(.onlyApp)
            let locale = try call.params.read(.presenterLocale)
            let surface = try call.params.read(.surface) ?? .app
            let desk = call.desk(SurveyDesk.self)
            let terms = SurveyTerms(desk: desk, isPresenter: isPresenter, app: app, locale: locale, surface: surface)
            let subscription = try call.connection.subscribe(to: desk.topic, terms)
            json.subscription(subscription.number)
        })

    static let debugSet = Method(
        DebugSet.self, summary: "Changes the debug mode of surveys until the next start or reload.",
        isForAdministrators: true,
        examples: [
            .init(
                params: #"{"preset":"production"}"#,
                result: """
                    {"debug":{"bypassGating":false,"scheduleDelaySeconds":null,"attemptCooldownSeconds":null}}
                    """)
        ],
        handler: .read { call, request, json in
            var mode = call.ledger.settings.debug
            if let preset = request.preset { mode = DebugMode(preset) }
            if let flag = request.bypassesGating { mode.bypassesGating = flag }
            if let delay = request.delay { mode.delay = delay }
            if let cooldown = request.attemptCooldown { mode.attemptCooldown = cooldown }
            call.ledger.adjust { $0.setDebugMode(mode) }
            json.key("debug")
            mode.write(to: &json)
        })
}
