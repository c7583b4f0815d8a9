import HarkCore
import HarkLedger
import HarkServer
import HarkStore
import HarkSystem
import HarkWire

/// `counter.*` and `app.background`.
enum CounterMethods {
    static let all: [Method] = [register, trigger, set, get, list, reset, subscribe, background]

    private static let unknown = Method.Refusal(
        reason: .notFound, when: "the counter is not registered, and harkd.json does not name it",
        params: #"{"name":"closes","value":1}"#)
    static let registration = #"{"id":0,"method":"counter.register","params":{"name":"opens"}}"#

    static let register = Method(
        CounterRegister.self, summary: "Registers a counter with its initial value.",
        details: """
            Counters belong to the calling user and an `app`. `scope` says when a counter goes back to its initial value by \
            itself: `instance` when the app is in the background ([app.background](#appbackground)) or its session ends, \
            `session` when the daemon restarts, `app` never. Only the first registration in a run of the daemon counts; \
            registering an `app` counter again never changes its value. Registrations last over restarts.

            With `run`, a `session` counter follows its app instead of the daemon, and an `instance` counter follows the app as \
            well. The app's run begins with the first registration that has `run`; later ones join it. It ends when the last \
            connection or process that has joined is gone. Then the counter goes back to its initial value, nothing fires, and \
            the next registration counts. A restart of the daemon ends every connection, but no process.
            """,
        examples: [
            .init(
                params: #"{"name":"opens","initial":0,"scope":"app"}"#,
                result: """
                    {"counter":{"name":"opens","app":"default","value":0,"initial":0,"scope":"app"},"registered":true}
                    """)
        ],
        deciding: { call, request throws(WireError) in
            let lifetime = request.lifetime.flatMap(CounterLifetime.init(word:)) ?? .app
            let scope = call.scope(of: request.app)
            let holder = try holder(call, request, lifetime)
            var isHeld = false
            defer { if let holder { call.desk(CounterRuns.self).hold(holder, in: scope, isHeld: isHeld) } }
            return try act(call, in: scope) { engine, changes, _ throws(WireError) in
                try engine.registerCounter(
                    request.counter, initial: request.initial?.value ?? 0, lifetime: lifetime, holder: holder,
                    in: scope, into: &changes)
            }.note { counter, _ in
                isHeld = holder.map { counter.holders?.contains($0) ?? false } ?? false
            }.map { counter, isFirst in
                var result = RegisteredCounter()
                (result.counter, result.registered) = (CounterInfo(counter), isFirst)
                return result
            }
        })

    static let trigger = Method(
        CounterTrigger.self, summary: "Adds 1 to a counter, and fires listeners whose conditions hold now.",
        details: "Only numbers can be triggered; an integer stays an integer.",
        refusals: [
            unknown,
            .init(
                reason: .conflict, when: "the counter holds no number, or the largest there is",
                before: [#"{"id":0,"method":"counter.register","params":{"name":"seen","initial":[]}}"#],
                params: #"{"name":"seen"}"#),
        ],
        examples: [
            .init(
                before: [registration], params: #"{"name":"opens"}"#,
                result: #"{"name":"opens","value":1,"fired":[],"revision":2}"#)
        ],
        deciding: { call, request throws(WireError) in
            try change(request.counter, of: request.app, call) { scope, engine, changes, now throws(WireError) in
                try engine.triggerCounter(request.counter, in: scope, source: call.source, now: now, into: &changes)
            }
        })

    static let set = Method(
        CounterSet.self, summary: "Sets a counter to any value, and fires listeners whose conditions hold now.",
        refusals: [unknown],
        examples: [
            .init(
                before: [
                    #"{"id":0,"method":"counter.register","params":{"name":"backgrounds"}}"#,
                    """
                    {"id":0,"method":"execution.add","params":{"id":"often","run":{"notify":true},\
                    "when":{"backgrounds":{"op":"gte","value":10}}}}
                    """,
                ], params: #"{"name":"backgrounds","value":10}"#,
                result: #"{"name":"backgrounds","value":10,"fired":["often"],"revision":2}"#)
        ],
        deciding: { call, request throws(WireError) in
            let value = request.value.value ?? .null
            return try change(request.counter, of: request.app, call) { scope, engine, changes, now throws(WireError) in
                try engine.setCounter(
                    request.counter, to: value, in: scope, source: call.source, now: now, into: &changes)
            }
        })

    static let get = Method(
        CounterGet.self, summary: "Reads a counter, if it is of the type that is asked for.",
        details: """
            `integer` takes whole numbers, `double` every number, `dictionary` an object, `any` every value. There is no error: \
            the value is null if the counter has another type, or is not registered.
            """,
        examples: [
            .init(before: [registration], params: #"{"name":"opens","type":"integer"}"#, result: #"{"value":0}"#),
            .init(before: [registration], params: #"{"name":"opens","type":"bool"}"#, result: #"{"value":null}"#),
        ],
        deciding: { call, request throws(WireError) in
            let type = request.type.flatMap(CounterType.init) ?? .any
            let scope = call.scope(of: request.app)
            return try act(call, in: scope) { engine, _, _ in
                engine.counters.counter(ExactName(request.counter), in: scope)
            }.map { counter in
                var result = CounterValue()
                result.value = AnyJSON(counter.flatMap { type.read($0.value) } ?? .null)
                return result
            }
        })

    static let list = Method(
        CounterList.self, summary: "Lists the counters of an app, by name, a page at a time.",
        details: "A page also ends at about 1 MiB.",
        examples: [
            .init(
                before: [registration], params: "{}",
                result: """
                    {"counters":[{"name":"opens","app":"default","value":0,"initial":0,"scope":"app"}],"next":null}
                    """)
        ],
        handler: .write { call, request, reply throws(WireError) in
            let after = request.after.map(ExactName.init)
            let limit = Int(request.limit ?? 100)
            let scope = call.scope(of: request.app)
            try act(call, in: scope) { engine, _, _ in engine.counters.all(in: scope) }.tell(in: &reply) {
                counters, json in
                let rest = after.map { after in counters.drop { $0.name <= after } } ?? counters[...]
                write(rest, limit: limit, to: &json)
            }
        })

    static let reset = Method(
        CounterReset.self, summary: "Resets one counter of an app, or all of them, to the initial value.",
        details: "This fires nothing.",
        refusals: [unknown],
        examples: [.init(before: [registration], params: #"{"name":"opens"}"#, result: #"{"reset":1}"#)],
        deciding: { call, request throws(WireError) in
            let scope = call.scope(of: request.app)
            return try act(call, in: scope) { engine, changes, _ throws(WireError) in
                try engine.resetCounters(request.counter, in: scope, into: &changes)
            }.map(CounterResets.init)
        })

    static let background = Method(
        AppBackground.self,
        summary: "Reports that an app is in the background, which resets its `instance` counters.",
        details: "This fires nothing.",
        examples: [
            .init(
                before: [
                    #"{"id":0,"method":"counter.register","params":{"name":"taps","scope":"instance"}}"#,
                    #"{"id":0,"method":"counter.trigger","params":{"name":"taps"}}"#,
                ], params: "{}", result: #"{"reset":1}"#)
        ],
        deciding: { call, request throws(WireError) in
            let scope = call.scope(of: request.app)
            return try act(call, in: scope) { engine, changes, _ throws(WireError) in
                try engine.background(scope, into: &changes)
            }.map(CounterResets.init)
        })

    // MARK: Shared

    /// The holder whose run a registration follows; nil: the daemon's run.
    @DaemonActor
    private static func holder(
        _ call: Call, _ request: CounterRegister, _ lifetime: CounterLifetime
    ) throws(WireError) -> CounterHolder? {
        let run = request.run.flatMap(CounterRun.init)
        guard request.pid == nil || run == .process else {
            throw WireError(
                .invalidParams, "'pid' goes with \"run\": \"process\"", path: Params.path("pid"))
        }
        guard let run, run != .daemon else { return nil }
        guard lifetime != .app else {
            throw WireError(
                .invalidParams,
                "a counter with the scope 'app' follows no run; give \"scope\": \"session\" or \"instance\"",
                path: Params.path("run"))
        }
        if run == .connection { return call.desk(CounterRuns.self).holder(of: call.connection) }
        let process = request.pid.map(Int32.init) ?? call.peer.credentials.pid
        guard process > 0 else {
            throw WireError(
                .invalidParams,
                "the daemon does not see your process, as in a container of its own; take "
                    + "\"run\": \"connection\"", path: Params.path("run"))
        }
        return try call.desk(CounterRuns.self).holder(ofProcess: process, of: call.peer.uid)
    }

    /// Writes a page of counters, and the cursor of the next page. A page ends by its bytes, so it is written piece by piece.
    static func write(_ counters: ArraySlice<Counter>, limit: Int = .max, to json: inout JSONWriter) {
        json.key("counters")
        json.beginArray()
        let start = json.bytes.count
        var written = counters.startIndex
        while written < counters.endIndex, written - counters.startIndex < limit,
            json.bytes.count - start < Method.pageBytes
        {
            CounterInfo(counters[written]).write(to: &json)
            written += 1
        }
        json.endArray()
        json.member("next", orNull: written < counters.endIndex ? counters[written - 1].name.text : nil)
    }

    /// Has the engine act on the counters of a scope, after loading them.
    @DaemonActor
    static func act<Value: Sendable>(
        _ call: Call, in scope: Scope,
        _ command: (inout Engine, inout Changes, Timestamp) throws(WireError) -> Value
    ) throws(WireError) -> Decided<Value> {
        try call.decide(needing: .counters(of: scope), command)
    }

    /// Has the engine change a counter of an app.
    @DaemonActor
    private static func change(
        _ name: String, of app: String?, _ call: Call,
        _ command: (Scope, inout Engine, inout Changes, Timestamp) throws(WireError) -> Engine.CounterChange
    ) throws(WireError) -> Decided<ChangedCounter> {
        let scope = call.scope(of: app)
        return try call.decide(needing: .change(ofCounter: name, in: scope)) {
            engine, changes, now throws(WireError) in
            let change = try command(scope, &engine, &changes, now)
            var result = ChangedCounter()
            result.name = name
            result.value = AnyJSON(change.counter.value)
            result.fired = change.fired.map(\.text)
            result.revision = Int64(change.revision)
            return result
        }
    }
}

extension CounterResets {
    fileprivate init(_ count: Int) {
        self.init()
        reset = Int64(count)
    }
}
