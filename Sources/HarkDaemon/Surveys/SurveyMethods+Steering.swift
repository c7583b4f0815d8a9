import HarkCore
import HarkLedger
import HarkServer
import HarkStore
import HarkWire

/// Streams, presenters, resets and the debug mode.
extension SurveyMethods {
    static let reset = Method(
        SurveyReset.self,
        summary: "Resets the limits of surveys for a user: earlier showings and answers count no more.",
        examples: [.init(params: #"{"userId":"user-123"}"#, result: #"{"reset":0}"#)],
        handler: .write { call, request, reply throws(WireError) in
            let user = UserKey(uid: call.peer.uid, userId: request.user.name(else: nil))
            try call.ledger.decide(needing: .user(user)) { engine, changes, _ in
                engine.resetSurveys(user, survey: request.surveyId, into: &changes)
            }.tell(in: &reply, as: "reset")
        })

    static let subscribe = Method(
        SurveySubscribe.self, summary: "Streams changes of surveys, and presents them if asked to.",
        details: """
            Notifications are `survey.scheduled`, `survey.ready`, `survey.presented` and `survey.closed`, each with \
            `params.subscription` and `params.survey`. With `presenter`, ready surveys of this user come here as \
            `survey.present`, one at a time, and no notification is shown elsewhere; answer with `survey.answer` or \
            `survey.dismiss`. When the connection ends, the survey it was showing is ready again. A presenter with the surface \
            `kiosk` gets no surveys by itself. It takes the next ready survey by `survey.present` without an id, once the \
            visitor before has left. As long as it is connected, each anonymous user of its app counts as a new person: earlier \
            showings limit nothing, but are not forgotten.
            """,
        examples: [.init(params: "{}", result: #"{"subscription":1}"#)],
        handler: .read { call, request, json throws(WireError) in
            let desk = call.desk(SurveyDesk.self)
            let terms = SurveyTerms(
                desk: desk, isPresenter: request.presenter ?? false, app: request.app, locale: request.locale,
                surface: request.surface ?? .app)
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
