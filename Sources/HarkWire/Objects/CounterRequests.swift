/// The params of `counter.*` and `app.background`.

package struct CounterRegister: WireMethod {
    package typealias Result = RegisteredCounter
    package static let name = "counter.register"

    package var counter = ""
    package var initial: AnyJSON?
    /// A word of `CounterLifetime`.
    package var lifetime: String?
    /// A word of `CounterRun`.
    package var run: String?
    package var pid: Int64?
    package var app: String?

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("name", &counter, "1 to 256 bytes")
        m("initial", given: &initial, .anything, "the initial value; 0 without it")
        m(
            "scope", &lifetime, .oneOf(CounterLifetime.allCases.map(\.word)),
            "`instance`, `session` or `app` (default)")
        m(
            "run", &run, .raw(CounterRun.self),
            "what ends the counter's run when it ends: `connection` (this one), `process` (see `pid`) or `daemon` (default)"
        )
        m("pid", &pid, .pid, "the process, with `run` of `process`; without it, the calling one")
        m.counterApp(&app)
    }
}

package struct CounterTrigger: WireMethod {
    package typealias Result = ChangedCounter
    package static let name = "counter.trigger"

    package var counter = ""
    package var app: String?

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("name", &counter, "which counter")
        m.counterApp(&app)
    }
}

package struct CounterSet: WireMethod {
    package typealias Result = ChangedCounter
    package static let name = "counter.set"

    package var counter = ""
    package var value = AnyJSON(.null)
    package var app: String?

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("name", &counter, "which counter")
        m("value", &value, .anything, "its new value")
        m.counterApp(&app)
    }
}

package struct CounterGet: WireMethod {
    package typealias Result = CounterValue
    package static let name = "counter.get"

    package var counter = ""
    /// A word of `CounterType`.
    package var type: String?
    package var app: String?

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("name", &counter, "which counter")
        m(
            "type", &type, .raw(CounterType.self),
            "`integer`, `double`, `bool`, `string`, `array`, `dictionary` or `any` (default)")
        m.counterApp(&app)
    }
}

package struct CounterList: PagedMethod {
    package typealias Result = CounterPage
    package static let name = "counter.list"

    package var app: String?
    package var after: String?
    package var limit: Int64?

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m.counterApp(&app)
        m("after", &after, "go on after this name, the `next` of the page before")
        m("limit", &limit, .integer(in: 1...1_000), "counters a page (100)")
    }
}

package struct CounterReset: WireMethod {
    package typealias Result = CounterResets
    package static let name = "counter.reset"

    package var counter: String?
    package var app: String?

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("name", &counter, "which counter; without it, all of the app")
        m.counterApp(&app)
    }
}

package struct AppBackground: WireMethod {
    package typealias Result = CounterResets
    package static let name = "app.background"

    package var app: String?

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) { m.counterApp(&app) }
}

package struct CounterSubscribe: WireMethod {
    package typealias Result = CounterSnapshot
    package static let name = "counter.subscribe"
    package static var notifications: [NotificationShape] { [.counterChanged] }

    package var counter: String?
    package var app: String?

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("name", &counter, "only this counter")
        m.counterApp(&app)
    }
}

extension NotificationShape {
    package static let counterChanged = NotificationShape(
        "counter.changed", "A counter changed", params: CounterChanged.members)
}

extension MemberMap {
    /// The application that counters belong to.
    @inline(__always)
    mutating func counterApp(_ app: inout String?) { self("app", &app, "the application; `default` without it") }
}

extension MemberType<Int64> {
    /// The id of a process.
    fileprivate static var pid: MemberType {
        let type = MemberType<Int32>.integer(in: 1 ... .max)
        return MemberType(type.words, type.shape) { type.read($0).map(Int64.init) }
    }
}
