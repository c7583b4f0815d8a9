/// The params of `execution.*`.

package struct ExecutionAdd: WireMethod {
    package typealias Result = AddedExecutionInfo
    package static let name = "execution.add"

    package var id = ""
    package var listensTo: [String]?
    package var event: ExecutedEvent?
    package var condition: AnyJSON?
    package var action = ActionInfo()
    package var keepAlive: Bool?
    package var validatesAtOnce: Bool?
    package var app: String?

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("id", &id, "its name, 1 to 256 bytes")
        m("listensTo", &listensTo, "counters; without it, those that `when` names")
        m("on", &event, "an event to listen to, in place of counters")
        m("when", &condition, .condition, "the condition; without it, it always holds")
        m("run", &action, "what to do")
        m("keepAlive", &keepAlive, "true: it stays after it has fired, to fire again")
        m("validateImmediately", &validatesAtOnce, "true: check the condition at once, too")
        m.counterApp(&app)
    }
}

package struct ExecutionRemove: WireMethod {
    package typealias Result = Removed
    package static let name = "execution.remove"

    package var id = ""
    package var app: String?

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("id", &id, "which one")
        m.counterApp(&app)
    }
}

package struct ExecutionList: PagedMethod {
    package typealias Result = ExecutionPage
    package static let name = "execution.list"

    package var app: String?
    package var after: String?
    package var limit: Int64?

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m.onlyApp(&app)
        m.after(&after)
        m("limit", &limit, .integer(in: 1...1_000), "executions a page, and runs (100)")
    }
}

package struct ExecutionSubscribe: WireMethod {
    package typealias Result = StartedStream
    package static let name = "execution.subscribe"
    package static var notifications: [NotificationShape] { [.executionFired] }

    package var app: String?

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) { m.onlyApp(&app) }
}

extension NotificationShape {
    package static let executionFired = NotificationShape(
        "execution.fired", "An execution fired", params: ExecutionFired.members)
}
