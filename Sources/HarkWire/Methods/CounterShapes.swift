/// The shapes of `counter.*` and `app.background`.
extension MethodShape {
    package static let counterRegister = MethodShape(
        "counter.register",
        [
            .required(.newCounter), .optional(.initial), .optional(.lifetime), .optional(.run), .optional(.pid),
            .optional(.counterApp),
        ],
        result: [
            .always(
                "counter", .counter,
                "`name`, `app`, `value`, `initial`, `scope`, as they are now; `heldBy`, where it follows its app: "
                    + "how many connections and processes its run has"),
            .always("registered", .bool, "false: an earlier registration counts"),
        ])

    package static let counterTrigger = MethodShape(
        "counter.trigger", [.required(.counter), .optional(.counterApp)], result: change)

    package static let counterSet = MethodShape(
        "counter.set", [.required(.counter), .required(.counterValue), .optional(.counterApp)], result: change)

    private static let change: [Shape.Member] = [
        .always("name", .string, "the counter"), .always("value", .any, "what it is now"),
        .always("fired", .strings, "the ids of the executions that fired"),
        .always(
            "revision", .count, "the number of this change, as in [counter.subscribe](#countersubscribe)"),
    ]

    package static let counterGet = MethodShape(
        "counter.get", [.required(.counter), .optional(.counterType), .optional(.counterApp)],
        result: [.always("value", .any, "the value, or null")])

    package static let counterList = MethodShape(
        "counter.list", [.optional(.counterApp), .optional(.afterCounter), .optional(.counterLimit)],
        result: [
            counters, .always("next", .orNull(.string), "where the next page goes on; null on the last"),
        ])

    private static let counters = Shape.Member.always(
        "counters", .array(.counter), "each as in [counter.register](#counterregister)")

    package static let counterReset = MethodShape(
        "counter.reset", [.optional(.counterToReset), .optional(.counterApp)], result: [reset])

    package static let background = MethodShape("app.background", [.optional(.counterApp)], result: [reset])

    private static let reset = Shape.Member.always(
        "reset", .count, "how many counters are at their initial value by this")

    package static let counterSubscribe = MethodShape(
        "counter.subscribe", [.optional(.onlyCounter), .optional(.counterApp)],
        result: [
            .subscription, counters,
            .always("next", .orNull(.string), "where `counter.list` goes on; null when these are all"),
            .always(
                "revision", .count,
                "the number of the last change that is in them; changes are numbered in a run of the daemon"),
        ],
        notifications: [.counterChanged])
}

extension NotificationShape {
    package static let counterChanged = NotificationShape(
        "counter.changed", "A counter changed",
        params: [
            .always("app", .string), .always("name", .string), .always("value", .any),
            .always("cause", .oneOf(CounterCause.allCases.map(\.rawValue))),
        ])
}

extension Parameter<String> {
    /// The application to ask about.
    package static var app: Parameter { Parameter("app", .string, "which application; `default` without it") }

    package static var counter: Parameter { Parameter("name", .string, "which counter") }
    package static var newCounter: Parameter { Parameter("name", .string, "1 to 256 bytes") }
    package static var counterToReset: Parameter {
        Parameter("name", .string, "which counter; without it, all of the app")
    }
    package static var onlyCounter: Parameter { Parameter("name", .string, "only this counter") }
    package static var counterApp: Parameter {
        Parameter("app", .string, "of which application; `default` without it")
    }
    package static var afterCounter: Parameter {
        Parameter("after", .string, "go on after this name, the `next` of the page before")
    }
}

extension Parameter<JSONValue> {
    package static var initial: Parameter { Parameter("initial", .anything, "what it begins with; 0 without it") }
    package static var counterValue: Parameter { Parameter("value", .anything, "what it is to be") }
}

extension Parameter<CounterLifetime> {
    package static var lifetime: Parameter { Parameter("scope", .lifetime, "`instance`, `session` or `app` (default)") }
}

extension Parameter<CounterRun> {
    package static var run: Parameter {
        Parameter(
            "run", .word, "whose end ends it: `connection` (this one), `process` (see `pid`) or `daemon` (default)")
    }
}

extension Parameter<Int32> {
    package static var pid: Parameter {
        Parameter(
            "pid", .integer(in: 1 ... .max), "which process, with `run` of `process`; without it, the one that calls")
    }
}

extension Parameter<CounterType> {
    package static var counterType: Parameter {
        Parameter(
            "type", .word, "`integer`, `double`, `bool`, `string`, `array`, `dictionary` or `any` (default)")
    }
}

extension Parameter<Int> {
    package static var counterLimit: Parameter { Parameter("limit", .integer(in: 1...1_000), "counters a page (100)") }
}

extension Shape {
    package static let counter = Shape.named(
        "Counter",
        .members([
            .always("name", .string), .always("app", .string), .always("value", .any), .always("initial", .any),
            .always("scope", MemberType.lifetime.shape),
            .maybe("heldBy", .count, "where it follows its app: how many connections and processes its run has"),
        ]))
}
