/// The properties of an event that tells how a program has failed.
package struct RunFailure: WireObject {
    package var exitCode: Int64?
    package var signal: AnyJSON?

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("exitCode", &exitCode, .whole)
        m("signal", &signal, .anything)
    }
}

/// The properties of an event that tells of the start of a program.
package struct RunStart: WireObject {
    package var startedAt: String?
    package var pid: Int64?

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("startedAt", &startedAt)
        m("pid", &pid, .whole)
    }
}

/// The properties of `watch.missed`.
package struct WatchMiss: WireObject {
    package var watch: String?
    package var event: String?

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("watch", &watch)
        m("event", &event)
    }
}

/// The properties of an event that tells of a question of an agent.
package struct AgentQuestion: WireObject {
    package var promptId: String?
    package var question: String?
    package var client: String?

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("promptId", &promptId)
        m("question", &question)
        m("client", &client)
    }
}
