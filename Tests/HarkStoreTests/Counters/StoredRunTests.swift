import HarkCore
import HarkWire
import Testing

@testable import HarkStore

@Suite struct StoredRunTests {
    private static let program = Execution.Action.exec(["true", "ä b"], timeoutSeconds: 7)

    private static func stage(keepAlive: Bool = true) throws -> CounterStage {
        let stage = try CounterStage()
        try stage.register("c")
        try stage.add("x", "c", run: program, keepAlive: keepAlive)
        return stage
    }

    @Test("C4: a run comes back with all that its program is told, from due to its end")
    func roundTrip() throws {
        let stage = try Self.stage()
        try stage.trigger("c")
        let due = try #require(try stage.due.first)
        #expect(due.action == Self.program && due.key == ExecutionKey(scope: stage.scope, id: ExactName("x")))
        #expect(due.counter?.text == "c" && due.value == 1 && due.counters == ["c": 1])
        #expect(due.state == .due && due.firedAt == stage.now && !due.isConfigured && due.startedAt == nil)
        stage.now = stage.now.adding(milliseconds: 5)
        let begun = try stage.begin(due)
        #expect(try stage.due.isEmpty)
        #expect(try stage.store.reader.startedRuns() == [begun])
        stage.now = stage.now.adding(milliseconds: 5)
        try stage.end(begun, .failed, note: "it ended with status 3")
        #expect(try stage.store.reader.startedRuns().isEmpty)
        let ended = try #require(try stage.runs().first)
        #expect(ended.state == .failed && ended.note == "it ended with status 3")
        #expect(ended.startedAt == begun.startedAt && ended.endedAt == stage.now)
    }

    @Test("due runs are read in the order in which they fired, a page at a time, each once")
    func pages() throws {
        let stage = try Self.stage()
        for number in 0..<90 {
            // Several in one moment, and a clock that is set back in between.
            stage.now = CounterStage.start.adding(milliseconds: number == 60 ? -1_000 : Int64(number / 7))
            try stage.trigger("c")
        }
        var found: [ExecutionRun] = []
        while true {
            let key = found.last.map { ExecutionRunKey(at: $0.firedAt, id: $0.id) } ?? .first
            let page = try stage.store.reader.dueRuns(after: key, limit: 8)
            found += page
            if page.count < 8 { break }
        }
        #expect(found.count == 90 && Set(found.map(\.id)).count == 90)
        #expect(found.map(\.firedAt) == found.map(\.firedAt).sorted())
    }

    @Test("what has ended, or was cancelled, does not begin again")
    func ended() throws {
        let stage = try Self.stage()
        for _ in 0..<3 { try stage.trigger("c") }
        let due = try stage.due
        try stage.end(try stage.begin(due[0]))
        try stage.remove("x")
        for run in due { _ = try stage.begin(run) }
        #expect(try stage.runs().map(\.state).sorted { $0.rawValue < $1.rawValue } == [.done, .cancelled, .cancelled])
        #expect(try stage.store.reader.startedRuns().isEmpty)
    }

    @Test("of more runs than are kept that end in one commit, the last hundred are there, in order")
    func manyAtOnce() throws {
        let stage = try CounterStage()
        try stage.register("c")
        for number in 0..<130 { try stage.add("x\(number)", "c") }
        try stage.add("program", "c", run: Self.program)
        try stage.trigger("c")
        let kept = try stage.runs().filter { $0.state == .done }
        #expect(kept.map(\.key.id.text) == (30..<130).reversed().map { "x\($0)" })
        #expect(try stage.due.count == 1)
        try stage.trigger("c")
        #expect(try stage.runs().filter { $0.state == .done }.count == 100)
    }

    @Test("of the runs that ended in some way, the last hundred are kept for each app; what is open stays")
    func pruned() throws {
        let stage = try Self.stage()
        let kiosk = Scope(uid: 1000, app: "kiosk")
        try stage.register("c", in: kiosk)
        try stage.add("tell", "c", in: kiosk)
        try stage.trigger("c", in: kiosk)
        try stage.add("tell", "c")
        try stage.trigger("c")
        let failed = try #require(try stage.due.first)
        try stage.end(failed, .failed)
        try stage.trigger("c")
        for _ in 0..<150 { try stage.set("c", 5) }
        let runs = try stage.runs()
        let here = runs.filter { $0.key.scope == stage.scope }
        #expect(here.count { $0.state == .done } == ExecutionRun.kept)
        #expect(here.count { $0.state == .failed } == 1)
        #expect(here.count { $0.state == .due } == 100)
        #expect(runs.count { $0.key.scope == kiosk } == 1)
        #expect(here.first { $0.state == .done }?.value == 5)
        #expect(try stage.runs(10).count == 10)
    }

    @Test("executions of the settings: how far each app has come stays, until one leaves the settings")
    func configured() throws {
        func execution(_ id: String) -> Execution {
            Execution(id: ExactName(id), listensTo: [ExactName("c")], action: Self.program)
        }
        let stage = try CounterStage()
        let kiosk = Scope(uid: 1000, app: "kiosk")
        for scope in [stage.scope, kiosk] { try stage.register("c", in: scope) }
        try stage.configure(execution("x"), execution("y"))
        #expect(try stage.trigger("c") == ["x", "y"])
        try stage.startAnew()
        #expect(try stage.trigger("c") == [])
        #expect(try stage.trigger("c", in: kiosk) == ["x", "y"])
        let states = try stage.store.reader.configuredExecutions(ExecutionQuery(limit: 1))
        #expect(states.mapValues(\.fired) == [ExactName("x"): 2, ExactName("y"): 2])
        #expect(states[ExactName("x")]?.pending == 2)
        try stage.configure(execution("y"))
        #expect(try stage.due.map(\.key.id.text) == ["y", "y"])
        try stage.configure(execution("x"), execution("y"))
        stage.forget()
        #expect(try stage.trigger("c") == ["x"])
        try stage.end(try stage.due[0])
        let rest = try stage.store.reader.configuredExecutions(ExecutionQuery(limit: 1))
        #expect(rest.values.map(\.pending).reduce(0, +) == 2)
    }

    @Test("executions are listed in the order in which they came, filtered and a page at a time")
    func lists() throws {
        let stage = try CounterStage()
        let scopes = [stage.scope, Scope(uid: 1000, app: "kiosk"), Scope(uid: 2000)]
        for number in 0..<30 { try stage.add("x\(number)", "c", in: scopes[number % 3]) }
        var query = ExecutionQuery(limit: 4)
        query.uid = 1000
        var found: [String] = []
        while true {
            let page = try stage.store.reader.executions(query)
            found += page.found.map(\.key.id.text)
            guard let next = page.next else { break }
            query.afterRow = next
        }
        #expect(found == (0..<30).filter { $0 % 3 != 2 }.map { "x\($0)" })
        query = ExecutionQuery(limit: 100)
        query.app = "kiosk"
        #expect(try stage.store.reader.executions(query).found.count == 10)
    }
}
