import HarkCore
import HarkWire
import Testing

/// Events of the reference are counters here (rows C1–C3).
@Suite struct CounterTests {
    static let values: [JSONValue] = [
        0, -7, 1.5, true, "text", nil, [1, "two", [nil]], ["a": 1, "b": ["c": true]],
    ]

    @Test("C2: a counter has an initial value and a current value, of any kind", arguments: values)
    func anyValue(_ value: JSONValue) throws {
        var stage = Stage()
        try stage.register("c", value)
        #expect(stage.value("c") == value)
        for other in Self.values {
            try stage.set("c", other)
            #expect(stage.value("c") == other)
        }
        try stage.reset("c")
        #expect(stage.value("c") == value)
    }

    enum Cause: CaseIterable {
        case background, sessionEnd, anotherSession, daemonRestart, engineRestart, clearOfUser, clearOfSession,
            clearOfAll
    }

    static let cases = CounterLifetime.allCases.flatMap { lifetime in Cause.allCases.map { (lifetime, $0) } }

    @Test(
        "C1: an instance counter ends with session or background, a session counter with the daemon's run, an app counter never",
        arguments: cases, [true, false])
    func lifetimes(_ what: (CounterLifetime, Cause), isLoaded: Bool) throws {
        let (lifetime, cause) = what
        var stage = Stage()
        try stage.startSession("ada")
        try stage.register("c", 5, lifetime)
        try stage.trigger("c")
        #expect(stage.value("c") == 6)
        // The result is the same whether or not the engine has the counters in memory.
        if !isLoaded { stage.restart() }
        switch cause {
        case .background: try stage.background()
        case .sessionEnd: stage.endSession()
        case .anotherSession: try stage.startSession("bob")
        case .daemonRestart: stage.startDaemonAnew()
        case .engineRestart: stage.restart()
        case .clearOfUser: stage.clear(.user("ada"))
        case .clearOfSession: stage.clear(.session(stage.disk.sessions[1]!.identity.id))
        case .clearOfAll: stage.clear(.all)
        }
        let expected: JSONValue? =
            switch (lifetime, cause) {
            case (_, .clearOfAll): .none
            case (_, .engineRestart): 6
            case (.instance, .daemonRestart): 6
            case (.instance, _): 5
            case (.session, .daemonRestart): 5
            case (.session, _), (.app, _): 6
            }
        #expect(stage.value("c") == expected)
        stage.restart()
        #expect(stage.value("c") == expected)
    }

    @Test("C1: what ends one app's session, or puts it into the background, leaves other apps and users alone")
    func otherScopes() throws {
        let others = [Scope(uid: Stage.uid, app: "kiosk"), Scope(uid: 2000)]
        var stage = Stage()
        for scope in others + [stage.scope] {
            try stage.startSession(nil, in: scope)
            try stage.register("c", 0, .instance, in: scope)
            try stage.trigger("c", in: scope)
        }
        try stage.background()
        stage.endSession()
        try stage.reset()
        #expect(stage.value("c") == 0)
        for scope in others { #expect(stage.value("c", in: scope) == 1) }
    }

    @Test("C1: a session that a survey had for itself is not the app's: instance counters stay")
    func sessionOfSurvey() throws {
        var stage = Stage([Samples.survey(delay: Stage.hour)])
        try stage.startSession("ada")
        try stage.record("done")
        stage.endSession()
        try stage.register("c", 0, .instance)
        try stage.trigger("c")
        stage.pass(2 * Stage.hour)
        let shown = try #require(try stage.presentNext())
        try stage.answer(shown.id, option: "Great")
        #expect(stage.engine.sessions.current(stage.scope) == nil)
        #expect(stage.value("c") == 1)
    }

    @Test("C1: only the first registration in a run counts, whatever the later ones say")
    func firstRegistration() throws {
        var stage = Stage()
        #expect(try stage.register("c", 1, .session).isFirst)
        try stage.trigger("c")
        for lifetime in CounterLifetime.allCases {
            let again = try stage.register("c", 100, lifetime)
            #expect(!again.isFirst)
            #expect(again.counter.value == 2 && again.counter.initial == 1 && again.counter.lifetime == .session)
        }
        stage.restart()
        #expect(try !stage.register("c", 100).isFirst, "the engine starts anew, not the daemon")
        try stage.reset()
        #expect(stage.value("c") == 1)
    }

    @Test("C1: registering an app counter again does not reset it, in the next run of the daemon either")
    func registerAgain() throws {
        var stage = Stage()
        try stage.register("changed", 0)
        try stage.register("untouched", 0)
        try stage.trigger("changed")
        stage.startDaemonAnew()
        #expect(try stage.register("changed", 50).isFirst)
        try stage.register("untouched", 50)
        #expect(stage.values() == ["changed": 1, "untouched": 0])
        try stage.reset()
        #expect(stage.values() == ["changed": 50, "untouched": 50])
    }

    @Test("C1: the first registration in another run may change what the counter begins with and how long it lives")
    func redefined() throws {
        var stage = Stage()
        try stage.register("c", 0)
        try stage.trigger("c")
        stage.startDaemonAnew()
        try stage.register("c", 10, .session)
        #expect(stage.value("c") == 10, "a session counter forgets what it was in another run")
        try stage.trigger("c")
        stage.startDaemonAnew()
        try stage.register("c", 20, .session)
        #expect(stage.value("c") == 20)
    }

    @Test("C1: what was registered in a run before can be triggered at once, and is what it says")
    func registeredBefore() throws {
        var stage = Stage()
        try stage.register("app", 0)
        try stage.register("session", 0, .session)
        try stage.trigger("app")
        try stage.trigger("session")
        stage.startDaemonAnew()
        try stage.trigger("app")
        try stage.trigger("session")
        #expect(stage.values() == ["app": 2, "session": 1])
        // A trigger before the registration in this run changes nothing.
        try stage.register("session", 0, .session)
        #expect(stage.value("session") == 1)
    }

    @Test(
        "C2: a trigger adds 1 to a number and keeps its kind",
        arguments: [(0, 1), (-1, 0), (1.5, 2.5), (-0.5, 0.5), (JSONValue.int(.max - 1), JSONValue.int(.max))])
    func increments(_ value: JSONValue, _ next: JSONValue) throws {
        var stage = Stage()
        try stage.register("c", value)
        try stage.trigger("c")
        #expect(stage.value("c") == next)
    }

    @Test(
        "C2: a trigger of anything else is an error that says what it is, and changes nothing",
        arguments: [
            ("text", "a string"), (true, "a bool"), (nil, "null"), ([1], "an array"), (["n": 1], "an object"),
            (JSONValue.int(.max), "as large as"), (JSONValue.double(0x1p60), "as large as"),
        ] as [(JSONValue, String)])
    func notNumbers(_ value: JSONValue, _ words: String) throws {
        var stage = Stage()
        try stage.register("c", value)
        try stage.add(.sample("x", "c"))
        let error = try #require(throws: WireError.self) { try stage.trigger("c") }
        #expect(error.reason == .conflict && error.path == "name" && error.message.contains(words))
        #expect(stage.value("c") == value)
        #expect(stage.runs.isEmpty)
    }

    @Test("C2: a counter nobody has registered cannot be changed, and the error says what to do")
    func unregistered() throws {
        var stage = Stage()
        for change: (inout Stage) throws -> Void in [
            { try $0.trigger("c") }, { try $0.set("c", 1) }, { try $0.reset("c") },
        ] {
            let error = try #require(throws: WireError.self) { try change(&stage) }
            #expect(error.reason == .notFound && error.message.contains("counter.register"))
        }
        #expect(stage.value("c") == nil)
        #expect(try stage.reset() == 0)
    }

    @Test("C2: resetting one counter, or all, brings the initial values back and fires nothing")
    func resets() throws {
        var stage = Stage()
        for (name, lifetime) in [("a", CounterLifetime.app), ("b", .session), ("c", .instance)] {
            try stage.register(name, 3, lifetime)
            try stage.set(name, "x")
        }
        for name in ["a", "b", "c"] { try stage.add(.sample("to-\(name)", name, keepAlive: true)) }
        #expect(try stage.reset("b") == 1)
        #expect(stage.values() == ["a": "x", "b": 3, "c": "x"])
        #expect(try stage.reset() == 3)
        #expect(stage.values() == ["a": 3, "b": 3, "c": 3])
        try stage.set("c", 9)
        #expect(stage.runs.map(\.key.id.text) == ["to-c"])
        #expect(try stage.background() == 1)
        #expect(stage.value("c") == 3)
        #expect(stage.runs.count == 1)
    }

    static let types: [(JSONValue, [CounterType: JSONValue])] = [
        (1, [.integer: 1, .double: 1.0]), (7, [.integer: 7, .double: 7.0]), (7.0, [.integer: 7, .double: 7.0]),
        (7.5, [.double: 7.5]),
        (0, [.integer: 0, .double: 0.0]), (true, [.bool: true]), (false, [.bool: false]), ("7", [.string: "7"]),
        ([1, 2], [.array: [1, 2]]),
        (["n": 1], [.dictionary: ["n": 1]]), (nil, [:]),
    ]

    @Test("C3: a counter is read as its own type, and as none of the others", arguments: types)
    func typedReads(_ value: JSONValue, _ readable: [CounterType: JSONValue]) {
        for type in CounterType.allCases {
            #expect(type.read(value) == (type == .any ? value : readable[type]), "\(type)")
        }
    }

    @Test("names that look alike and are written otherwise are different counters")
    func exactNames() throws {
        let (composed, decomposed) = ("caf\u{e9}", "cafe\u{301}")
        var stage = Stage()
        try stage.register(composed, 1)
        try stage.register(decomposed, 2)
        try stage.add(.sample("x", decomposed, keepAlive: true))
        #expect(try stage.trigger(composed) == [])
        #expect(try stage.trigger(decomposed) == ["x"])
        stage.restart()
        #expect(stage.value(composed) == 2 && stage.value(decomposed) == 3)
    }

    @Test(
        "names and values have bounds, and what is refused changes nothing",
        arguments: [
            ("", 0, ErrorReason.invalidParams, "name"), (String(repeating: "n", count: 257), 0, .tooLarge, "name"),
            ("c", JSONValue.string(String(repeating: "v", count: 65_536)), .tooLarge, "initial"),
        ])
    func bounds(_ name: String, _ value: JSONValue, _ reason: ErrorReason, _ path: String) throws {
        var stage = Stage()
        let error = try #require(throws: WireError.self) { try stage.register(name, value) }
        #expect(error.reason == reason && error.path == path)
        #expect(stage.values().isEmpty)
    }

    @Test("an app has at most so many counters")
    func manyCounters() throws {
        var stage = Stage()
        stage.commitsEachStep = false
        for number in 0..<Limits.countersPerApp { try stage.register("c\(number)") }
        stage.commit()
        #expect(throws: WireError.self) { try stage.register("one more") }
        try stage.trigger("c0")
        try stage.register("one more", in: Scope(uid: Stage.uid, app: "kiosk"))
    }

    @Test("clearing all of one user of the machine takes that user's counters and executions, and no others")
    func clearOfUID() throws {
        let other = Scope(uid: 2000)
        var stage = Stage()
        for scope in [stage.scope, other] {
            try stage.register("c", in: scope)
            try stage.trigger("c", in: scope)
            try stage.add(.sample("x", "c", run: Execution.program, keepAlive: true), in: scope)
            try stage.trigger("c", in: scope)
        }
        stage.commitsEachStep = false
        stage.clear(.all, uid: Stage.uid)
        // Before the store knows it, too, nothing of it comes back.
        #expect(stage.value("c") == nil)
        try stage.register("c", 100)
        #expect(try stage.trigger("c") == [])
        #expect(try stage.trigger("c", in: other) == ["x"])
        stage.commit()
        #expect(stage.value("c") == 101 && stage.value("c", in: other) == 3)
        #expect(stage.disk.counters.executions.map(\.key.scope) == [other])
        #expect(stage.runs.allSatisfy { $0.key.scope == other })
    }

    @Test("each change is told with its cause, in order, and numbered")
    func story() throws {
        var stage = Stage()
        stage.commitsEachStep = false
        try stage.register("c", 0, .instance)
        try stage.startSession(nil)
        try stage.trigger("c")
        try stage.set("c", "x")
        try stage.reset()
        try stage.reset()
        try stage.set("c", 2)
        stage.endSession()
        let told = stage.changes.rows.compactMap { row -> (CounterCause, JSONValue, UInt64)? in
            guard case .counters(.putCounter(let counter, let cause, let revision)) = row else { return nil }
            return (cause, counter.value, revision)
        }
        #expect(told.map(\.0) == [.register, .trigger, .set, .reset, .set, .reset])
        #expect(told.map(\.1) == [0, 1, "x", 0, 2, 0])
        #expect(told.map(\.2) == Array(1...6))
    }
}
