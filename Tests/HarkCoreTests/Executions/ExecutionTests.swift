import HarkCore
import HarkWire
import Testing

/// Registering, evaluating and running executions (rows C4 and C5).
@Suite struct ExecutionTests {
    /// The reference's example: three times in the background, two actions.
    static let example = Execution.sample(
        "actionExecution", "numberOfBackgrounds", "numberActions",
        when: .all([.equal("numberOfBackgrounds", 3), .equal("numberActions", 2)]))

    private static func stage(_ counters: String...) throws -> Stage {
        var stage = Stage()
        for name in counters { try stage.register(name) }
        return stage
    }

    @Test("C4: the condition is looked at whenever a counter it listens to changes; once it holds, it runs and is gone")
    func runsOnce() throws {
        var stage = try Self.stage("numberOfBackgrounds", "numberActions")
        try stage.add(Self.example)
        for _ in 0..<3 { #expect(try stage.trigger("numberOfBackgrounds") == []) }
        #expect(try stage.trigger("numberActions") == [])
        #expect(stage.added == ["actionExecution"])
        #expect(try stage.trigger("numberActions") == ["actionExecution"])
        #expect(stage.added == [])
        #expect(try stage.set("numberActions", 2) == [])
        let run = try #require(stage.runs.first)
        #expect(stage.runs.count == 1)
        #expect(run.counter?.text == "numberActions" && run.value == 2)
        #expect(run.state == .done && run.firedAt == stage.now)
    }

    @Test("C4: the condition sees which counter it is that fires, and none when it is validated as it is added")
    func changed() throws {
        var stage = try Self.stage("a", "b", "changed")
        let condition = Condition.all([.changed(["b"]), .atLeast("a", 1)])
        let execution = Execution.sample("x", "a", "b", when: condition, keepAlive: true, validateImmediately: true)
        #expect(try !stage.add(execution).hasFired)
        #expect(try stage.trigger("b") == [])
        #expect(try stage.trigger("a") == [])
        #expect(try stage.trigger("b") == ["x"])
        try stage.add(.sample("not", "a", "b", when: .not(.changed(["b"])), keepAlive: true))
        #expect(try stage.trigger("a") == ["not"])
        stage.restart()
        #expect(try stage.trigger("b") == ["x"])
    }

    @Test("C4: kept alive, it stays and runs every time it holds")
    func keepAlive() throws {
        var stage = try Self.stage("c")
        try stage.add(.sample("x", "c", when: .atLeast("c", 2), keepAlive: true))
        let fired = try (0..<4).map { _ in try stage.trigger("c") }
        #expect(fired == [[], ["x"], ["x"], ["x"]])
        let state = try #require(stage.disk.counters.executions.first?.state)
        #expect(state.fired == 3 && state.lastFiredAt == stage.now)
    }

    @Test("C4: it is looked at when it is added only if it is to be validated immediately", arguments: [true, false])
    func validateImmediately(_ keepAlive: Bool) throws {
        var stage = try Self.stage("c")
        try stage.set("c", 5)
        #expect(try !stage.add(.sample("later", "c", when: .atLeast("c", 5), keepAlive: keepAlive)).hasFired)
        let now = Execution.sample(
            "now", "c", when: .atLeast("c", 5), keepAlive: keepAlive, validateImmediately: true)
        #expect(try stage.add(now).hasFired)
        let never = Execution.sample(
            "not yet", "c", when: .atLeast("c", 6), keepAlive: keepAlive, validateImmediately: true)
        #expect(try !stage.add(never).hasFired)
        #expect(stage.runs.map(\.key.id.text) == ["now"])
        #expect(stage.runs[0].counter == nil && stage.runs[0].value == nil)
        #expect(stage.added == ["later"] + (keepAlive ? ["now"] : []) + ["not yet"])
    }

    @Test("C4: conditions look at other counters than the one that changed, of the same app only")
    func otherCounters() throws {
        var stage = try Self.stage("a", "b")
        let kiosk = Scope(uid: Stage.uid, app: "kiosk")
        try stage.register("b", 9, in: kiosk)
        try stage.add(.sample("x", "a", when: .equal("b", 9), keepAlive: true))
        #expect(try stage.trigger("a") == [])
        try stage.set("b", 9)
        #expect(try stage.trigger("a") == ["x"])
    }

    static let conditions: [(Condition, Bool)] = [
        (.always, true),
        (.equal("n", 3), true), (.equal("n", 3.0), true), (.equal("n", "3"), false),
        (.value("n", Matcher(.ne, 3)), false), (.value("n", Matcher(.gt, 2.5)), true),
        (.value("n", Matcher(.lte, 2)), false), (.value("n", Matcher(.contains, "3")), false),
        (.value("text", Matcher(.contains, "ell")), true), (.value("text", Matcher(.notContains, "ell")), false),
        (.value("list", Matcher(.contains, "b")), true), (.value("list", Matcher(.contains, "c")), false),
        (.value("flag", Matcher(.eq, true)), true), (.value("flag", Matcher(.eq, 1)), false),
        (.value("nobody", Matcher(.notExists)), true), (.value("n", Matcher(.notExists)), false),
        (.value("nothing", Matcher(.exists)), true), (.value("nobody", Matcher(.ne, 3)), false),
        (.any([.equal("n", 4), .equal("flag", true)]), true), (.all([.equal("n", 3), .equal("flag", false)]), false),
        (.not(.equal("n", 4)), true), (.not(.equal("nobody", 4)), true),
        (.all([.not(.any([.equal("n", 1), .equal("n", 2)])), .atLeast("n", 3)]), true),
    ]

    @Test("C4: the operators of surveys, with all, any and not, look at counters", arguments: conditions)
    func operators(_ condition: Condition, _ holds: Bool) throws {
        var stage = try Self.stage("go")
        let values: [(String, JSONValue)] = [
            ("n", 3), ("text", "hello"), ("list", ["a", "b"]), ("flag", true), ("nothing", nil),
        ]
        for (name, value) in values { try stage.register(name, value) }
        try stage.add(.sample("x", "go", when: condition))
        #expect(try stage.trigger("go") == (holds ? ["x"] : []))
    }

    @Test("C4: conditions and actions come back as they were written", arguments: conditions.map(\.0))
    func documents(_ condition: Condition) throws {
        for action in [Execution.Action.exec(["a", "b c"], timeoutSeconds: 5), .survey("s"), .notify] {
            let execution = Execution.sample("x", "a", "b", when: condition, run: action, keepAlive: true)
            let read = Execution.read(execution.document, path: "$")
            #expect(read.execution == execution && read.issues == DocumentIssues())
            #expect(Execution.Action(document: action.document) == action)
        }
    }

    @Test("C4: several that hold at once run all, in the order in which they were added")
    func order() throws {
        var stage = try Self.stage("c")
        for id in ["b", "a", "c"] {
            stage.now = stage.now.adding(milliseconds: 1)
            try stage.add(.sample(id, "c", keepAlive: true))
        }
        #expect(try stage.trigger("c") == ["b", "a", "c"])
        stage.restart()
        #expect(try stage.trigger("c") == ["b", "a", "c"])
    }

    @Test("C4: one of the same id takes the place of the one before; in another app it is another")
    func replaced() throws {
        var stage = try Self.stage("c", "d")
        let kiosk = Scope(uid: Stage.uid, app: "kiosk")
        #expect(try !stage.add(.sample("x", "c", keepAlive: true)).isReplacement)
        #expect(try !stage.add(.sample("x", "c", keepAlive: true), in: kiosk).isReplacement)
        try stage.trigger("c")
        #expect(try stage.add(.sample("x", "d", keepAlive: true)).isReplacement)
        #expect(try stage.trigger("c") == [])
        #expect(try stage.trigger("d") == ["x"])
        stage.restart()
        #expect(try stage.trigger("c") == [])
        #expect(stage.disk.counters.executions.count == 2)
    }

    @Test("C4: what is removed does not run, and removing what is not there is an error")
    func removed() throws {
        var stage = try Self.stage("c")
        try stage.add(.sample("x", "c"))
        try stage.remove("x")
        #expect(try stage.trigger("c") == [])
        let error = try #require(throws: WireError.self) { try stage.remove("x") }
        #expect(error.reason == .notFound && error.path == "id")
        try stage.add(.sample("x", "c"))
        #expect(try stage.trigger("c") == ["x"])
    }

    @Test("C4: two triggers in one commit run it once, kept alive twice", arguments: [(false, 1), (true, 2)])
    func burst(_ keepAlive: Bool, _ expected: Int) throws {
        var stage = try Self.stage("c")
        try stage.add(.sample("x", "c", run: Execution.program, keepAlive: keepAlive))
        stage.commitsEachStep = false
        try stage.trigger("c")
        try stage.trigger("c")
        stage.commit()
        #expect(stage.runs.count == expected)
    }

    @Test("an execution may wait for a counter that is not registered yet")
    func early() throws {
        var stage = Stage()
        try stage.add(.sample("x", "c", when: .atLeast("c", 1)))
        try stage.register("c")
        #expect(try stage.trigger("c") == ["x"])
    }

    // MARK: Actions

    @Test("C4: a survey is raised in the changes of the trigger, at once, whatever its own trigger is")
    func survey() throws {
        var stage = Stage([Samples.survey("rating", event: "never", delay: Stage.hour)])
        try stage.startSession("ada")
        try stage.register("c")
        try stage.add(.sample("ask", "c", when: .atLeast("c", 2), run: .survey("rating")))
        try stage.trigger("c")
        #expect(stage.presentations.isEmpty)
        stage.commitsEachStep = false
        try stage.trigger("c")
        let raised = try #require(stage.presentations.first)
        #expect(raised.state == .ready && raised.user.userId == "ada" && raised.dueAt == stage.now)
        stage.commit()
        #expect(stage.runs.map(\.state) == [.done] && stage.runs[0].note == nil)
    }

    @Test("C4: the limits of a survey hold, and the run tells which")
    func gating() throws {
        var stage = Stage([Samples.survey("rating", event: "never") { $0.oncePerUser = true }])
        try stage.startSession("ada")
        try stage.register("c")
        try stage.add(.sample("ask", "c", run: .survey("rating"), keepAlive: true))
        try stage.trigger("c")
        try stage.trigger("c")
        #expect(stage.presentations.count == 1, "it waits already")
        let shown = try #require(try stage.presentNext())
        try stage.dismiss(shown.id)
        try stage.trigger("c")
        #expect(stage.presentations.count == 1)
        #expect(
            stage.runs.map { $0.note ?? "" } == [
                "", "it waits to be asked already", "its limits do not allow it: oncePerUser",
            ])
        #expect(stage.runs.allSatisfy { $0.state == .done })
    }

    @Test("C4: without a session a survey starts an anonymous one, as an event does")
    func surveyWithoutSession() throws {
        var stage = Stage([Samples.survey("rating", event: "never")])
        try stage.register("c")
        try stage.add(.sample("ask", "c", run: .survey("rating")))
        #expect(stage.disk.current.isEmpty)
        try stage.trigger("c")
        let session = try #require(stage.disk.current[stage.scope]?.identity)
        #expect(session.isImplicit && session.userId == nil)
        #expect(stage.presentations.map(\.origin) == [session.id])
    }

    @Test("a survey that is not in the configuration is refused when it is added, and reported when it goes later")
    func unknownSurvey() throws {
        var stage = Stage([Samples.survey("rating", event: "never")])
        try stage.register("c")
        let error = try #require(throws: WireError.self) { try stage.add(.sample("x", "c", run: .survey("other"))) }
        #expect(error.reason == .notFound && error.path == "run.survey")
        try stage.add(.sample("ask", "c", run: .survey("rating")))
        stage.configure(SurveyConfiguration.none)
        try stage.trigger("c")
        #expect(stage.runs.map(\.state) == [.failed])
        #expect(stage.presentations.isEmpty)
    }
}
