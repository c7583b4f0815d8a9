import HarkCore
import HarkWire
import Testing

/// Counters and executions of the settings (row C4: "by config").
@Suite struct ConfiguredExecutionTests {
    private static let kiosk = Scope(uid: Stage.uid, app: "kiosk")

    private static func settings(_ execution: Execution...) -> CounterConfiguration {
        CounterConfiguration(
            counters: [DeclaredCounter(name: ExactName("c"), initial: 0, lifetime: .app)], executions: execution)
    }

    private static func stage(_ execution: Execution...) -> Stage {
        var stage = Stage()
        stage.configure(
            CounterConfiguration(
                counters: [DeclaredCounter(name: ExactName("c"), initial: 0, lifetime: .app)], executions: execution))
        return stage
    }

    @Test("every app has the counters of the settings, each with its own value, without registering them")
    func declared() throws {
        var stage = Self.stage()
        try stage.trigger("c")
        try stage.trigger("c", in: Self.kiosk)
        try stage.trigger("c", in: Self.kiosk)
        #expect(stage.values() == ["c": 1] && stage.values(in: Self.kiosk) == ["c": 2])
        #expect(stage.values(in: Scope(uid: 5)) == ["c": 0])
        let again = try stage.register("c", 77, .session)
        #expect(!again.isFirst && again.counter.value == 1)
        stage.startDaemonAnew()
        #expect(stage.value("c") == 1)
    }

    @Test("a counter or execution may be for one app only")
    func oneApp() throws {
        var stage = Stage()
        var execution = Execution.sample("x", "c", keepAlive: true)
        execution.app = "kiosk"
        stage.configure(
            CounterConfiguration(
                counters: [DeclaredCounter(name: ExactName("c"), initial: 0, lifetime: .app, app: "kiosk")],
                executions: [execution]))
        #expect(throws: WireError.self) { try stage.trigger("c") }
        #expect(try stage.trigger("c", in: Self.kiosk) == ["x"])
        try stage.register("c")
        #expect(try stage.trigger("c") == [])
    }

    @Test("other settings: what a counter begins with and its scope change with them, an app counter's value stays")
    func reconfigured() throws {
        var stage = Self.stage()
        try stage.trigger("c")
        stage.configure(
            CounterConfiguration(counters: [
                DeclaredCounter(name: ExactName("c"), initial: 10, lifetime: .app),
                DeclaredCounter(name: ExactName("new"), initial: 1, lifetime: .app),
            ]))
        #expect(stage.values() == ["c": 1, "new": 1])
        try stage.reset()
        #expect(stage.values() == ["c": 10, "new": 1])
        stage.configure(CounterConfiguration.none)
        #expect(stage.values() == ["c": 10])
    }

    @Test("an execution of the settings runs once in each app, over restarts and reloads, unless it is kept alive")
    func oncePerApp() throws {
        let settings = Self.settings(
            .sample("once", "c", when: .atLeast("c", 2)), .sample("always", "c", keepAlive: true))
        var stage = Stage()
        stage.configure(settings)
        #expect(try stage.trigger("c") == ["always"])
        #expect(try stage.trigger("c") == ["once", "always"])
        #expect(try stage.trigger("c") == ["always"])
        stage.startDaemonAnew()
        #expect(try stage.trigger("c") == ["always"])
        stage.configure(settings)
        #expect(try stage.trigger("c") == ["always"])
        try stage.trigger("c", in: Self.kiosk)
        #expect(try stage.trigger("c", in: Self.kiosk) == ["once", "always"])
        #expect(stage.runs.filter { $0.key.id.text == "once" }.map(\.key.scope.app) == ["default", "kiosk"])
        #expect(stage.runs.allSatisfy { $0.isConfigured })
    }

    @Test("one that leaves the settings is forgotten, what waits of it is cancelled, and put back it runs again")
    func removed() throws {
        let settings = Self.settings(
            .sample("x", "c", run: Execution.program), .sample("y", "c", run: Execution.program))
        var stage = Stage()
        stage.configure(settings)
        #expect(try stage.trigger("c") == ["x", "y"])
        stage.configure(Self.settings(.sample("y", "c", run: Execution.program)))
        #expect(stage.runs.map(\.state) == [.cancelled, .due])
        stage.configure(settings)
        #expect(try stage.trigger("c") == ["x"])
        #expect(stage.runs.map(\.state) == [.cancelled, .due, .due])
    }

    @Test("one over the socket cannot have an id of the settings, nor be removed when it is of the settings")
    func conflicts() throws {
        var stage = Self.stage(.sample("x", "c"))
        for attempt: (inout Stage) throws -> Void in [
            { try $0.add(.sample("x", "c")) }, { try $0.remove("x") },
        ] {
            let error = try #require(throws: WireError.self) { try attempt(&stage) }
            #expect(error.reason == .conflict && error.message.contains("harkd.json"))
        }
    }

    @Test("what is to be validated without a change fires once where it holds")
    func validated() throws {
        var stage = Self.stage(
            .sample("x", "c", when: .equal("c", 0), validateImmediately: true),
            .sample("y", "c", when: .atLeast("c", 1), validateImmediately: true))
        stage.validate(["x", "y", "gone"])
        stage.validate(["x", "y"])
        #expect(stage.runs.map(\.key.id.text) == ["x"])
        #expect(stage.runs[0].counter == nil)
        #expect(try stage.trigger("c") == ["y"])
    }

    @Test("runs are bounded and counted for each app by itself")
    func pending() throws {
        var stage = Self.stage(.sample("x", "c", run: Execution.program, keepAlive: true))
        for _ in 0...Execution.maxPending { try stage.trigger("c") }
        try stage.trigger("c", in: Self.kiosk)
        let key = ExecutionKey(scope: stage.scope, id: ExactName("x"))
        #expect(stage.disk.counters.configured[key]?.pending == Execution.maxPending)
        #expect(stage.disk.counters.configured[key]?.dropped == 1)
        #expect(stage.runs(.due).count == Execution.maxPending + 1)
        stage.restart()
        stage.end(stage.runs[0])
        #expect(stage.disk.counters.configured[key]?.pending == Execution.maxPending - 1)
    }

    @Test("a clear of all lets what ran once run again")
    func cleared() throws {
        var stage = Self.stage(.sample("x", "c"))
        #expect(try stage.trigger("c") == ["x"])
        stage.clear(.user(nil))
        #expect(try stage.trigger("c") == [])
        stage.clear(.all)
        #expect(stage.value("c") == 0)
        #expect(try stage.trigger("c") == ["x"])
    }
}
