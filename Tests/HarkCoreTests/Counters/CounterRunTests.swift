import HarkCore
import HarkWire
import Testing

/// Counters that follow the run of their app (row C1).
@Suite struct CounterRunTests {
    private static let first = CounterHolder.connection(1, run: 1)
    private static let second = CounterHolder.connection(2, run: 1)
    private static let process = CounterHolder.process(ProcessIdentity(pid: 7, startedAt: 99, boot: "b"))

    @Test(
        "C1: a session counter goes back when the last connection or process that has joined its run is gone",
        arguments: [CounterLifetime.session, .instance], [true, false])
    func last(_ lifetime: CounterLifetime, isLoaded: Bool) throws {
        var stage = Stage()
        #expect(try stage.register("c", 5, lifetime, holder: Self.first).isFirst)
        try stage.trigger("c")
        #expect(try !stage.register("c", 8, lifetime, holder: Self.process).isFirst)
        #expect(try !stage.register("c", 8, lifetime, holder: Self.first).isFirst)
        #expect(stage.value("c") == 6)
        if !isLoaded { stage.restart() }
        stage.endRun(of: Self.first)
        #expect(stage.value("c") == 6)
        stage.endRun(of: Self.second)
        #expect(stage.value("c") == 6)
        stage.endRun(of: Self.process)
        #expect(stage.value("c") == 5)
        if !isLoaded { stage.restart() }
        #expect(stage.value("c") == 5)
    }

    @Test("C1: nothing looks at the end of a run, and the next registration counts, with another initial value")
    func next() throws {
        var stage = Stage()
        try stage.register("c", 5, .session, holder: Self.first)
        try stage.add(.sample("x", "c", keepAlive: true))
        stage.endRun(of: Self.first)
        #expect(stage.runs.isEmpty)
        #expect(try stage.register("c", 7, .session, holder: Self.second).isFirst)
        #expect(stage.value("c") == 7)
        try stage.trigger("c")
        stage.endRun(of: Self.first)
        #expect(stage.value("c") == 8)
        stage.endRun(of: Self.second)
        #expect(try stage.register("c", 1, .session).isFirst, "the daemon's run is one as well")
        stage.endRun(of: Self.second)
        #expect(stage.value("c") == 1)
    }

    @Test("C1: a restart of the daemon ends connections and no processes")
    func restarts() throws {
        var stage = Stage()
        try stage.register("connection", 5, .session, holder: Self.first)
        try stage.register("process", 5, .session, holder: Self.process)
        try stage.register("both", 5, .session, holder: Self.process)
        try stage.register("both", 5, .session, holder: Self.first)
        try stage.register("daemon", 5, .session)
        for name in ["connection", "process", "both", "daemon"] { try stage.trigger(name) }
        stage.startDaemonAnew()
        #expect(stage.values() == ["connection": 5, "process": 6, "both": 6, "daemon": 5])
        #expect(try !stage.register("process", 1, .session).isFirst)
        #expect(try stage.register("connection", 1, .session, holder: .connection(1, run: 2)).isFirst)
        stage.endRun(of: Self.process)
        #expect(stage.values() == ["connection": 1, "process": 5, "both": 5, "daemon": 5])
    }

    @Test("C1: an 'app' counter, and one that is known in this run of the daemon, take no run of an app")
    func others() throws {
        var stage = Stage()
        try stage.register("c", 5, .session)
        try stage.trigger("c")
        #expect(try !stage.register("c", 5, .session, holder: Self.first).isFirst)
        stage.endRun(of: Self.first)
        #expect(stage.value("c") == 6)
    }

    @Test("holders come back as they were packed")
    func packing() {
        let unseen = CounterHolder.process(ProcessIdentity(pid: 8, startedAt: nil, boot: ""))
        for holders in [[], [Self.first], [Self.process, unseen, Self.second]] {
            #expect(CounterHolder.read(packed: CounterHolder.packed(holders)) == holders)
        }
        #expect(CounterHolder.read(packed: [9]) == nil)
    }
}
