/// The shapes of `counter.*` and `app.background`.
extension MethodShape {
    package static let counterRegister = MethodShape(
        "counter.register",
        [
            .required(.newCounter), .optional(.initial), .optional(.lifetime), .optional(.run), .optional(.pid),
            .optional(.counterApp),
        ],
        result: RegisteredCounter.members)

    package static let counterTrigger = MethodShape(
        "counter.trigger", [.required(.counter), .optional(.counterApp)], result: ChangedCounter.members)

    package static let counterSet = MethodShape(
        "counter.set", [.required(.counter), .required(.counterValue), .optional(.counterApp)],
        result: ChangedCounter.members)

    package static let counterGet = MethodShape(
        "counter.get", [.required(.counter), .optional(.counterType), .optional(.counterApp)],
        result: CounterValue.members)

    package static let counterList = MethodShape(
        "counter.list", [.optional(.counterApp), .optional(.afterCounter), .optional(.counterLimit)],
        result: CounterPage.members)

    package static let counterReset = MethodShape(
        "counter.reset", [.optional(.counterToReset), .optional(.counterApp)], result: CounterResets.members)

    package static let background = MethodShape(
        "app.background", [.optional(.counterApp)], result: CounterResets.members)

    package static let counterSubscribe = MethodShape(
        "counter.subscribe", [.optional(.onlyCounter), .optional(.counterApp)],
        result: CounterSnapshot.members,
        notifications: [.counterChanged])
}

extension NotificationShape {
    package static let counterChanged = NotificationShape(
        "counter.changed", "A counter changed", params: CounterChanged.members)
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
