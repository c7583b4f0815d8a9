import HarkCore
import HarkLedger
import HarkServer
import HarkStore
import HarkSystem
import HarkWire

/// Why a survey would be shown, or would not.
extension SurveyMethods {
    static let explain = Method(
        SurveyExplain.self, summary: "Explains why a survey would be shown now, or why not.",
        examples: [
            .init(
                before: [
                    #"{"id":0,"method":"session.start","params":{"userId":"ada"}}"#
                ], params: #"{"surveyId":"rating"}"#,
                result: """
                    {"surveyId":"rating","userId":"ada","wouldShow":true,"gatingBypassed":false,\
                    "checks":[{"check":"muted","passed":true,"explanation":"you have not muted it"},\
                    {"check":"ownInterval","passed":true,"explanation":"you have set no limit"},\
                    {"check":"quietHours","passed":true,"explanation":"these are no quiet hours"},\
                    {"check":"started","passed":true,"explanation":"has no start date"},\
                    {"check":"notEnded","passed":true,"explanation":"has no end date"},{"check":"rollout",\
                    "passed":true,"explanation":"is shown to all users"},{"check":"completion","passed":true,\
                    "explanation":"was not answered yet"},{"check":"oncePerUser","passed":true,\
                    "explanation":"may be shown to a user more than once"},{"check":"oncePerSession","passed":true,\
                    "explanation":"once a session; was not shown in this one"},{"check":"maxAttempts",\
                    "passed":true,"explanation":"0 attempts; there is no limit"},{"check":"cooldown","passed":true,\
                    "explanation":"has no cooldown"},{"check":"globalCooldown","passed":true,\
                    "explanation":"has no global cooldown"},{"check":"atMost","passed":true,\
                    "explanation":"has no cap of its own"},{"check":"groups","passed":true,\
                    "explanation":"is in no group"},{"check":"globalAtMost","passed":true,\
                    "explanation":"has no cap of the file"},{"check":"audience","passed":true,\
                    "explanation":"is for everybody"},{"check":"quota","passed":true,\
                    "explanation":"any number of answers is welcome"},{"check":"session","passed":true,\
                    "explanation":"the current session is this user's"},{"check":"notPending","passed":true,\
                    "explanation":"nothing of it waits since this session"},{"check":"firstInLine","passed":true,\
                    "explanation":"no survey before it in the file would be shown for the same event"},\
                    {"check":"room","passed":true,"explanation":"of the 1000 surveys that may wait for this user, 0 do"},\
                    {"check":"oneAtATime","passed":true,\
                    "explanation":"nothing else is being shown in app 'default'"}],"notShown":null,"notifyProblem":null}
                    """)
        ],
        answering: { call, request throws(WireError) in
            let survey = request.surveyId
            let desk = call.desk(SurveyDesk.self)
            let event = try await pastEvent(request, call)
            let ownScope = call.scope(of: request.app)
            let scope = request.app != nil ? ownScope : event?.session.scope ?? ownScope
            let explanation = try await call.ledger.currentSession(of: scope).flatMap {
                current throws(WireError) in
                var user =
                    event.map { UserKey($0.session) } ?? UserKey(uid: scope.uid, userId: current?.identity.userId)
                if case .user(let userId) = request.user.filter { user = UserKey(uid: scope.uid, userId: userId) }
                let need: Need = .all([.user(user), .counters(of: scope)])
                return try call.decide(needing: need) { [user] engine, _, now throws(WireError) in
                    try engine.explain(survey, to: user, in: scope, event: event, now: now)
                }
            }.stored().value
            var result = explanation.info
            result.notShown = explanation.waiting.flatMap { waiting in
                desk.reason(of: waiting, in: scope, call.peer.isAdministrator)
            }
            result.notifyProblem = notifyProblem(desk.hasPresenter(in: scope) ? nil : desk.hooks.trouble, call)
            return result
        })

    /// The event that a call names; nil: it names none.
    @DaemonActor
    private static func pastEvent(_ request: SurveyExplain, _ call: Call) async throws(WireError) -> Record? {
        let survey = request.surveyId
        guard request.last == true else {
            guard let sequence = request.seq else { return nil }
            return try await call.event(sequence)
        }
        guard request.seq == nil else {
            throw WireError(
                .invalidParams, "'seq' and 'last' each name an event; leave one out", path: Params.path("last"))
        }
        guard let found = call.ledger.settings.surveys.survey(survey) else {
            throw Engine.unknown(survey: survey).inParams
        }
        guard let name = found.trigger.event else {
            throw WireError(.invalidParams, "the survey '\(survey)' listens to no event", path: Params.path("last"))
        }
        return try await call.lastEvent(name, app: request.app)
    }
}

extension Call {
    /// An event that this account recorded.
    fileprivate func event(_ sequence: Int64) async throws(WireError) -> Record {
        let found = try await readSettled { reader throws(StoreError) in try reader.record(UInt64(clamping: sequence)) }
        guard let found, found.kind == .event, found.source.uid == peer.uid, found.session.machine == nil else {
            throw WireError(
                .notFound,
                "you have recorded no event \(sequence), or it is no longer kept (event.list lists them)",
                path: Params.path("seq"))
        }
        return found
    }

    /// The last event of a name that this account recorded in an app.
    fileprivate func lastEvent(_ name: String, app: String?) async throws(WireError) -> Record {
        var query = RecordQuery(limit: 1)
        query.uid = peer.uid
        query.app = scope(of: app).app
        query.machines = .own
        query.name = .exactly(name)
        query.patience = RecordPages.patience
        query.descending = true
        await ledger.settleToRead()
        var isCut = true
        while isCut {
            let (found, page) = try await read { [query] reader throws(StoreError) in
                var found: Record?
                let page = try reader.forEachRecord(query) { session, view in
                    found = Record(view, of: session)
                    return false
                }
                return (found, page)
            }
            if let found { return found }
            query.from = page.next
            isCut = page.isCut
        }
        throw WireError(
            .notFound, "you have recorded no event '\(name)' in this app, or it is no longer kept",
            path: Params.path("last"))
    }
}
