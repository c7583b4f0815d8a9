import HarkCore
import HarkTesting
import HarkWire
import Testing

@testable import HarkStore

@Suite struct StoredCounterTests {
    static let kiosk = Scope(uid: 1000, app: "kiosk")
    static let stranger = Scope(uid: 2000)

    @Test("C1 C2: counters come back as they were, with values of every kind, changed and unchanged")
    func roundTrip() throws {
        let stage = try CounterStage()
        let values: [String: JSONValue] = [
            "int": 7, "double": 7.0, "text": "snö\0", "list": [1, [nil]], "object": ["a": ["b": 2.5]], "null": nil,
            "": true,
        ]
        for (name, value) in values {
            try stage.register("initial-\(name)", value)
            try stage.register("set-\(name)", "before")
            try stage.set("set-\(name)", value)
        }
        let expected = Dictionary(
            uniqueKeysWithValues: values.flatMap { [("initial-\($0.key)", $0.value), ("set-\($0.key)", $0.value)] })
        for _ in 0..<2 {
            #expect(try stage.values() == expected)
            stage.forget()
        }
        try stage.startAnew()
        #expect(try stage.values() == expected)
        #expect(try stage.values(in: Self.kiosk) == [:])
    }

    @Test("C1: another run of the daemon forgets session counters; runs in which nothing is counted need no number")
    func runs() throws {
        let stage = try CounterStage()
        for lifetime in CounterLifetime.allCases {
            try stage.register(lifetime.word, 0, lifetime)
            try stage.trigger(lifetime.word)
        }
        #expect(try stage.store.writer.lastRun() == 1)
        try stage.startAnew()
        try stage.startAnew()
        #expect(try stage.store.writer.lastRun() == 1)
        #expect(try stage.values() == ["instance": 1, "session": 0, "app": 1])
        try stage.trigger("session")
        #expect(try stage.store.writer.lastRun() == 2)
        stage.forget()
        #expect(try stage.values()["session"] == 1)
        try stage.startAnew()
        #expect(try stage.values()["session"] == 0)
    }

    @Test(
        "C1: instance counters that are not in memory are reset in the file: by the end of the session, and by clears")
    func instances() throws {
        for end: (CounterStage) throws -> Void in [
            { try $0.endSession() }, { try $0.startSession("bob") }, { try $0.clear(.user("ada")) },
            { try $0.clear(.user("ada"), uid: 1000) },
        ] {
            let stage = try CounterStage()
            for scope in [stage.scope, Self.kiosk, Self.stranger] {
                try stage.startSession(scope == stage.scope ? "ada" : "eve", in: scope)
                for lifetime in CounterLifetime.allCases {
                    try stage.register(lifetime.word, 0, lifetime, in: scope)
                    try stage.trigger(lifetime.word, in: scope)
                }
            }
            stage.forget()
            try end(stage)
            stage.forget()
            #expect(try stage.values() == ["instance": 0, "session": 1, "app": 1])
            for scope in [Self.kiosk, Self.stranger] {
                #expect(try stage.values(in: scope) == ["instance": 1, "session": 1, "app": 1])
            }
        }
    }

    @Test("C5: those who listen are found by their counter, whatever was replaced or removed before")
    func listeners() throws {
        let stage = try CounterStage()
        for name in ["a", "b"] { try stage.register(name) }
        try stage.add("x", "a", "b", when: .value("a", Matcher(.gte, 2)))
        try stage.add("y", "a")
        try stage.add("z", "b", keepAlive: false)
        try stage.add("other", "a", in: Self.kiosk)
        try stage.add("y", "b")
        stage.forget()
        #expect(try stage.trigger("a") == [])
        #expect(try stage.trigger("a") == ["x"])
        #expect(try stage.trigger("b") == ["x", "z", "y"])
        try stage.startAnew()
        #expect(try stage.trigger("b") == ["x", "y"])
        try stage.remove("x")
        stage.forget()
        #expect(try stage.trigger("b") == ["y"])
        #expect(try stage.trigger("a") == [])
        let database = stage.store.writer.database
        #expect(try database.integer("SELECT count(*) FROM listening") == 2)
        let kept = try #require(try stage.executions().first { $0.key.id.text == "y" })
        #expect(kept.state.fired == 3 && kept.state.lastFiredAt == stage.now)
    }

    @Test("a clear of all takes counters, executions and runs of its uid out of the file")
    func removal() throws {
        let stage = try CounterStage()
        for scope in [stage.scope, Self.kiosk, Self.stranger] {
            try stage.register("c", in: scope)
            try stage.add("x", "c", in: scope)
            try stage.trigger("c", in: scope)
        }
        try stage.clear(.all, uid: 1000)
        for table in ["counter", "execution", "run", "listening"] {
            #expect(try stage.store.writer.database.integer("SELECT count(*) FROM \(table)") == 1, "\(table)")
        }
        try stage.clear(.all)
        for table in ["counter", "execution", "run", "listening"] {
            #expect(try stage.store.writer.database.integer("SELECT count(*) FROM \(table)") == 0, "\(table)")
        }
    }

    @Test("scopes that have counters are told a page at a time")
    func scopes() throws {
        let stage = try CounterStage()
        var expected: [Scope] = []
        for uid: UInt32 in [0, 5, 1000] {
            for app in ["a", "b", "ö"] {
                let scope = Scope(uid: uid, app: app)
                expected.append(scope)
                for name in ["c", "d"] { try stage.register(name, in: scope) }
            }
        }
        var found: [Scope] = []
        while true {
            let page = try stage.store.reader.scopesWithCounters(after: found.last, limit: 2)
            if page.isEmpty { break }
            found += page
        }
        #expect(found == expected)
    }

    @Test("an engine that has to read everything again at each step does as one that remembers", arguments: 0..<40)
    func coldAndWarm(seed: UInt64) throws {
        var random = SplitMix64(state: seed)
        let cold = try CounterStage()
        let warm = try CounterStage()
        let scopes = [cold.scope, Self.kiosk, Self.stranger]
        for _ in 0..<60 {
            let scope = scopes.randomElement(using: &random)!
            let name = ["a", "b"].randomElement(using: &random)!
            let other = ["a", "b"].randomElement(using: &random)!
            let lifetime = CounterLifetime.allCases.randomElement(using: &random)!
            let (number, kind) = (Int64.random(in: 0...3, using: &random), Int.random(in: 0..<20, using: &random))
            let keepAlive = Bool.random(using: &random)
            let said = try [cold, warm].map { stage -> [String]? in
                switch kind {
                case 0..<3: try stage.register(name, .int(number), lifetime, in: scope)
                case 3..<9: return try? stage.trigger(name, in: scope)
                case 9..<11: return try? stage.set(name, .int(number), in: scope)
                case 11..<14:
                    try stage.add(
                        "x\(number)", name, other, when: .value(other, Matcher(.gte, .int(number))),
                        keepAlive: keepAlive, in: scope)
                case 14: try? stage.remove("x\(number)", in: scope)
                case 15: try stage.startSession(keepAlive ? "ada" : nil, in: scope)
                case 16: try stage.endSession(in: scope)
                case 17: try stage.clear(.user("ada"))
                case 18: try stage.startAnew()
                default: if number == 0 { try stage.clear(.all, uid: 1000) }
                }
                return nil
            }
            #expect(said[0] == said[1], "seed \(seed)")
            cold.forget()
            for scope in scopes { #expect(try cold.values(in: scope) == warm.values(in: scope), "seed \(seed)") }
            cold.forget()
        }
    }
}
