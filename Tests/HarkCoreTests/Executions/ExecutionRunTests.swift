import HarkCore
import HarkWire
import Testing

/// The results of a firing (row C4).
@Suite struct ExecutionRunTests {
    private static func stage(keepAlive: Bool = true) throws -> Stage {
        var stage = Stage()
        try stage.register("c")
        try stage.register("d", "other")
        try stage.add(
            .sample("x", "c", when: .value("d", Matcher(.exists)), run: Execution.program, keepAlive: keepAlive))
        return stage
    }

    private static func state(_ stage: Stage) -> ExecutionState? { stage.disk.counters.executions.first?.state }

    @Test("a program is due in the transaction of its trigger, with the counters it looked at")
    func due() throws {
        var stage = try Self.stage()
        stage.commitsEachStep = false
        try stage.trigger("c")
        let rows = stage.changes.rows
        #expect(rows.contains { if case .counters(.putCounter) = $0 { true } else { false } })
        #expect(rows.contains { if case .counters(.putRun) = $0 { true } else { false } })
        stage.commit()
        let run = try #require(stage.runs.first)
        #expect(run.state == .due && run.action == Execution.program && !run.isConfigured)
        #expect(run.counters == ["c": 1, "d": "other"])
        #expect(Self.state(stage)?.pending == 1)
    }

    @Test(
        "a run begins and ends, and makes room for another",
        arguments: [ExecutionRun.State.done, .failed, .interrupted])
    func life(_ end: ExecutionRun.State) throws {
        var stage = try Self.stage()
        try stage.trigger("c")
        stage.begin(stage.runs[0])
        #expect(stage.runs[0].state == .started && stage.runs[0].startedAt == stage.now)
        stage.restart()
        stage.end(stage.runs[0], end)
        #expect(stage.runs[0].state == end && stage.runs[0].endedAt == stage.now)
        #expect(Self.state(stage)?.pending == 0)
        #expect(Self.state(stage)?.fired == 1)
    }

    @Test("a run that ends after its execution is gone changes nothing else")
    func orphan() throws {
        var stage = try Self.stage(keepAlive: false)
        try stage.trigger("c")
        #expect(stage.added == [])
        stage.begin(stage.runs[0])
        stage.end(stage.runs[0])
        #expect(stage.runs.map(\.state) == [.done])
        #expect(stage.added == [])
        stage.clear(.all)
        stage.end(ExecutionRun(stage, "x"))
        #expect(stage.runs.isEmpty && stage.disk.counters.configured.isEmpty)
    }

    @Test("removing an execution cancels what waits of it and leaves alone what runs, and other executions")
    func cancelled() throws {
        var stage = try Self.stage()
        try stage.add(.sample("other", "c", run: Execution.program, keepAlive: true))
        for _ in 0..<3 { try stage.trigger("c") }
        stage.begin(stage.runs.first { $0.key.id.text == "x" }!)
        try stage.remove("x")
        let ends = Dictionary(grouping: stage.runs, by: \.key.id.text).mapValues { $0.map(\.state) }
        #expect(ends == ["x": [.started, .cancelled, .cancelled], "other": [.due, .due, .due]])
        // A cancelled run does not begin.
        let cancelled = stage.runs.first { $0.state == .cancelled }!
        stage.begin(cancelled)
        #expect(stage.runs(.cancelled).count == 2)
    }

    @Test("a replaced execution's runs stay, and count as pending")
    func replaced() throws {
        var stage = try Self.stage()
        for _ in 0..<3 { try stage.trigger("c") }
        try stage.add(.sample("x", "c", keepAlive: true))
        #expect(stage.runs(.due).count == 3)
        #expect(Self.state(stage) == ExecutionState(pending: 3))
    }

    @Test("a flood is bounded: what fires while a hundred runs are pending is dropped, counted and reported")
    func flood() throws {
        var stage = try Self.stage()
        for _ in 0..<Execution.maxPending { try stage.trigger("c") }
        #expect(stage.runs(.due).count == Execution.maxPending)
        for _ in 0..<150 { #expect(try stage.trigger("c") == ["x"]) }
        #expect(stage.runs(.due).count == Execution.maxPending)
        #expect(Self.state(stage)?.dropped == 150)
        #expect(Self.state(stage)?.fired == Execution.maxPending + 150)
        #expect(stage.runs(.dropped).count == 3, "the first, the tenth and the hundredth")
        stage.begin(stage.runs[0])
        stage.end(stage.runs[0])
        try stage.trigger("c")
        #expect(stage.runs(.due).count == Execution.maxPending)
    }

    @Test("what is refused by the store never was: the engine starts again, and a trigger fires anew")
    func refusedByStore() throws {
        var stage = try Self.stage(keepAlive: false)
        stage.commitsEachStep = false
        #expect(try stage.trigger("c") == ["x"])
        stage.restart()
        #expect(stage.value("c") == 0)
        #expect(stage.added == ["x"] && stage.runs.isEmpty)
        #expect(try stage.trigger("c") == ["x"])
        stage.commit()
        #expect(stage.runs.count == 1 && stage.added == [])
    }
}

extension ExecutionRun {
    /// A run that the store does not know.
    fileprivate init(_ stage: Stage, _ id: String) {
        self.init(
            id: Identifier(high: 1, low: 1), key: ExecutionKey(scope: stage.scope, id: ExactName(id)),
            action: Execution.program, isConfigured: true, counter: nil, value: nil, firedAt: stage.now, state: .started
        )
    }
}
