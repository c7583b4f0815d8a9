import HarkWire
import Testing

@testable import HarkCore

@Suite("Which counters and executions are held in memory") struct CounterBookTests {
    private static let long = String(repeating: "v", count: 65_000)

    /// Half a megabyte, by a few large counters.
    static func fill(_ stage: inout Stage, _ scope: Scope) throws {
        for number in 0..<8 {
            try stage.register("c\(number)", .string(Self.long), in: scope)
        }
    }

    static func scope(_ number: Int) -> Scope { Scope(uid: Stage.uid, app: "app\(number)") }

    /// Two users share the counters, as one alone may not keep that many.
    static func crowded(_ number: Int) -> Scope { Scope(uid: Stage.uid + UInt32(number % 2), app: "app\(number)") }

    @Test("a scope with changes that are not committed, or that is watched, is never dropped; others make room")
    func scopes() throws {
        var stage = Stage()
        stage.commitsEachStep = false
        for number in 0..<50 { try Self.fill(&stage, Self.crowded(number)) }
        #expect((0..<50).allSatisfy { stage.engine.counters.isLoaded(Self.crowded($0)) })
        stage.commit()
        stage.engine.watchCounters(of: Self.crowded(7))
        for number in 50..<60 { try stage.register("small", in: Self.crowded(number)) }
        let loaded = (0..<50).filter { stage.engine.counters.isLoaded(Self.crowded($0)) }
        #expect(loaded.count <= 20)
        #expect(loaded.contains(7))
        stage.engine.unwatchCounters(of: Self.crowded(7))
        for number in 0..<50 {
            #expect(stage.values(in: Self.crowded(number)).count == 8)
        }
        #expect((0..<60).count { stage.engine.counters.isLoaded(Self.crowded($0)) } < 45)
    }

    @Test("a clear ends the sessions of those scopes, too, whose counters are in memory and whose sessions are not")
    func clearOfForgottenSession() throws {
        var stage = Stage()
        let scopes = (0..<20).map(Self.scope)
        for scope in scopes {
            try stage.startSession("ada", in: scope)
            try stage.register("c", 0, .instance, in: scope)
            try stage.trigger("c", in: scope)
        }
        for number in 0..<SessionBook.capacity + 10 {
            stage.disk.bring(.countedScope(Scope(uid: 7, app: "app\(number)")), to: &stage.engine)
        }
        #expect(scopes.contains { !stage.engine.sessions.isLoaded($0) && stage.engine.counters.isLoaded($0) })
        stage.clear(.user("ada"))
        for scope in scopes { #expect(stage.value("c", in: scope) == 0) }
    }

    @Test("C5: who listens elsewhere is not loaded, and what is not committed yet counts all the same")
    func listeners() throws {
        var stage = Stage()
        try stage.register("c")
        try stage.register("d")
        try stage.add(.sample("stored", "c", keepAlive: true))
        try stage.add(.sample("elsewhere", "d", keepAlive: true))
        try stage.add(.sample("moved", "c", keepAlive: true))
        try stage.add(.sample("removed", "c", keepAlive: true))
        stage.restart()
        stage.commitsEachStep = false
        stage.now = stage.now.adding(milliseconds: 1)
        try stage.remove("removed")
        try stage.add(.sample("new", "c", keepAlive: true))
        #expect(!stage.engine.executions.isKnown(ExecutionKey(scope: stage.scope, id: ExactName("elsewhere"))))
        try stage.add(.sample("moved", "d", keepAlive: true))
        #expect(try stage.trigger("c") == ["stored", "new"])
        #expect(try stage.trigger("d") == ["elsewhere", "moved"])
        stage.commit()
        #expect(try stage.trigger("c") == ["stored", "new"])
        stage.restart()
        #expect(try stage.trigger("d") == ["elsewhere", "moved"])
    }

    @Test("of many executions only those that were needed last are remembered, and each list has all of its own")
    func manyExecutions() throws {
        let scope = Scope(uid: Stage.uid)
        let lists = 3 * ExecutionBook.capacity / 40
        func listeners(_ list: Int) -> [AddedExecution] {
            (0..<40).map { number in
                AddedExecution(
                    key: ExecutionKey(scope: scope, id: ExactName("x\(list)-\(number)")),
                    execution: .sample("x\(list)-\(number)", "c\(list)", keepAlive: true),
                    addedAt: Stage.start.adding(milliseconds: Int64(number)))
            }
        }
        var stage = Stage()
        for list in 0..<lists {
            let counter = ExactName("c\(list)")
            let wasThere = stage.engine.executions.useListeners(to: .counter(counter), in: scope)
            #expect(!wasThere)
            stage.engine.admit(listeners(list), listeningTo: .counter(counter), in: scope)
            let found = stage.engine.executions.listeners(to: .counter(counter), in: scope).map(\.key)
            #expect(found == listeners(list).map(\.key))
            // This one is needed again and again.
            let isThere = stage.engine.executions.useListeners(to: .counter(ExactName("c0")), in: scope)
            #expect(isThere)
        }
        func known(_ list: Int) -> Int { listeners(list).count { stage.engine.executions.isKnown($0.key) } }
        #expect(known(0) == 40 && known(lists - 1) == 40 && known(1) == 0)
        let isThere = stage.engine.executions.useListeners(to: .counter(ExactName("c1")), in: scope)
        #expect(!isThere)
        #expect((0..<lists).reduce(0) { $0 + known($1) } <= 2 * ExecutionBook.capacity)
    }
}
