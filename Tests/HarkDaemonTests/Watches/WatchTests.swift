import Glibc
import HarkCore
import HarkSystem
import HarkTesting
import HarkWire
import Testing

@testable import HarkDaemon
@testable import HarkLedger
@testable import HarkStore

/// An event that has not come for a while.
@Suite(.timeLimit(.minutes(45))) struct WatchTests {
    private static let hour = 3_600.0
    private static let backup = #"{"id":"backup","everySeconds":93600,"where":"exitCode = 0"}"#

    private static func run(
        _ body: @escaping @DaemonActor @Sendable (DaemonFixture) async throws -> Void
    ) async throws {
        try await DaemonFixture.run(configuration: #"{"notify":null,"archive":false}"#, body)
    }

    @Test("it is told once that an event has not come, and once that it has come again, over restarts")
    func course() async throws {
        try await Self.run { fixture in
            var client = try fixture.connect()
            let added = try await client.call("watch.add", Self.backup)
            #expect(added["replaced"] == false && added["watch"]?["dueAt"] != nil)
            fixture.clock.advance(seconds: 20 * Self.hour)
            try await client.backUp(exitCode: 0)
            fixture.clock.advance(seconds: 20 * Self.hour)
            #expect(try await fixture.told() == [])
            // One that failed is none.
            try await client.backUp(exitCode: 1)
            fixture.clock.advance(seconds: 5.9 * Self.hour)
            #expect(try await fixture.told() == [])
            fixture.clock.advance(seconds: 0.2 * Self.hour)
            let missed = try await fixture.told()
            #expect(missed.map(\.name) == ["watch.missed"])
            let properties = try #require(missed.first?.properties)
            #expect(properties["watch"] == "backup" && properties["event"] == "backup")
            #expect(properties["everySeconds"] == 93_600 && properties["silentSeconds"] == 93_960)
            #expect(properties["lateSeconds"] == 360 && properties["lastSeq"] != nil)
            fixture.clock.advance(seconds: 100 * Self.hour)
            #expect(try await fixture.told().count == 1, "once a miss")
            let listed = try await client.watch()
            #expect(listed["missedAt"] != .null && listed["dueAt"] == .null && listed["misses"] == 1)

            try await fixture.restart()
            client = try fixture.connect()
            #expect(try await fixture.told().count == 1)
            try await client.backUp(exitCode: 1)
            #expect(try await fixture.told().count == 1)
            try await client.backUp(exitCode: 0)
            #expect(try await fixture.told().map(\.name) == ["watch.missed", "watch.recovered"])
            #expect(try await fixture.told().last?.properties["missedSeconds"] == 360_000)
            try await client.backUp(exitCode: 0)
            try await fixture.restart()
            client = try fixture.connect()
            #expect(try await fixture.told().count == 2)
            #expect(try await client.watch()["missedAt"] == .null)
            fixture.clock.advance(seconds: 27 * Self.hour)
            #expect(try await fixture.told().count == 3)
            try await client.call("watch.remove", #"{"id":"backup"}"#)
            fixture.clock.advance(seconds: 27 * Self.hour)
            try await client.backUp(exitCode: 0)
            #expect(try await fixture.told().count == 3)
        }
    }

    @Test("a hundred watches for an event of many properties: each counts by its own condition")
    func many() async throws {
        try await Self.run { fixture in
            let client = try fixture.connect()
            let properties = (0..<8_000).map { #""p\#($0)":\#($0)"# }.joined(separator: ",")
            for number in 0..<100 {
                try await client.call(
                    "watch.add",
                    #"{"id":"w\#(number)","event":"big","everySeconds":60,"where":"p\#(number) = \#(number / 2 * 2)"}"#)
            }
            try await client.call("event.record", #"{"name":"big","properties":{\#(properties)}}"#)
            let watches = try await client.call("watch.list", "{}")["watches"]?.arrayValue ?? []
            let told = watches.filter { $0["lastSeq"]?.intValue != nil }.compactMap { $0["id"]?.stringValue }
            #expect(Set(told) == Set((0..<50).map { "w\(2 * $0)" }))
        }
    }

    @Test("what came about while the daemon did not run is told at its start; the machine's time off counts")
    func off() async throws {
        try await Self.run { fixture in
            var client = try fixture.connect()
            try await client.call("watch.add", Self.backup)
            try await client.backUp(exitCode: 0)
            await fixture.daemon.stop()
            fixture.clock.set(fixture.clock.now.adding(milliseconds: 30 * 3_600_000))
            try await fixture.restart()
            #expect(try await fixture.told().first?.properties["lateSeconds"] == 14_400)
            // It has come, and the daemon ended before that was told.
            client = try fixture.connect()
            fixture.daemon.watches.end()
            try await client.backUp(exitCode: 0)
            #expect(try await fixture.names() == ["watch.missed"])
            try await fixture.restart()
            #expect(try await fixture.told().map(\.name) == ["watch.missed", "watch.recovered"])
        }
    }

    @Test("a clock that is set while the daemon runs makes nothing late, neither at once nor after a restart")
    func clockSet() async throws {
        for days in [2, 300, -20] as [Int64] {
            try await Self.run { fixture in
                let client = try fixture.connect()
                try await client.call("watch.add", Self.backup)
                fixture.clock.advance(seconds: 20 * Self.hour)
                fixture.clock.jump(days: days)
                #expect(try await fixture.told() == [], "\(days)")
                try await fixture.restart()
                #expect(try await fixture.told() == [], "\(days)")
                fixture.clock.advance(seconds: 5 * Self.hour)
                #expect(try await fixture.told() == [], "\(days)")
                fixture.clock.advance(seconds: 2 * Self.hour)
                #expect(try await fixture.told().count == 1, "\(days)")
            }
        }
    }

    @Test("a time off that is not believed counts once it is")
    func doubtedTimeOff() async throws {
        try await Self.run { fixture in
            let client = try fixture.connect()
            try await client.call("watch.add", Self.backup)
            try await client.call("watch.add", #"{"id":"heartbeat","everySeconds":93600}"#)
            fixture.clock.advance(seconds: 1)
            await fixture.daemon.stop()
            fixture.clock.jump(days: 30)
            try await fixture.restart()
            #expect(try await fixture.told() == [])
            try await fixture.connect().call("event.record", #"{"name":"heartbeat"}"#)
            fixture.clock.setSynchronized(true)
            #expect(try await fixture.told().map { $0.properties["watch"] } == ["backup"])
        }
    }

    @Test("adding the same again goes on counting, and waiting for something else begins anew")
    func again() async throws {
        try await Self.run { fixture in
            let client = try fixture.connect()
            try await client.call("watch.add", Self.backup)
            fixture.clock.advance(seconds: 20 * Self.hour)
            let same = try await client.call("watch.add", Self.backup)
            #expect(same["replaced"] == true)
            let longer = #"{"id":"backup","everySeconds":100000,"where":{"exitCode":0}}"#
            try await client.call("watch.add", longer)
            fixture.clock.advance(seconds: 7.5 * Self.hour)
            #expect(try await fixture.told() == [])
            fixture.clock.advance(seconds: 0.5 * Self.hour)
            #expect(try await fixture.told().count == 1)
            try await client.call("watch.add", #"{"id":"backup","event":"dump","everySeconds":93600}"#)
            #expect(try await client.watch()["missedAt"] == .null)
            fixture.clock.advance(seconds: 25 * Self.hour)
            #expect(try await fixture.told().count == 1)
        }
    }

    @Test("only events of the app and about the user that are named count")
    func scope() async throws {
        try await Self.run { fixture in
            let client = try fixture.connect()
            try await client.call("watch.add", #"{"id":"tap","everySeconds":60,"app":"kiosk","userId":"ada"}"#)
            func tap(_ params: String) async throws -> JSONValue? {
                fixture.clock.advance(seconds: 40)
                try await client.call("event.record", params)
                return try await client.watch()["lastSeq"]
            }
            #expect(try await tap(#"{"name":"tap","userId":"ada"}"#) == .null)
            #expect(try await tap(#"{"name":"tap","app":"kiosk"}"#) == .null)
            #expect(try await fixture.told().map(\.name) == ["watch.missed"])
            #expect(try await fixture.told().first?.app == "kiosk")
            try await client.call("session.start", #"{"userId":"ada","app":"kiosk"}"#)
            #expect(try await tap(#"{"name":"tap","app":"kiosk"}"#) != .null)
            #expect(try await fixture.told().count == 2)
        }
    }

    @Test(
        "a clear of everything takes watches along, one of a user those for that user's events, one of a session none")
    func clear() async throws {
        try await Self.run { fixture in
            var client = try fixture.connect()
            try await client.call("watch.add", Self.backup)
            try await client.call("watch.add", #"{"id":"ada","everySeconds":60,"userId":"ada"}"#)
            try await client.backUp(exitCode: 0)
            try await client.call("event.clear", #"{"userId":null}"#)
            #expect(try await client.ids() == ["ada", "backup"])
            try await client.call("event.clear", #"{"userId":"ada"}"#)
            #expect(try await client.ids() == ["backup"])
            try await fixture.restart()
            client = try fixture.connect()
            #expect(try await client.ids() == ["backup"])
            // Asked for while the store does not know of the clear yet.
            try client.send(
                """
                {"id":1,"method":"event.clear","params":{"all":true}}
                {"id":2,"method":"watch.add","params":{"id":"new","everySeconds":60}}

                """)
            for _ in 1...2 { _ = try await client.reply() }
            #expect(try await client.ids() == ["new"])
            try await fixture.restart()
            #expect(try await fixture.connect().ids() == ["new"])
        }
    }

    @Test("there is a bound on how many, on their conditions, and on what can be watched")
    func bounds() async throws {
        try await Self.run { fixture in
            let client = try fixture.connect()
            func refusal(_ params: String) async throws -> JSONValue? {
                try await client.ask("watch.add", params)["error"]?["data"]
            }
            #expect(
                try await refusal(#"{"id":"a","event":"watch.missed","everySeconds":60}"#)?["path"] == "$.params.event")
            #expect(try await refusal(#"{"id":"a","everySeconds":0.5}"#)?["path"] == "$.params.everySeconds")
            #expect(try await refusal(#"{"id":"","everySeconds":60}"#)?["path"] == "$.params.id")
            #expect(try await refusal(#"{"id":"a","everySeconds":60,"where":"b >"}"#)?["path"] == "$.params.where")
            let long = String(repeating: "x", count: 5_000)
            let large = try await refusal(#"{"id":"a","everySeconds":60,"where":{"b":"\#(long)"}}"#)
            #expect(large?["reason"] == "tooLarge")
            let search = #""where":"b contains \"x\"""#
            for number in 1...5 {
                try await client.call("watch.add", #"{"id":"s\#(number)","event":"a","everySeconds":60,\#(search)}"#)
            }
            #expect(
                try await refusal(#"{"id":"s6","event":"a","everySeconds":60,\#(search)}"#)?["path"] == "$.params.where"
            )
            for number in 6...100 { try await client.call("watch.add", #"{"id":"s\#(number)","everySeconds":60}"#) }
            #expect(try await refusal(#"{"id":"one more","everySeconds":60}"#)?["path"] == "$.params.id")
            try await client.call("watch.add", #"{"id":"s7","everySeconds":90}"#)
            var ids: [JSONValue?] = []
            var after: JSONValue = .null
            repeat {
                let page = try await client.call("watch.list", #"{"limit":30,"after":\#(after)}"#)
                ids += (page["watches"]?.arrayValue ?? []).map { $0["id"] }
                after = page["next"] ?? .null
            } while after != .null
            #expect(ids.count == 100 && Set(ids.compactMap { $0?.stringValue }).count == 100)
            fixture.clock.advance(seconds: 100)
            #expect(try await fixture.told(limit: 1_000).count == 100)
        }
    }

    @Test("an alarm comes also where its user may open no more sessions")
    func noRoom() async throws {
        try await Self.run { fixture in
            let client = try fixture.connect()
            try await client.call("watch.add", #"{"id":"tap","everySeconds":60}"#)
            try fixture.daemon.ledger.decide { engine, _, _ in
                engine.admit(Amount(count: Limits.appsPerUser), .apps, of: getuid())
            }
            let refused = try await client.ask("event.record", #"{"name":"x"}"#)
            #expect(refused["error"]?["data"]?["reason"] == "tooLarge")
            fixture.clock.advance(seconds: 100)
            #expect(try await fixture.told().count == 1)
        }
    }

    @Test("whichever commit is refused, each miss and each return is told once")
    func refusals() async throws {
        var number = 1
        while try await Self.live(refusing: number) { number += 1 }
        #expect(number > 5)
    }

    /// - Returns: Whether there were that many commits.
    private static func live(refusing number: Int) async throws -> Bool {
        let commit = NthCommit(number)
        try await run { fixture in
            let client = try fixture.connect()
            try await eventually("all is quiet") { fixture.daemon.ledger.isSettled }
            commit.install(in: fixture.daemon.ledger.store)
            func insist(_ method: String, _ params: String) async throws {
                while try await client.ask(method, params)["result"] == nil { await earlierJobs() }
            }
            try await insist("watch.add", backup)
            try await insist("event.record", #"{"name":"backup","properties":{"exitCode":0}}"#)
            for round in 1...2 {
                fixture.clock.advance(seconds: 27 * hour)
                try await fixture.settleWatches()
                #expect(try await fixture.told().count == 2 * round - 1, "commit \(number)")
                try await insist("event.record", #"{"name":"backup","properties":{"exitCode":0}}"#)
                try await fixture.settleWatches()
                #expect(try await fixture.told().count == 2 * round, "commit \(number)")
            }
            try await fixture.restart()
            #expect(try await fixture.told().count == 4, "commit \(number)")
        }
        return commit.isRefused
    }

    @Test("a watch that cannot be read is passed over, told, and removed by daemon.repair")
    func unreadable() async throws {
        try await Self.run { fixture in
            var client = try fixture.connect()
            try await client.call("watch.add", Self.backup)
            try await client.call("watch.add", #"{"id":"tap","everySeconds":60}"#)
            try Database(path: fixture.daemon.ledger.store.path, access: .write)
                .execute("UPDATE watch SET condition = x'ff' WHERE id = 'backup'")
            try await fixture.restart()
            client = try fixture.connect()
            #expect(try await client.ids() == ["tap"])
            #expect(try await client.call("daemon.status")["store"]?["unreadable"] == 1)
            #expect(try await client.call("daemon.repair")["removed"] == 1)
            try await client.call("watch.add", Self.backup)
            #expect(try await client.ids() == ["backup", "tap"])
        }
    }
}
