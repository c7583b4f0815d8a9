import HarkCore
import HarkStore
import HarkWire

/// Streams, presenters, forgetting and the debug mode.
extension SurveyMethods {
    static let reset = Method(
        name: "survey.reset", summary: "Forgets what a user has been shown and has answered, as far as gating goes.",
        parameters: [
            .init(name: "userId", type: .orNull(.string), meaning: "whose; null or left out: anonymous"),
            .init(name: "surveyId", type: .string, meaning: "of this survey; without it, of all"),
        ],
        result: [.init(name: "reset", type: .count, meaning: "for how many surveys something was forgotten")],
        examples: [.init(params: #"{"userId":"user-123"}"#, result: #"{"reset":0}"#)],
        handler: .write { call, reply throws(WireError) in
            let user = UserKey(uid: call.peer.uid, userId: try call.params.string("userId"))
            let survey = try call.params.string("surveyId")
            try call.daemon.ledger.decideLoading(
                { reader, engine throws(StoreError) in
                    try reader.load(user, into: &engine)
                },
                then: { engine, changes, _ throws(WireError) in
                    engine.resetSurveys(user, survey: survey, into: &changes)
                }
            ).tell(in: &reply, as: "reset")
        })

    static let subscribe = Method(
        name: "survey.subscribe", summary: "Streams what becomes of surveys, and presents them if asked to.",
        details: """
            Notifications are `survey.scheduled`, `survey.ready`, `survey.presented` and `survey.closed`, each with \
            `params.subscription` and `params.survey`. With `presenter`, ready surveys of this user are brought here as \
            `survey.present`, one at a time, and no notification is shown elsewhere; answer with `survey.answer` or \
            `survey.dismiss`. When the connection ends, what it was showing is ready again.
            """,
        parameters: [
            .init(name: "presenter", type: .bool, meaning: "true: present here"),
            .init(name: "app", type: .string, meaning: "only this application's"),
            .init(name: "locale", type: .string, meaning: "the language to present in, as in `de-AT`"),
        ],
        result: [.init(name: "subscription", type: .subscription, meaning: "its number on this connection")],
        notifications: [
            .init(
                name: "survey.scheduled", meaning: "A survey waits for its time",
                params: [.always("survey", .presentation)]),
            .init(name: "survey.ready", meaning: "A survey can be shown", params: [.always("survey", .presentation)]),
            .init(
                name: "survey.presented", meaning: "A survey is shown elsewhere",
                params: [.always("survey", .presentation)]),
            .init(
                name: "survey.present", meaning: "A survey is to be shown here",
                params: [.always("survey", .presentation)]),
            .init(name: "survey.closed", meaning: "A survey is over", params: [.always("survey", .presentation)]),
        ],
        examples: [.init(params: "{}", result: #"{"subscription":1}"#)],
        handler: .read { call, json throws(WireError) in
            let connection = call.connection
            let isPresenter = try call.params.bool("presenter") ?? false
            let app = try call.params.string("app")
            let locale = try call.params.string("locale")
            let subscription = try connection.subscribe { number in
                SurveySubscription(
                    number: number, connection: connection, desk: call.daemon.surveys, isPresenter: isPresenter,
                    app: app, locale: locale)
            }
            json.key("subscription")
            json.int(subscription.number)
        })

    static let debugSet = Method(
        name: "debug.set", summary: "Changes the debug mode of surveys until the next start or reload.",
        isForAdministrators: true,
        parameters: [
            .init(
                name: "preset", type: .oneOf(["production", "debug"]),
                meaning: "`production`, or `debug`: no gating, delays of 10 s"),
            .init(name: "bypassGating", type: .bool, meaning: "show at every event"),
            .init(
                name: "scheduleDelaySeconds", type: .orNull(.numbers(0...10_000_000_000)),
                meaning: "instead of every delay; null: as configured"),
            .init(
                name: "attemptCooldownSeconds", type: .orNull(.numbers(0...10_000_000_000)),
                meaning: "instead of every attempt cooldown; null: as configured"),
        ],
        result: [
            .init(
                name: "debug", type: .debugMode,
                meaning: "`bypassGating`, `scheduleDelaySeconds`, `attemptCooldownSeconds`")
        ],
        examples: [
            .init(
                params: #"{"preset":"production"}"#,
                result: """
                    {"debug":{"bypassGating":false,"scheduleDelaySeconds":null,"attemptCooldownSeconds":null}}
                    """)
        ],
        handler: .read { call, json throws(WireError) in
            var mode = call.daemon.ledger.settings.debug
            if let preset = try call.params.read("preset", .preset) {
                mode = preset
            }
            if let flag = try call.params.bool("bypassGating") { mode.bypassesGating = flag }
            mode.delay = try call.params.seconds("scheduleDelaySeconds", else: mode.delay)
            mode.attemptCooldown = try call.params.seconds("attemptCooldownSeconds", else: mode.attemptCooldown)
            call.daemon.ledger.setDebugMode(mode)
            json.key("debug")
            mode.write(to: &json)
        })
}

extension Params {
    /// A length of time in milliseconds; null switches it off, absence leaves it as it is.
    func seconds(_ name: String, else current: Int64?) throws(WireError) -> Int64? {
        guard let value = self[name] else { return current }
        return value.isNull ? nil : try read(name, MemberType<Int64?>.orNull(.seconds)) ?? nil
    }
}
