import HarkCore
import HarkLedger
import HarkServer
import HarkStore
import HarkSystem
import HarkWire

/// `execution.*`.
enum ExecutionMethods {
    static let all: [Method] = [add, remove, list, subscribe]

    static let sample = #"{"id":"third-open","when":{"opens":{"op":"gte","value":3}},"run":{"notify":true}}"#
    static let added = """
        {"id":"third-open","listensTo":["opens"],"when":{"opens":{"op":"gte","value":3}},"run":{"notify":true},\
        "keepAlive":false,"validateImmediately":false,"app":"default","uid":1000,"configured":false,\
        "addedAt":"2026-11-21T11:08:00.123Z","fired":0,"lastFiredAt":null,"pending":0,"dropped":0}
        """

    static let add = Method(
        byHand: ExecutionAdd.self,
        summary: "Adds an action that runs when counters meet a condition, or when an event comes.",
        details: """
            Whenever a counter in `listensTo` is triggered or set, `when` is checked. If it holds, the execution fires, and is \
            removed unless `keepAlive`. With `on` it listens to an event instead, `{"event": {"name": "survey_response", \
            "where": "id = nps and answer.score <= 6"}}`: each such event that is recorded fires it if `when` holds too, and it \
            stays unless `keepAlive` is false. `when` is a text such as `opens >= 3 and plan = "pro"` \
            ([conditions](reference/conditions.md)), or `{"counter": matcher, …}` with the operators of surveys, or `{"all": \
            […]}`, `{"any": […]}`, `{"not": {…}}`. `run` is one of `{"exec": ["program", …]}`, `{"survey": "id"}` and \
            `{"notify": true}`; subscribers are notified of all of them. A program runs as the daemon's user, for \
            `timeoutSeconds` at most (60), so on a daemon for the machine only administrators may add one. An execution with the \
            same id is replaced. See [counters](reference/counters.md).
            """,
        refusals: [
            .init(
                reason: .notFound, when: "the configuration has no such survey",
                params: #"{"id":"ask","listensTo":["opens"],"run":{"survey":"nps-2027"}}"#),
            .init(reason: .conflict, when: "harkd.json has an execution of this id"),
            .init(reason: .permissionDenied, when: "it runs a program, and you are no administrator of this machine"),
        ],
        examples: [.init(params: sample, result: #"{"execution":\#(added),"replaced":false,"fired":false}"#)],
        handler: .write { call, reply throws(WireError) in
            let execution = try execution(call)
            let scope = call.scope(of: try call.params.read("app", .string))
            try act(call, execution.id, execution, in: scope) { engine, changes, now throws(WireError) in
                let outcome = try engine.addExecution(
                    execution, in: scope, source: call.source, now: now, into: &changes)
                // An execution that fired is gone again.
                let key = ExecutionKey(scope: scope, id: execution.id)
                return (outcome, engine.executions[key] ?? AddedExecution(key: key, execution: execution, addedAt: now))
            }.tell(in: &reply) { outcome, json in
                var result = AddedExecutionInfo()
                result.execution = ExecutionInfo(outcome.1)
                result.replaced = outcome.0.isReplacement
                result.fired = outcome.0.hasFired
                result.writeMembers(to: &json)
            }
        })

    /// Reads the params like executions of the settings, which reports all faults.
    @DaemonActor
    private static func execution(_ call: Call) throws(WireError) -> Execution {
        _ = try call.params.required("id", MemberType<String>.string)
        _ = try call.params.required("run", MemberType<JSONObject>.object)
        var document = call.params.object
        document["app"] = nil
        let (execution, issues) = Execution.read(.object(document), path: "$.params")
        try issues.check()
        call.warnings.texts += issues.warnings.map { "\($0.path): \($0.message)" }
        guard let execution else { throw WireError(.invalidParams, "this is no execution", path: "$.params") }
        if case .exec = execution.action, !call.peer.isAdministrator {
            throw WireError(
                .permissionDenied,
                "programs run as the daemon's user, so only root and members of group "
                    + "'\(call.desks.administratorGroup)' may add them; use \"notify\" and "
                    + "execution.subscribe to run something of your own", path: Params.path("run.exec"))
        }
        return execution
    }

    static let remove = Method(
        ExecutionRemove.self,
        summary: "Removes an execution. Waiting runs are cancelled; a run that has begun goes on.",
        refusals: [
            .init(reason: .notFound, when: "the app has no such execution", params: #"{"id":"fourth-open"}"#),
            .init(reason: .conflict, when: "it comes from harkd.json"),
        ],
        examples: [
            .init(
                before: [#"{"id":0,"method":"execution.add","params":\#(sample)}"#], params: #"{"id":"third-open"}"#,
                result: #"{"removed":true}"#)
        ],
        deciding: { call, request throws(WireError) in
            let scope = call.scope(of: request.app)
            return try act(call, ExactName(request.id), nil, in: scope) { engine, changes, now throws(WireError) in
                try engine.removeExecution(request.id, in: scope, now: now, into: &changes)
                return Removed()
            }
        })

    static let subscribe = Method(
        ExecutionSubscribe.self, summary: "Streams executions as they fire.",
        details: """
            Each comes as a notification `execution.fired` with `params.subscription`, `execution`, `app`, `uid`, `counter` and \
            `value` (null if it was checked at once), `at`, `runId` and `state`.
            """,
        examples: [.init(params: "{}", result: #"{"subscription":1}"#)],
        handler: .read { call, request, json throws(WireError) in
            let subscription = try call.connection.subscribe(to: call.desk(ExecutionDesk.self).topic, request.app)
            json.subscription(subscription.number)
        })

    // MARK: Shared

    @DaemonActor
    private static func act<Value: Sendable>(
        _ call: Call, _ id: ExactName, _ execution: Execution?, in scope: Scope,
        _ command: (inout Engine, inout Changes, Timestamp) throws(WireError) -> Value
    ) throws(WireError) -> Decided<Value> {
        let need: Need = .execution(
            id, listensTo: execution?.triggers ?? [], raisesSurvey: execution?.raisesSurvey ?? false, in: scope)
        return try call.decide(needing: need, command)
    }
}

extension ExecutionInfo {
    init(_ added: AddedExecution) {
        self.init(added.execution, added.state)
        app = added.key.scope.app
        uid = Int64(added.key.scope.uid)
        configured = false
        addedAt = added.addedAt
    }

    /// An execution of the settings.
    init(_ execution: Execution, _ state: ExecutionState, showsProgram: Bool = true) {
        self.init()
        definition = ExecutionDefinition(execution, showsProgram: showsProgram)
        app = execution.app
        configured = true
        fired = Int64(state.fired)
        lastFiredAt = state.lastFiredAt
        pending = Int64(state.pending)
        dropped = Int64(state.dropped)
    }
}
