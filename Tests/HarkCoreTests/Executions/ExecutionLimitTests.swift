import HarkWire
import Testing

@testable import HarkCore

/// Accepted executions can be kept, and checked with every change of a counter.
@Suite(.timeLimit(.minutes(45))) struct ExecutionLimitTests {
    private static func read(_ members: [(String, JSONValue)]) -> (execution: Execution?, issues: DocumentIssues) {
        let base: [(String, JSONValue)] = [("id", "x"), ("listensTo", ["c"]), ("run", ["notify": true])]
        let others = base.filter { member in !members.contains { $0.0 == member.0 } }
        return Execution.read(.object(JSONObject(others + members)), path: "$")
    }

    /// A condition on that many counters, each in the short form, which is stored in the long one.
    private static func condition(of count: Int) -> JSONValue {
        .object(JSONObject((0..<count).map { ("counter \($0)", .int(Int64($0))) }))
    }

    @Test("an execution is measured in the form in which it is kept")
    func kept() throws {
        let text = JSONValue.string(String(repeating: "x", count: 100))
        let given = JSONValue.object(JSONObject((0..<500).map { ("c\($0)", text) }))
        #expect(given.description.utf8.count < 56_000)
        let refused = Self.read([("when", given)])
        #expect(refused.execution == nil && refused.issues.errors.first?.message.contains("written out") == true)
    }

    @Test("whatever is accepted is read back as it was", arguments: [1, 10, 100, 300, 480, 700, 1_200])
    func readBack(_ count: Int) throws {
        let nested = (0..<count / 10).reduce(Self.condition(of: 2)) { inner, _ in ["all": [inner], "also": 1] }
        for condition in [Self.condition(of: count), nested, ["not": nested]] {
            guard let execution = Self.read([("when", condition)]).execution else { continue }
            let kept = try #require(JSONValue(packed: execution.document.packed))
            #expect(Execution(stored: kept) == execution)
        }
    }

    @Test("a condition that would be nested too deeply where it is kept is refused")
    func depth() {
        func nested(_ levels: Int) -> JSONValue {
            (0..<levels).reduce(["a": 1]) { inner, _ in ["all": [inner], "b": 1] }
        }
        #expect(Self.read([("when", nested(70))]).execution != nil)
        #expect(Self.read([("when", nested(120))]).issues.errors.first?.message.contains("nested too deeply") == true)
        let deep = (0..<JSONValue.maxStoredDepth + 1).reduce(JSONValue.int(1)) { inner, _ in [inner] }
        #expect(!deep.isStorable && JSONValue(packed: deep.packed) == nil)
        #expect(throws: WireError.self) { try Limits.check(counterValue: deep, "initial") }
    }

    @Test("what listens to one counter is bounded together; elsewhere there is room as before")
    func weight() throws {
        var stage = Stage()
        for name in ["c", "d"] { try stage.register(name) }
        let search = Condition.value("c", Matcher(.contains, "x"))
        var refusal: WireError?
        var added = 0
        while refusal == nil, added < 1_000 {
            do throws(WireError) {
                _ = try stage.tryAdd(.sample("x\(added)", "c", when: search))
                added += 1
            } catch {
                refusal = error
            }
        }
        #expect(added == Limits.weightPerCounter / 102)
        #expect(refusal?.reason == .tooLarge && refusal?.path == "listensTo")
        // In the place of one that is there, and for another counter or app, it is none too many.
        try stage.add(.sample("x0", "c", when: search))
        try stage.add(.sample("y", "d", when: search))
        try stage.add(.sample("x\(added)", "c", when: search), in: Scope(uid: Stage.uid, app: "other"))
        // Stored executions count as well.
        stage.restart()
        #expect(throws: WireError.self) { try stage.tryAdd(.sample("z", "c", when: search)) }
    }

    @Test("one execution cannot ask more than all that listen may, nor listen to everything")
    func alone() {
        func searches(_ count: Int) -> JSONValue {
            ["any": .array((0..<count).map { ["c": ["op": "contains", "value": .string("\($0)")]] })]
        }
        let heavy = Self.read([("listensTo", ["c"]), ("when", searches(49))])
        #expect(heavy.execution != nil, "\(heavy.issues.errors)")
        #expect(Self.read([("listensTo", ["c"]), ("when", searches(51))]).issues.errors.count == 1)
        let names = { JSONValue.array((0..<$0).map { .string("c\($0)") }) }
        #expect(Self.read([("listensTo", names(100))]).execution != nil)
        #expect(Self.read([("listensTo", names(101))]).execution == nil)
    }

    @Test("as many programs may listen to a counter as anybody starts at once, and thousands of notices")
    func room() throws {
        for (action, count) in [(Execution.Action.exec(["true"], timeoutSeconds: 1), 300), (.notify, 1_500)] {
            var stage = Stage()
            try stage.register("c")
            for number in 0..<count { _ = try stage.tryAdd(.sample("x\(number)", "c", run: action)) }
            #expect(try stage.trigger("c").count == count)
        }
    }

    @Test("a program is told as many counters as there is room for")
    func told() throws {
        var stage = Stage()
        for name in ["a", "b", "c"] { try stage.register(name) }
        try stage.set("a", .string(String(repeating: "x", count: 60_000)))
        try stage.add(.sample("x", "a", "b", "c", run: .exec(["true"], timeoutSeconds: 1)))
        try stage.trigger("c")
        #expect(stage.runs.first?.counters == ["b": 0, "c": 1])
    }
}

extension Stage {
    fileprivate mutating func tryAdd(_ execution: Execution) throws(WireError) -> Engine.ExecutionAdded {
        disk.bring(.execution(execution.id, listensTo: execution.triggers, in: scope), to: &engine)
        defer { step() }
        return try engine.addExecution(execution, in: scope, source: source, now: now, into: &changes)
    }
}
