import HarkCore
import HarkStore
import HarkSystem
import HarkWire

/// `survey.*` and `debug.set`.
enum SurveyMethods {
    static let all: [Method] = [
        list, pending, present, answer, dismiss, snooze, release, explain, results, reset, subscribe, debugSet,
    ]

    private static let idParameter = Method.Parameter(
        name: "presentationId", type: .id, isRequired: true, meaning: "which showing")
    private static let surveyMember = Method.Member(
        name: "survey", meaning: "the presentation, as in `survey.pending`")

    static let list = Method(
        name: "survey.list", summary: "Lists the surveys of the configuration, in the order in which they are tried.",
        parameters: [],
        result: [
            .init(name: "surveys", meaning: "each with `surveyId`, `event`, `delaySeconds` and what is shown"),
            .init(name: "file", meaning: "the file or URL they were read from; null without surveys"),
            .init(name: "problems", meaning: "what is wrong with it, with JSON paths"),
        ],
        examples: [
            .init(
                params: "{}",
                result: """
                    {"surveys":[{"surveyId":"rating","event":"checkout_success","delaySeconds":0.0,\
                    "title":"Quick question","message":"How was it?","responseType":"options",\
                    "response":{"type":"options","options":["Great","Okay","Poor"]},"questions":[{"id":"option",\
                    "type":"single","question":"","required":true,"options":[{"value":"Great","label":"Great",\
                    "emoji":"😊"},{"value":"Okay","label":"Okay","emoji":"😐"},{"value":"Poor","label":"Poor",\
                    "emoji":"😞"}]}]}],"file":"/home/ada/.config/hark/surveys.json","problems":[]}
                    """)
        ],
        handler: .read { call, json throws(WireError) in
            let desk = call.daemon.surveys
            json.key("surveys")
            json.beginArray()
            for survey in call.daemon.ledger.engine.surveys.configuration.surveys {
                json.beginObject()
                json.key("surveyId")
                json.string(survey.id)
                json.key("event")
                json.string(survey.trigger.event)
                json.key("delaySeconds")
                json.double(Double(survey.trigger.delay) / 1_000)
                survey.writeMembers(to: &json, locale: nil)
                json.endObject()
            }
            json.endArray()
            json.key("file")
            if let origin = desk.source.status.origin { json.string(origin) } else { json.null() }
            json.key("problems")
            json.beginArray()
            for issue in desk.source.problems {
                json.object(["path": .string(issue.path), "message": .string(issue.message)])
            }
            json.endArray()
        })

    static let pending = Method(
        name: "survey.pending", summary: "Lists what is scheduled, ready or being presented.",
        parameters: [
            .init(name: "app", type: .string, meaning: "only this application's"),
            .init(name: "userId", type: .stringOrNull, meaning: "only this user's; null: only anonymous ones"),
            .init(name: "surveyId", type: .string, meaning: "only of this survey"),
            .init(name: "limit", type: .integer, meaning: "at most so many, 1 to 1000 (100)"),
        ],
        result: [
            .init(
                name: "surveys",
                meaning:
                    "each with `presentationId`, `surveyId`, `state`, `userId`, `sessionId`, `app`, `triggerAt`, and "
                    + "what is shown: `title`, `message`, `response`, `questions`, `notification`")
        ],
        examples: [
            .init(
                before: [
                    #"{"id":0,"method":"session.start","params":{"userId":"ada"}}"#,
                    #"{"id":0,"method":"event.record","params":{"name":"checkout_success"}}"#,
                ], params: #"{"userId":"ada"}"#,
                result: """
                    {"surveys":[{"presentationId":"01a1fe38-dc57-7410-8561-e7be8d8178e9","surveyId":"rating",\
                    "state":"ready","userId":"ada","uid":0,"app":"default",\
                    "sessionId":"01a1fe38-dc54-7073-a0d9-615722834476","triggerAt":"2026-11-21T13:08:21.719Z",\
                    "title":"Quick question","message":"How was it?","responseType":"options",\
                    "response":{"type":"options","options":["Great","Okay","Poor"]},"questions":[{"id":"option",\
                    "type":"single","question":"","required":true,"options":[{"value":"Great","label":"Great",\
                    "emoji":"😊"},{"value":"Okay","label":"Okay","emoji":"😐"},{"value":"Poor","label":"Poor",\
                    "emoji":"😞"}]}]}]}
                    """)
        ],
        handler: .deferred { call, json throws(WireError) in
            var query = PresentationQuery()
            query.uid = call.peer.visibleUID
            query.app = try call.params.string("app")
            query.user = try call.params.userFilter()
            query.survey = try call.params.string("surveyId")
            query.states = [.scheduled, .ready, .presented]
            query.limit = Int(try call.params.integer("limit", in: 1...1000) ?? 100)
            let found = try await call.daemon.readSettled { [query] reader throws(StoreError) in
                var found: [Presentation] = []
                _ = try reader.forEachPresentation(query) { found.append($0) }
                return found
            }
            json.key("surveys")
            json.beginArray()
            for presentation in found {
                // What is open of a survey that is gone is about to be cancelled.
                guard let survey = call.daemon.surveys.survey(of: presentation) else { continue }
                presentation.write(to: &json, survey: survey)
            }
            json.endArray()
        })

    static let present = Method(
        name: "survey.present", summary: "Takes a ready survey to show it.",
        details: """
            The attempt counts from here, and `survey_presented` is recorded. Without an answer it becomes ready again \
            when the connection ends. One survey is shown at a time for each user and app.
            """,
        parameters: [
            .init(name: "presentationId", type: .id, meaning: "which one; without it, the next that is ready"),
            .init(name: "app", type: .string, meaning: "without an id: of which application; `default` without it"),
            .init(name: "locale", type: .string, meaning: "the language to show it in, as in `de-AT`"),
        ],
        result: [surveyMember],
        examples: [
            .init(
                before: [
                    #"{"id":0,"method":"session.start","params":{"userId":"ada"}}"#,
                    #"{"id":0,"method":"event.record","params":{"name":"checkout_success"}}"#,
                ], params: "{}",
                result: """
                    {"survey":{"presentationId":"01a1fe38-dc57-7410-8561-e7be8d8178e9","surveyId":"rating",\
                    "state":"presented","userId":"ada","uid":0,"app":"default",\
                    "sessionId":"01a1fe38-dc54-7073-a0d9-615722834476","triggerAt":"2026-11-21T13:08:21.719Z",\
                    "presentedAt":"2026-11-21T13:08:21.740Z","title":"Quick question","message":"How was it?",\
                    "responseType":"options","response":{"type":"options","options":["Great","Okay","Poor"]},\
                    "questions":[{"id":"option","type":"single","question":"","required":true,\
                    "options":[{"value":"Great","label":"Great","emoji":"😊"},{"value":"Okay","label":"Okay",\
                    "emoji":"😐"},{"value":"Poor","label":"Poor","emoji":"😞"}]}]}}
                    """)
        ],
        handler: .write { call, json throws(WireError) in
            let locale = try call.params.string("locale")
            let id = try presentationToShow(call)
            let presentation = try act(call, on: id) { engine, changes, now throws(WireError) in
                try engine.present(
                    id, visibleTo: call.peer.visibleUID, locale: locale, source: call.source, now: now, into: &changes)
            }
            call.daemon.surveys.lease(id, to: call.connection)
            write(presentation, call, to: &json)
        })

    @DaemonActor
    private static func presentationToShow(_ call: Call) throws(WireError) -> Identifier {
        if let id = try call.params.identifier("presentationId") { return id }
        let scope = try call.scope()
        let next = try call.daemon.ledger.decideBringing(
            { reader, engine throws(StoreError) in
                try reader.bringOffers(in: scope, to: &engine)
            },
            then: { engine, _, _ throws(WireError) in engine.offer(in: scope) })
        guard let next else {
            throw WireError(
                .notFound, "no survey is ready for app '\(scope.app)' (survey.pending lists what waits)",
                path: Params.path("presentationId"))
        }
        return next.id
    }

    static let answer = Method(
        name: "survey.answer", summary: "Answers a survey.",
        details: """
            What it asks for decides: `option` for a choice, `text` for a text, both for a combined survey, `answers` for \
            one with several questions. Texts are trimmed; the error says which rule an answer breaks, and nothing is \
            stored then. A survey that is only ready counts as shown by this. `survey_response` is recorded. With `partial` \
            the answers are kept, and `route` in the reply has the questions that come up on the way they lead.
            """,
        parameters: [
            idParameter,
            .init(name: "option", type: .string, meaning: "the choice"),
            .init(name: "text", type: .string, meaning: "the text"),
            .init(name: "answers", type: .object, meaning: "by question id"),
            .init(name: "partial", type: .bool, meaning: "true: keep these answers, more will follow"),
        ],
        result: [surveyMember],
        examples: [
            .init(
                before: [
                    #"{"id":0,"method":"session.start","params":{"userId":"ada"}}"#,
                    #"{"id":0,"method":"event.record","params":{"name":"checkout_success"}}"#,
                    #"{"id":0,"method":"survey.present"}"#,
                ], params: #"{"presentationId":"0199e0f4-8c7a-7000-8000-000000000000","option":"Great"}"#,
                result: """
                    {"survey":{"presentationId":"01a1fe38-dc57-7410-8561-e7be8d8178e9","surveyId":"rating",\
                    "state":"answered","userId":"ada","uid":0,"app":"default",\
                    "sessionId":"01a1fe38-dc54-7073-a0d9-615722834476","triggerAt":"2026-11-21T13:08:21.719Z",\
                    "presentedAt":"2026-11-21T13:08:21.740Z","closedAt":"2026-11-21T13:08:21.743Z",\
                    "answers":{"option":"Great"},"title":"Quick question","message":"How was it?",\
                    "responseType":"options","response":{"type":"options","options":["Great","Okay","Poor"]},\
                    "questions":[{"id":"option","type":"single","question":"","required":true,\
                    "options":[{"value":"Great","label":"Great","emoji":"😊"},{"value":"Okay","label":"Okay",\
                    "emoji":"😐"},{"value":"Poor","label":"Poor","emoji":"😞"}]}]}}
                    """)
        ],
        handler: .write { call, json throws(WireError) in
            let id = try requiredId(call)
            let submission = SurveySubmission(
                option: try call.params.string("option").map(JSONValue.string),
                text: try call.params.string("text").map(JSONValue.string),
                answers: try call.params.object("answers") ?? JSONObject())
            let isPartial = try call.params.bool("partial") ?? false
            let uid = call.peer.visibleUID
            let source = call.source
            let presentation = try act(call, on: id) { engine, changes, now throws(WireError) in
                if isPartial { return try engine.keepAnswers(id, submission, visibleTo: uid, into: &changes) }
                return try engine.presentAndAnswer(
                    id, submission, visibleTo: uid, source: source, now: now, into: &changes)
            }
            write(presentation, call, to: &json)
        })

    static let dismiss = Method(
        name: "survey.dismiss", summary: "Closes a survey without an answer.",
        details: "`survey_dismissed` is recorded if it had been shown.",
        parameters: [idParameter], result: [surveyMember],
        examples: [
            .init(
                before: [
                    #"{"id":0,"method":"session.start","params":{"userId":"bob"}}"#,
                    #"{"id":0,"method":"event.record","params":{"name":"checkout_success"}}"#,
                    #"{"id":0,"method":"survey.present"}"#,
                ], params: #"{"presentationId":"0199e0f4-8c7a-7000-8000-000000000000"}"#,
                result: """
                    {"survey":{"presentationId":"01a1fe38-dc72-721f-8be4-9675485a9d57","surveyId":"rating",\
                    "state":"dismissed","userId":"bob","uid":0,"app":"default",\
                    "sessionId":"01a1fe38-dc70-75de-a424-77c9dd5be326","triggerAt":"2026-11-21T13:08:21.746Z",\
                    "presentedAt":"2026-11-21T13:08:21.756Z","closedAt":"2026-11-21T13:08:21.759Z",\
                    "title":"Quick question","message":"How was it?","responseType":"options",\
                    "response":{"type":"options","options":["Great","Okay","Poor"]},"questions":[{"id":"option",\
                    "type":"single","question":"","required":true,"options":[{"value":"Great","label":"Great",\
                    "emoji":"😊"},{"value":"Okay","label":"Okay","emoji":"😐"},{"value":"Poor","label":"Poor",\
                    "emoji":"😞"}]}]}}
                    """)
        ],
        handler: .write { call, json throws(WireError) in
            let id = try requiredId(call)
            let presentation = try act(call, on: id) { engine, changes, now throws(WireError) in
                try engine.dismiss(
                    id, visibleTo: call.peer.visibleUID, source: call.source, now: now, into: &changes)
            }
            write(presentation, call, to: &json)
        })

    static let snooze = Method(
        name: "survey.snooze", summary: "Puts a survey off; no attempt is counted again.",
        parameters: [
            idParameter,
            .init(name: "seconds", type: .integer, isRequired: true, meaning: "for how long, 1 to 31536000 (a year)"),
        ],
        result: [surveyMember],
        examples: [
            .init(
                before: [
                    #"{"id":0,"method":"session.start","params":{"userId":"eve"}}"#,
                    #"{"id":0,"method":"event.record","params":{"name":"checkout_success"}}"#,
                ], params: #"{"presentationId":"0199e0f4-8c7a-7000-8000-000000000000","seconds":3600}"#,
                result: """
                    {"survey":{"presentationId":"01a1fe38-dc88-7d1f-9124-71e549421b6f","surveyId":"rating",\
                    "state":"scheduled","userId":"eve","uid":0,"app":"default",\
                    "sessionId":"01a1fe38-dc87-77c7-bf8e-fcf7db8e1f6d","triggerAt":"2026-11-21T14:08:21.769Z",\
                    "title":"Quick question","message":"How was it?","responseType":"options",\
                    "response":{"type":"options","options":["Great","Okay","Poor"]},"questions":[{"id":"option",\
                    "type":"single","question":"","required":true,"options":[{"value":"Great","label":"Great",\
                    "emoji":"😊"},{"value":"Okay","label":"Okay","emoji":"😐"},{"value":"Poor","label":"Poor",\
                    "emoji":"😞"}]}]}}
                    """)
        ],
        handler: .write { call, json throws(WireError) in
            let id = try requiredId(call)
            let seconds = try call.params.required(
                "seconds", call.params.integer("seconds", in: 1...31_536_000), .integer)
            let presentation = try act(call, on: id) { engine, changes, now throws(WireError) in
                try engine.snooze(
                    id, for: seconds * 1_000, visibleTo: call.peer.visibleUID, source: call.source, now: now,
                    into: &changes)
            }
            write(presentation, call, to: &json)
        })

    static let release = Method(
        name: "survey.release", summary: "Gives back a survey that is being shown here.",
        details: """
            It is ready again for others, and not brought to this connection once more: for a presenter whose window or \
            notification was closed without a choice.
            """,
        parameters: [idParameter], result: [surveyMember],
        examples: [
            .init(
                before: [
                    #"{"id":0,"method":"session.start","params":{"userId":"kim"}}"#,
                    #"{"id":0,"method":"event.record","params":{"name":"checkout_success"}}"#,
                    #"{"id":0,"method":"survey.present"}"#,
                ], params: #"{"presentationId":"0199e0f4-8c7a-7000-8000-000000000000"}"#,
                result: """
                    {"survey":{"presentationId":"01a1fe38-dc72-721f-8be4-9675485a9d57","surveyId":"rating",\
                    "state":"ready","userId":"kim","uid":0,"app":"default",\
                    "sessionId":"01a1fe38-dc70-75de-a424-77c9dd5be326","triggerAt":"2026-11-21T13:08:21.746Z",\
                    "presentedAt":"2026-11-21T13:08:21.756Z",\
                    "title":"Quick question","message":"How was it?","responseType":"options",\
                    "response":{"type":"options","options":["Great","Okay","Poor"]},"questions":[{"id":"option",\
                    "type":"single","question":"","required":true,"options":[{"value":"Great","label":"Great",\
                    "emoji":"😊"},{"value":"Okay","label":"Okay","emoji":"😐"},{"value":"Poor","label":"Poor",\
                    "emoji":"😞"}]}]}}
                    """)
        ],
        handler: .write { call, json throws(WireError) in
            let id = try requiredId(call)
            let desk = call.daemon.surveys
            guard desk.isLeased(id, to: call.connection) else {
                throw WireError(
                    .conflict, "this survey is not being shown on this connection", path: Params.path("presentationId"))
            }
            let presentation = try act(call, on: id) { engine, changes, now throws(WireError) in
                try engine.release(id, visibleTo: call.peer.visibleUID, now: now, into: &changes)
            }
            desk.pass(id, by: call.connection)
            write(presentation, call, to: &json)
        })

    static let explain = Method(
        name: "survey.explain", summary: "Tells why a survey would be shown now, or would not.",
        parameters: [
            .init(name: "surveyId", type: .string, isRequired: true, meaning: "which survey"),
            .init(name: "userId", type: .stringOrNull, meaning: "to whom; without it, the user of the current session"),
            .init(name: "app", type: .string, meaning: "which application; `default` without it"),
        ],
        result: [
            .init(name: "surveyId", meaning: "the survey"),
            .init(name: "userId", meaning: "the user; null: anonymous"),
            .init(name: "wouldShow", meaning: "whether it would"),
            .init(name: "gatingBypassed", meaning: "debug mode: the checks of gating do not count"),
            .init(name: "checks", meaning: "each with `check`, `passed` and `explanation`, which tells the numbers"),
        ],
        examples: [
            .init(
                before: [
                    #"{"id":0,"method":"session.start","params":{"userId":"ada"}}"#
                ], params: #"{"surveyId":"rating"}"#,
                result: """
                    {"surveyId":"rating","userId":"ada","wouldShow":true,"gatingBypassed":false,\
                    "checks":[{"check":"started","passed":true,"explanation":"has no start date"},\
                    {"check":"notEnded","passed":true,"explanation":"has no end date"},{"check":"rollout",\
                    "passed":true,"explanation":"is shown to all users"},{"check":"completion","passed":true,\
                    "explanation":"was not answered yet"},{"check":"oncePerUser","passed":true,\
                    "explanation":"may be shown to a user more than once"},{"check":"oncePerSession","passed":true,\
                    "explanation":"once a session; was not shown in this one"},{"check":"maxAttempts",\
                    "passed":true,"explanation":"0 attempts; there is no limit"},{"check":"cooldown","passed":true,\
                    "explanation":"has no cooldown"},{"check":"globalCooldown","passed":true,\
                    "explanation":"has no global cooldown"},{"check":"session","passed":true,\
                    "explanation":"the current session is this user's"},{"check":"notPending","passed":true,\
                    "explanation":"nothing of it waits since this session"},{"check":"oneAtATime","passed":true,\
                    "explanation":"nothing else is being shown in app 'default'"}]}
                    """)
        ],
        handler: .write { call, json throws(WireError) in
            let scope = try call.scope()
            let survey = try call.params.required("surveyId", call.params.string("surveyId"), .string)
            let filter = try call.params.userFilter()
            let current = try call.daemon.ledger.currentSession(of: scope)
            var user = SurveyUser(uid: scope.uid, userId: current?.identity.userId)
            if case .user(let userId) = filter { user = SurveyUser(uid: scope.uid, userId: userId) }
            let explanation = try call.daemon.ledger.decideBringing(
                { [user] reader, engine throws(StoreError) in
                    try reader.bring(user, to: &engine)
                },
                then: { [user] engine, _, now throws(WireError) in
                    do throws(WireError) {
                        return try engine.explain(survey, to: user, in: scope, now: now)
                    } catch {
                        throw error.inParams
                    }
                })
            json.members { explanation.write(to: &$0) }
        })

    static let results = Method(
        name: "survey.results", summary: "Tells what came of the showings of a survey.",
        parameters: [.init(name: "surveyId", type: .string, isRequired: true, meaning: "which survey")],
        result: [
            .init(name: "surveyId", meaning: "the survey"),
            .init(name: "shown", meaning: "how many were shown, whatever became of them"),
            .init(name: "scheduled", meaning: "how many wait for their time"),
            .init(name: "ready", meaning: "how many wait to be shown"),
            .init(name: "presented", meaning: "how many are being shown"),
            .init(name: "answered", meaning: "how many were answered"),
            .init(name: "dismissed", meaning: "how many were closed without an answer"),
            .init(name: "expired", meaning: "how many ended by themselves"),
            .init(name: "cancelled", meaning: "how many were taken away before an answer"),
            .init(name: "medianSecondsToAnswer", meaning: "from showing to answer; null without an answer"),
            .init(name: "questions", meaning: "how often each answer was given, by question"),
            .init(name: "texts", meaning: "the latest texts, newest first"),
        ],
        examples: [
            .init(
                before: [
                    #"{"id":0,"method":"session.start","params":{"userId":"ada"}}"#,
                    #"{"id":0,"method":"event.record","params":{"name":"checkout_success"}}"#,
                    #"{"id":0,"method":"survey.present"}"#,
                    #"{"id":0,"method":"survey.answer","params":{"presentationId":"0199e0f4-8c7a-7000-8000-000000000000","option":"Great"}}"#,
                ], params: #"{"surveyId":"rating"}"#,
                result: """
                    {"surveyId":"rating","shown":1,"scheduled":0,"ready":0,"presented":0,"answered":1,\
                    "dismissed":0,"expired":0,"cancelled":0,"medianSecondsToAnswer":0.0,\
                    "questions":[{"questionId":"option","answers":[{"value":"Great","count":1},{"value":"Okay",\
                    "count":0},{"value":"Poor","count":0}]}],"texts":[]}
                    """)
        ],
        handler: .deferred { call, json throws(WireError) in
            let id = try call.params.required("surveyId", call.params.string("surveyId"), .string)
            var query = PresentationQuery()
            query.survey = id
            query.uid = call.peer.visibleUID
            let results = try await call.daemon.readSettled { [query] reader throws(StoreError) in
                var results = SurveyResults(survey: id)
                _ = try reader.forEachPresentation(query) { results.add($0) }
                return results
            }
            let survey = call.daemon.ledger.engine.surveys.configuration.survey(id)
            if survey == nil, results.states.isEmpty {
                throw WireError(
                    .notFound, "there is no survey '\(id)', and there never was (survey.list lists them)",
                    path: Params.path("surveyId"))
            }
            json.members { results.write(to: &$0, survey: survey) }
        })

    static let reset = Method(
        name: "survey.reset", summary: "Forgets what a user has been shown and has answered, as far as gating goes.",
        parameters: [
            .init(name: "userId", type: .stringOrNull, meaning: "whose; null or left out: anonymous"),
            .init(name: "surveyId", type: .string, meaning: "of this survey; without it, of all"),
        ],
        result: [.init(name: "reset", meaning: "for how many surveys something was forgotten")],
        examples: [.init(params: #"{"userId":"user-123"}"#, result: #"{"reset":0}"#)],
        handler: .write { call, json throws(WireError) in
            let user = SurveyUser(uid: call.peer.uid, userId: try call.params.string("userId"))
            let survey = try call.params.string("surveyId")
            let count = try call.daemon.ledger.decideBringing(
                { reader, engine throws(StoreError) in
                    try reader.bring(user, to: &engine)
                },
                then: { engine, changes, _ throws(WireError) in
                    engine.resetSurveys(user, survey: survey, into: &changes)
                })
            json.key("reset")
            json.int(count)
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
        result: [.init(name: "subscription", meaning: "its number on this connection")],
        examples: [.init(params: "{}", result: #"{"subscription":1}"#)],
        handler: .read { call, json throws(WireError) in
            let connection = call.connection
            let subscription = SurveySubscription(
                number: connection.nextSubscriptionNumber(), connection: connection, desk: call.daemon.surveys,
                isPresenter: try call.params.bool("presenter") ?? false, app: try call.params.string("app"),
                locale: try call.params.string("locale"))
            connection.subscriptions[subscription.number] = subscription
            call.daemon.surveys.add(subscription)
            json.key("subscription")
            json.int(subscription.number)
        })

    static let debugSet = Method(
        name: "debug.set", summary: "Changes the debug mode of surveys until the next start or reload.",
        isForAdministrators: true,
        parameters: [
            .init(name: "preset", type: .string, meaning: "`production`, or `debug`: no gating, delays of 10 s"),
            .init(name: "bypassGating", type: .bool, meaning: "show at every event"),
            .init(name: "scheduleDelaySeconds", type: .value, meaning: "instead of every delay; null: as configured"),
            .init(
                name: "attemptCooldownSeconds", type: .value,
                meaning: "instead of every attempt cooldown; null: as configured"),
        ],
        result: [.init(name: "debug", meaning: "`bypassGating`, `scheduleDelaySeconds`, `attemptCooldownSeconds`")],
        examples: [
            .init(
                params: #"{"preset":"production"}"#,
                result: """
                    {"debug":{"bypassGating":false,"scheduleDelaySeconds":null,"attemptCooldownSeconds":null}}
                    """)
        ],
        handler: .read { call, json throws(WireError) in
            var mode = call.daemon.ledger.engine.surveys.debug
            if let name = try call.params.choice("preset", of: DebugMode.presets.map(\.name)) {
                mode = DebugMode.presets.first { $0.name == name }?.mode ?? .production
            }
            if let flag = try call.params.bool("bypassGating") { mode.bypassesGating = flag }
            mode.delay = try call.params.seconds("scheduleDelaySeconds", else: mode.delay)
            mode.attemptCooldown = try call.params.seconds("attemptCooldownSeconds", else: mode.attemptCooldown)
            call.daemon.ledger.setDebugMode(mode)
            json.key("debug")
            mode.write(to: &json)
        })

    // MARK: What they share

    @DaemonActor
    private static func requiredId(_ call: Call) throws(WireError) -> Identifier {
        try call.params.required("presentationId", call.params.identifier("presentationId"), .id)
    }

    /// Lets the engine act on a presentation that is brought in first.
    @DaemonActor
    private static func act(
        _ call: Call, on id: Identifier,
        _ command: (inout Engine, inout Changes, Timestamp) throws(WireError) -> Presentation
    ) throws(WireError) -> Presentation {
        try call.daemon.ledger.decideBringing(
            { reader, engine throws(StoreError) in
                try reader.bringPresentation(id, to: &engine)
            },
            then: { engine, changes, now throws(WireError) in
                do throws(WireError) {
                    return try command(&engine, &changes, now)
                } catch {
                    throw error.inParams
                }
            })
    }

    @DaemonActor
    private static func write(_ presentation: Presentation, _ call: Call, to json: inout JSONWriter) {
        json.key("survey")
        presentation.write(to: &json, survey: call.daemon.surveys.survey(of: presentation))
    }
}

extension Params {
    /// A length of time in milliseconds; null switches it off, absence leaves it as it is.
    func seconds(_ name: String, else current: Int64?) throws(WireError) -> Int64? {
        guard let value = self[name] else { return current }
        if value.isNull { return nil }
        guard let seconds = value.doubleValue, seconds >= 0, seconds <= 1e10 else {
            throw WireError(
                .invalidParams, "'\(name)' must be a number of seconds, or null", path: Params.path(name))
        }
        return Int64(seconds * 1_000)
    }
}
