import Foundation
import HarkCore
import HarkDelivery
import HarkFleet
import HarkSystem
import HarkTesting
import HarkWire
import Testing

@testable import HarkDaemon
@testable import HarkHub
@testable import HarkLedger

/// Clears of machines, on the hub.
@Suite(.timeLimit(.minutes(45))) struct FleetClearTests {
    /// The users, or apps, whose sessions of machines the hub has.
    @DaemonActor
    private static func users(_ stage: FleetStage, of machine: String = "kiosk-1") throws -> Set<String> {
        let records = try stage.hub.storedRecords().filter {
            $0.session.machine?.name == machine && !$0.session.isForLogs
        }
        return Set(records.map { $0.session.userId ?? "-" })
    }

    @DaemonActor
    private static func live(_ fixture: DaemonFixture) async throws {
        let client = try fixture.connect()
        for user in ["ada", "bob", "eve"] {
            try await client.call("session.start", #"{"userId":"\#(user)"}"#)
            try await client.call("event.record", #"{"name":"x"}"#)
        }
        try await client.call("session.start", #"{"userId":null}"#)
        try await client.call("event.record", #"{"name":"x"}"#)
    }

    /// The events by which the hub tells of clears.
    @DaemonActor
    private static func told(_ stage: FleetStage, _ count: Int) async throws -> [JSONValue] {
        let client = try stage.hub.connect()
        try await client.wait(for: "event.list", #"{"name":"fleet.clear"}"#) {
            $0["events"]?.arrayValue?.count == count
        }
        return try await client.call("event.list", #"{"name":"fleet.clear"}"#)["events"]?.arrayValue?.compactMap {
            $0["properties"]
        } ?? []
    }

    @Test(
        "a hub that follows clears removes the showings of that user as well, which outlast their sessions, and no other's"
    )
    func showings() async throws {
        let surveys = """
            {"surveys":[{"id":"opinion","title":"t","message":"m","oncePerSession":false,"response":{"type":"text"},
            "trigger":{"event":{"name":"ask"}}}]}
            """
        try await FleetStage.run([FleetStage.Kiosk(surveys: surveys)], hub: #","followClears":true"#) { stage in
            let client = try stage.machine.connect()
            for user in ["ada", "bob"] {
                try await client.call("session.start", #"{"userId":"\#(user)"}"#)
                try await client.call("event.record", #"{"name":"ask"}"#)
                let id = try await client.call("survey.present")["survey"]?["presentationId"]?.stringValue ?? ""
                try await client.call("survey.answer", #"{"presentationId":"\#(id)","text":"of \#(user)"}"#)
            }
            try await stage.settle()
            let hub = try stage.hub.connect()
            func answers() async throws -> Set<String> {
                let all = try await hub.call("survey.history")["presentations"]?.arrayValue ?? []
                return Set(all.compactMap { $0["answers"]?["text"]?.stringValue })
            }
            try await eventually("both are there") { try await answers() == ["of ada", "of bob"] }
            try await client.call("event.clear", #"{"userId":"bob"}"#)
            try await stage.settle()
            _ = try await Self.told(stage, 1)
            #expect(try await answers() == ["of ada"])
        }
    }

    @Test("a hub that does not follow clears keeps all, and tells of each")
    func off() async throws {
        try await FleetStage.run { stage in
            try await Self.live(stage.machine)
            try await stage.settle()
            let client = try stage.machine.connect()
            try await client.call("event.clear", #"{"userId":"bob"}"#)
            try await client.call("event.clear", #"{"all":true}"#)
            try await stage.settle()
            let told = try await Self.told(stage, 2)
            #expect(told[0] == ["machine": "kiosk-1", "target": "user", "followed": false])
            #expect(told[1] == ["machine": "kiosk-1", "target": "all", "followed": false])
            #expect(try Self.users(stage) == ["ada", "bob", "eve", "-"])
        }
    }

    @Test("what waits to be cleared is told with whom it means, and no more once it is gone; nobody unknown is named")
    func waiting() async throws {
        try await FleetStage.run { stage in
            try await Self.live(stage.machine)
            try await stage.settle()
            let client = try stage.machine.connect()
            try await client.call("event.clear", #"{"userId":"nobody here"}"#)
            try await client.call("event.clear", #"{"userId":"bob"}"#)
            try await stage.settle()
            _ = try await Self.told(stage, 2)
            let clears = try await stage.hub.fleetStatus()["clears"]?.arrayValue ?? []
            #expect(clears.count == 1)
            #expect(clears.first?["machine"] == "kiosk-1" && clears.first?["target"] == "user")
            #expect(clears.first?["userId"] == "bob" && clears.first?["sessions"] == 1)
            // No user is named on the way, neither one that the hub knows nor another.
            let notices = try stage.hub.storedRecords().filter { $0.kind == .clear }
            #expect(notices.count == 2)
            for notice in notices {
                let text = String(decoding: notice.properties.bytes, as: UTF8.self)
                #expect(!text.contains("bob") && !text.contains("nobody"))
            }
            try await stage.hub.asker().call("event.clear", #"{"machine":"kiosk-1","userId":"bob"}"#)
            try await eventually("nothing waits") {
                try await stage.hub.fleetStatus()["clears"]?.arrayValue?.isEmpty == true
            }
            #expect(try Self.users(stage) == ["ada", "eve", "-"])
        }
    }

    @Test(
        "a hub that follows them removes what came before, of that user, session or machine alone, and tells how much")
    func on() async throws {
        let kiosks = [FleetStage.Kiosk(), FleetStage.Kiosk(name: "kiosk-2")]
        try await FleetStage.run(kiosks, hub: #","followClears":true"#) { stage in
            for machine in stage.machines { try await Self.live(machine) }
            try await stage.hub.record("own")
            try await stage.settle()
            let client = try stage.machine.connect()
            try await client.call("event.clear", #"{"userId":"bob"}"#)
            try await client.call("session.start", #"{"userId":"bob"}"#)
            try await client.call("event.record", #"{"name":"later"}"#)
            try await stage.settle()
            var told = try await Self.told(stage, 1)
            #expect(told[0] == ["machine": "kiosk-1", "target": "user", "followed": true, "sessions": 1])
            try await eventually("it is gone") {
                try stage.hub.storedRecords().count {
                    $0.session.machine?.name == "kiosk-1" && $0.session.userId == "bob"
                } == 2
            }
            let session = try #require(
                try stage.machine.storedRecords().first { $0.session.userId == "ada" }?.session.id)
            try await client.call("event.clear", #"{"sessionId":"\#(session)"}"#)
            try await client.call("event.clear", #"{"userId":null}"#)
            try await stage.settle()
            told = try await Self.told(stage, 3)
            #expect(Set(told.suffix(2).compactMap { $0["target"]?.stringValue }) == ["session", "user"])
            #expect(told.suffix(2).allSatisfy { $0["sessions"] == 1 && $0["followed"] == true })
            try await eventually("they are gone") { try Self.users(stage) == ["bob", "eve"] }
            try await client.call("event.clear", #"{"all":true}"#)
            try await stage.settle()
            _ = try await Self.told(stage, 4)
            try await eventually("all is gone") { try Self.users(stage).isEmpty }
            #expect(try Self.users(stage, of: "kiosk-2") == ["ada", "bob", "eve", "-"])
            #expect(try stage.hub.storedRecords().contains { $0.name == "own" })
            // Nothing cleared comes back, and later records are there.
            try await stage.hub.restart()
            try await stage.serves()
            try await client.call("session.start", #"{"userId":"new"}"#)
            try await stage.settle()
            #expect(try Self.users(stage) == ["new"])
        }
    }

    @Test("of a clear by one account, sessions of others stay")
    func accounts() async throws {
        try await FleetStage.run(hub: #","followClears":true"#) { stage in
            let ledger = stage.machine.daemon.ledger
            for uid: UInt32 in [1_001, 1_002] {
                let scope = Scope(uid: uid)
                let need = try ledger.need(toRecord: "x", in: scope)
                try await ledger.decide(needing: need) { engine, changes, now throws(WireError) in
                    try engine.record(
                        "x", properties: .none, in: scope, source: Source(uid: uid, pid: 1), now: now, into: &changes)
                }.stored()
            }
            try await ledger.decide { engine, changes, now in
                engine.recordClear(
                    Selection(target: .all, uid: 1_001, upToRow: .max), source: Source(uid: 1_001, pid: 1), now: now,
                    into: &changes)
            }.stored()
            try await stage.settle()
            let told = try await Self.told(stage, 1)
            #expect(told[0]["sessions"] == 1)
            try await eventually("it is gone") {
                try stage.hub.storedRecords().filter { $0.name == "x" }.map { $0.session.machineUID } == [1_002]
            }
        }
    }

    @Test("what was cleared before the hub had it never comes there, and the clear is told")
    func unsent() async throws {
        try await FleetStage.run(hub: #","followClears":true"#) { stage in
            try await stage.broker.kill()
            try await eventually("the machine knows") { try stage.machine.member().state == .connecting }
            try await Self.live(stage.machine)
            try await stage.machine.connect().call("event.clear", #"{"userId":"eve"}"#)
            try await stage.broker.start()
            try await stage.serves()
            try await stage.settle()
            #expect(try await Self.told(stage, 1)[0]["sessions"] == 0)
            #expect(try Self.users(stage) == ["ada", "bob", "-"])
            try stage.compare()
        }
    }
}
