import HarkTesting
import HarkWire
import Testing

@testable import HarkCore
@testable import HarkStore

/// A row that makes no sense is passed over, and only that one.
@Suite struct UnreadableRowTests {
    /// A value that no code writes: a list that is longer than its bytes.
    private static let nonsense = "x'06ff'"

    private static func stage() throws -> CounterStage {
        let stage = try CounterStage()
        for name in ["a", "b", "c"] { try stage.register(name) }
        for id in ["x", "y", "z"] { try stage.add(id, "a") }
        try stage.trigger("a")
        return stage
    }

    private static func damage(_ stage: CounterStage, _ sql: String) throws {
        try stage.store.writer.database.execute(sql)
        try stage.store.reopen()
        stage.forget()
    }

    private static func unreadable(_ stage: CounterStage) -> [UnreadableRow] { stage.store.reader.unreadable.all }

    private static func repair(_ stage: CounterStage) throws {
        stage.engine.removeUnreadable(unreadable(stage), into: &stage.changes)
        try stage.commit()
        try stage.store.reopen()
        stage.forget()
    }

    @Test(
        "of a counter that cannot be read the others of its app are there, and it can be registered anew",
        arguments: ["initial", "changed"])
    func counter(_ column: String) throws {
        let stage = try Self.stage()
        try Self.damage(stage, "UPDATE counter SET \(column) = \(Self.nonsense) WHERE name = 'b'")
        #expect(try stage.values() == ["a": 1, "c": 0])
        #expect(Self.unreadable(stage).map(\.kind) == ["a counter"])
        #expect(try stage.trigger("a") == ["x", "y", "z"])
        // A row that was written again is not the noted one any more.
        try stage.register("b", 7)
        try Self.repair(stage)
        #expect(try stage.values() == ["a": 2, "b": 7, "c": 0])
        try Self.damage(stage, "UPDATE counter SET \(column) = \(Self.nonsense) WHERE name = 'b'")
        _ = try stage.values()
        try Self.repair(stage)
        #expect(try stage.values() == ["a": 2, "c": 0] && Self.unreadable(stage).isEmpty)
        #expect(try stage.store.writer.database.integer("SELECT count(*) FROM counter") == 2)
    }

    @Test("of an execution that cannot be read the others fire and are listed, page by page")
    func execution() throws {
        let stage = try Self.stage()
        try Self.damage(stage, "UPDATE execution SET definition = \(Self.nonsense) WHERE id = 'x'")
        #expect(try stage.trigger("a") == ["y", "z"])
        var query = ExecutionQuery(limit: 1)
        var found: [String] = []
        while true {
            let page = try stage.store.reader.executions(query)
            found += page.found.map(\.key.id.text)
            guard let next = page.next else { break }
            query.afterRow = next
        }
        #expect(found == ["y", "z"])
        #expect(Self.unreadable(stage).map(\.kind) == ["an execution"])
        try Self.repair(stage)
        #expect(try stage.store.writer.database.integer("SELECT count(*) FROM execution") == 2)
        try stage.add("x", "a")
        #expect(try stage.trigger("a") == ["y", "z", "x"])
    }

    @Test("of a run that cannot be read the others are told, and what is due behind it runs")
    func runs() throws {
        let stage = try CounterStage()
        try stage.register("a")
        for id in ["x", "y", "z"] { try stage.add(id, "a", run: .exec(["true"], timeoutSeconds: 1)) }
        try stage.trigger("a")
        try Self.damage(stage, "UPDATE run SET action = \(Self.nonsense) WHERE execution = 'x'")
        #expect(try stage.runs().map(\.key.id.text) == ["z", "y"])
        #expect(try stage.store.reader.dueRuns(after: .first, limit: 2).map(\.key.id.text) == ["y", "z"])
        try Self.repair(stage)
        #expect(try stage.store.writer.database.integer("SELECT count(*) FROM run") == 2)
    }

    @Test("an execution of before the limits of today is read, however long it is")
    func earlier() throws {
        let stage = try Self.stage()
        let long = Execution(
            id: ExactName("old"), listensTo: [ExactName("a")],
            condition: .any((0..<3_000).map { .value("counter \($0)", Matcher(.eq, .int(Int64($0)))) } + [.always]),
            action: .notify, keepAlive: true)
        stage.changes.rows.append(
            .counters(
                .putExecution(
                    AddedExecution(
                        key: ExecutionKey(scope: stage.scope, id: long.id), execution: long, addedAt: stage.now))))
        try stage.commit()
        try stage.startAnew()
        #expect(try stage.trigger("a").sorted() == ["old", "x", "y", "z"])
        #expect(Self.unreadable(stage).isEmpty)
    }
}
