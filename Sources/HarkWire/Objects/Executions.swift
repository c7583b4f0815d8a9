/// An execution as it was defined.
package struct ExecutionDefinition: WireObject {
    package var id = ""
    package var listensTo: [String] = []
    package var when = AnyJSON(.null)
    package var run = ActionInfo()
    package var keepAlive = false
    package var validateImmediately = false
    package var on: ExecutedEvent?

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("id", &id)
        m("listensTo", &listensTo)
        m("when", &when, .objectValue)
        m("run", &run)
        m("keepAlive", &keepAlive)
        m("validateImmediately", &validateImmediately)
        m("on", &on)
    }
}

/// What an execution does: it runs a program, raises a survey, or only notifies.
package struct ActionInfo: WireObject {
    package var exec: [String]?
    package var timeoutSeconds: Int64?
    package var survey: String?
    package var notify: Bool?

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("exec", &exec)
        m("timeoutSeconds", &timeoutSeconds, .integer(in: 1 ... .max))
        m("survey", &survey)
        m("notify", &notify)
    }

    package static var shape: Shape {
        .named(
            "Action",
            .either([
                .members([.always("exec", .strings), .maybe("timeoutSeconds", .integer(in: 1 ... .max))]),
                .members([.always("survey", .string)]), .members([.always("notify", .bool)]),
            ]))
    }
}

/// The event that an execution listens to.
package struct ExecutedEvent: WireObject {
    package var event = Pattern()

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("event", &event)
    }

    package struct Pattern: WireObject {
        package var name = ""
        package var properties: AnyJSON?
        package var condition: AnyJSON?

        package init() {}

        package mutating func map<Map: MemberMap>(_ m: inout Map) {
            m("name", &name)
            m("properties", &properties, .objectValue)
            m("where", &condition, .condition)
        }
    }
}

/// An execution and its state.
package struct ExecutionInfo: WireObject {
    package var definition = ExecutionDefinition()
    package var app: String?
    package var uid: Int64?
    package var configured = false
    package var addedAt: Timestamp?
    package var fired: Int64 = 0
    package var lastFiredAt: Timestamp?
    package var pending: Int64 = 0
    package var dropped: Int64 = 0

    package init() {}

    package static var title: String? { "Execution" }

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        definition.map(&m)
        m("app", orNull: &app, "null: one of harkd.json that is for all apps")
        m("uid", orNull: &uid, .uid, "null: one of harkd.json")
        m("configured", &configured, "it comes from harkd.json")
        m("addedAt", orNull: &addedAt)
        m("fired", &fired, .count)
        m("lastFiredAt", orNull: &lastFiredAt)
        m("pending", &pending, .count, "runs that wait or are under way")
        m("dropped", &dropped, .count)
    }
}

/// The event that made an execution fire.
package struct FiringEvent: WireObject {
    package var name = ""
    package var seq: Int64 = 0

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("name", &name)
        m("seq", &seq, .count)
    }
}

/// What made an execution fire.
package struct ExecutionCause: WireObject {
    package var counter: String?
    package var value = AnyJSON(.null)
    package var event: AnyJSON?

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("counter", orNull: &counter)
        m("value", &value, .anything, "what made it fire")
        m("event", &event, .shaped(FiringEvent.shape), "the event that made it fire")
    }
}

/// A run of an execution.
package struct ExecutionRunInfo: WireObject {
    package var runId = Identifier(high: 0, low: 0)
    package var executionId = ""
    package var app = ""
    package var uid: Int64 = 0
    package var cause = ExecutionCause()
    package var firedAt = Timestamp.earliest
    package var state = ""
    package var startedAt: Timestamp?
    package var endedAt: Timestamp?
    package var note: String?

    package init() {}

    package static var title: String? { "ExecutionRun" }

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("runId", &runId)
        m("executionId", &executionId)
        m("app", &app)
        m("uid", &uid, .uid)
        cause.map(&m)
        m("firedAt", &firedAt)
        m("state", &state, .oneOf(ExecutionRunState.allCases.map(\.word)))
        m("startedAt", &startedAt)
        m("endedAt", &endedAt)
        m("note", &note)
    }
}

/// The result of `execution.add`.
package struct AddedExecutionInfo: WireObject {
    package var execution = ExecutionInfo()
    package var replaced = false
    package var fired = false

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m(
            "execution", &execution,
            """
            the given members, and `app`, `uid`, `configured` (it comes from harkd.json), `addedAt`, `fired` (how often), \
            `lastFiredAt`, `pending` (waiting and running runs), `dropped`
            """)
        m("replaced", &replaced, "whether it replaced one with the same id")
        m("fired", &fired, "whether it was checked at once and fired")
    }
}

/// The result of `execution.list`.
package struct ExecutionPage: WirePage {
    package var executions: [ExecutionInfo] = []
    package var runs: [ExecutionRunInfo] = []
    package var next: String?

    package init() {}

    package var items: [ExecutionInfo] { executions }

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("executions", &executions, "each as in [execution.add](#executionadd)")
        m(
            "runs", &runs,
            """
            each with `runId`, `executionId`, `app`, `uid`, `counter` and `value` or `event` (the cause), `firedAt`, `state`, \
            `startedAt`, `endedAt`, `note`
            """)
        m.next(&next)
    }
}

/// The params of the notification `execution.fired`.
package struct ExecutionFired: WireObject {
    package var execution = Definition()
    package var app = ""
    package var uid: Int64 = 0
    package var counter: String?
    package var value = AnyJSON(.null)
    package var event: AnyJSON?
    package var at = Timestamp.earliest
    package var runId = Identifier(high: 0, low: 0)
    package var state = ""

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("execution", &execution)
        m("app", &app)
        m("uid", &uid, .uid)
        m("counter", orNull: &counter, "null: an event, or it was validated immediately")
        m("value", &value, .anything)
        m("event", &event, .shaped(FiringEvent.shape), "the event that made it fire")
        m("at", &at)
        m("runId", &runId)
        m("state", &state, .oneOf(ExecutionRunState.allCases.map(\.word)))
    }

    package struct Definition: WireObject {
        package var definition = ExecutionDefinition()
        package var app: String?

        package init() {}

        package mutating func map<Map: MemberMap>(_ m: inout Map) {
            definition.map(&m)
            m("app", &app)
        }
    }
}
