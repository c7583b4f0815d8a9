import HarkCore
import HarkStore
import HarkSystem
import HarkWire

/// What there is, why it would be shown, and what came of it.
extension SurveyMethods {
    static let list = Method(
        .surveyList, summary: "Lists the surveys of the configuration, in the order in which they are tried.",
        details: "A page also ends at about 1 MiB.",
        examples: [
            .init(
                params: "{}",
                result: """
                    {"surveys":[{"surveyId":"rating","event":"checkout_success","delaySeconds":0.0,\
                    \(exampleContent)}],"next":null,"file":"/home/ada/.config/hark/surveys.json","problems":[],\
                    "notifyProblem":null}
                    """)
        ],
        handler: .read { call, json throws(WireError) in
            let desk = call.daemon.surveys
            let surveys = call.daemon.ledger.settings.surveys.surveys
            try call.writePage("surveys", .ruleLimit, of: surveys, id: \.id, to: &json) { survey, json in
                json.beginObject()
                json.key("surveyId")
                json.string(survey.id)
                json.key("event")
                if let event = survey.trigger.event { json.string(event) } else { json.null() }
                json.key("delaySeconds")
                json.double(Double(survey.trigger.delay) / 1_000)
                if let schedule = survey.trigger.schedule {
                    json.key("plan")
                    json.string(schedule.plan.text)
                }
                if let counters = survey.trigger.counters {
                    json.key("counters")
                    json.value(counters.document)
                }
                survey.writeMembers(to: &json, locale: nil)
                json.endObject()
            }
            call.writeSource(desk.source.status.origin, problems: desk.source.problems, to: &json)
            write(notifyProblem: desk.hooks.trouble, call, to: &json)
        })

    @DaemonActor
    private static func write(notifyProblem problem: String?, _ call: Call, to json: inout JSONWriter) {
        json.key("notifyProblem")
        if let problem, call.peer.isAdministrator { json.string(problem) } else { json.null() }
    }

    static let pending = Method(
        .surveyPending,
        summary: "Lists what is scheduled, ready or being presented, as it came about, a page at a time.",
        details: "A page also ends at about 1 MiB.",
        examples: [
            .init(
                before: asked("ada"), params: #"{"userId":"ada"}"#,
                result: """
                    {"surveys":[\(example("ready", of: "ada"))],"next":null,"notifyProblem":\
                    "what is ready in app 'default' is not shown: nothing here shows surveys: neither an app nor 'hark agent' \
                    is connected for this account, and there is no notify hook; 'hark ask' asks what waits"}
                    """)
        ],
        handler: .deferred { call, json throws(WireError) in
            var query = PresentationQuery()
            query.uid = call.peer.visibleUID
            query.app = try call.params.read(.onlyApp)
            query.user = try call.params.userFilter()
            query.survey = try call.params.read(.onlySurvey)
            query.states = [.scheduled, .ready, .presented]
            query.limit = try call.params.read(.pendingLimit) ?? 100
            if let cursor = try call.params.read(.after) {
                query.afterRow = Int64(cursor)
                if query.afterRow == nil { throw Method.noCursor }
            }
            query.maxBytes = Method.pageBytes
            var (found, next) = try await call.readSettled { [query] reader throws(StoreError) in
                var found: [(presentation: Presentation, row: Int64)] = []
                let next = try reader.forEachPresentation(query) { found.append(($0, $1)) }
                return (found, next)
            }
            json.key("surveys")
            json.beginArray()
            let start = json.bytes.count
            for (place, (presentation, _)) in found.enumerated() {
                // What is shown stands in the configuration, and may be long.
                if place > 0, json.bytes.count - start > Method.pageBytes {
                    next = found[place - 1].row
                    break
                }
                // What is open of a survey that is gone is about to be cancelled.
                guard let survey = call.daemon.surveys.survey(of: presentation) else { continue }
                presentation.write(to: &json, survey: survey)
            }
            json.endArray()
            json.key("next")
            if let next { json.string(String(next)) } else { json.null() }
            let unseen = try call.daemon.surveys.unseen(of: call.peer.visibleUID, call.peer.isAdministrator)
            json.key("notifyProblem")
            if let unseen { json.string(unseen) } else { json.null() }
        })

    static let explain = Method(
        .surveyExplain, summary: "Tells why a survey would be shown now, or would not.",
        examples: [
            .init(
                before: [
                    #"{"id":0,"method":"session.start","params":{"userId":"ada"}}"#
                ], params: #"{"surveyId":"rating"}"#,
                result: """
                    {"surveyId":"rating","userId":"ada","wouldShow":true,"gatingBypassed":false,\
                    "checks":[{"check":"muted","passed":true,"explanation":"you have not muted it"},\
                    {"check":"ownInterval","passed":true,"explanation":"you have not said how often you may be asked"},\
                    {"check":"quietHours","passed":true,"explanation":"these are no quiet hours"},\
                    {"check":"started","passed":true,"explanation":"has no start date"},\
                    {"check":"notEnded","passed":true,"explanation":"has no end date"},{"check":"rollout",\
                    "passed":true,"explanation":"is shown to all users"},{"check":"completion","passed":true,\
                    "explanation":"was not answered yet"},{"check":"oncePerUser","passed":true,\
                    "explanation":"may be shown to a user more than once"},{"check":"oncePerSession","passed":true,\
                    "explanation":"once a session; was not shown in this one"},{"check":"maxAttempts",\
                    "passed":true,"explanation":"0 attempts; there is no limit"},{"check":"cooldown","passed":true,\
                    "explanation":"has no cooldown"},{"check":"globalCooldown","passed":true,\
                    "explanation":"has no global cooldown"},{"check":"session","passed":true,\
                    "explanation":"the current session is this user's"},{"check":"notPending","passed":true,\
                    "explanation":"nothing of it waits since this session"},{"check":"firstInLine","passed":true,\
                    "explanation":"no survey before it in the file would be shown for the same event"},\
                    {"check":"room","passed":true,"explanation":"of the 1000 surveys that may wait for this user, 0 do"},\
                    {"check":"oneAtATime","passed":true,\
                    "explanation":"nothing else is being shown in app 'default'"}],"notShown":null,"notifyProblem":null}
                    """)
        ],
        handler: .write { call, reply throws(WireError) in
            let scope = try call.scope()
            let survey = try call.params.required(.survey)
            let filter = try call.params.userFilter(.userToAsk)
            let desk = call.daemon.surveys
            try call.daemon.ledger.currentSession(of: scope).flatMap { current throws(WireError) in
                var user = UserKey(uid: scope.uid, userId: current?.identity.userId)
                if case .user(let userId) = filter { user = UserKey(uid: scope.uid, userId: userId) }
                let need: Need = .all([.user(user), .counters(of: scope)])
                return try call.decide(needing: need) { [user] engine, _, now throws(WireError) in
                    try engine.explain(survey, to: user, in: scope, now: now)
                }
            }.tell(in: &reply) { explanation, json in
                json.members { explanation.write(to: &$0) }
                json.key("notShown")
                let reason = explanation.waiting.flatMap { desk.reason(of: $0, in: scope, call.peer.isAdministrator) }
                if let reason { json.string(reason) } else { json.null() }
                write(notifyProblem: desk.hasPresenter(in: scope) ? nil : desk.hooks.trouble, call, to: &json)
            }
        })
}
