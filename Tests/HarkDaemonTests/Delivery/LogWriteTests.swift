import HarkCore
import HarkDelivery
import HarkStore
import HarkSystem
import HarkTesting
import HarkWire
import Testing

@testable import HarkDaemon
@testable import HarkLedger

/// `log.write` and `log.device` (rows L1, L2).
@Suite(.timeLimit(.minutes(45))) struct LogWriteTests {
    @Test("L1: the reply tells where the line lies, whom it is about, and what was left out of it")
    func reply() async throws {
        try await DaemonFixture.run { daemon in
            let client = try daemon.connect()
            let long = String(repeating: "é", count: 5_001)
            let reply = try await client.call(
                "log.write",
                """
                {"message":"\(long)","level":"error","userId":"ada","metadata":{"a":"x","list":[1],"n":1.5,"none":null,\
                "object":{"b":1},"yes":true}}
                """)
            #expect(
                reply.objectValue?.keys == [
                    "id", "seq", "sessionId", "userId", "destinations", "truncated", "droppedMetadata",
                ])
            #expect(reply["seq"] == 1)
            #expect(reply["userId"] == "ada")
            #expect(reply["truncated"] == true)
            #expect(reply["droppedMetadata"] == ["list", "none", "object"])
            let record = try daemon.daemon.ledger.lookUp { reader throws(StoreError) in try reader.record(1) }
            let entry = try #require(record.flatMap(LogEntry.init))
            #expect(entry.message == long.prefix(4_997) + "...")
            #expect(reply["destinations"] == [])
            #expect(entry.level == .error)
            #expect(entry.metadata == Properties([("a", .string("x")), ("n", .double(1.5)), ("yes", .bool(true))]))
            #expect(record?.id.description == reply["id"]?.stringValue)
            #expect(record?.session.id.description == reply["sessionId"]?.stringValue)

            let short = try await client.call("log.write", #"{"message":"x"}"#)
            #expect(short.objectValue?.keys == ["id", "seq", "sessionId", "userId", "destinations"])
        }
    }

    @Test("what leaves the machine bears a new device id only once that is on disk")
    func committedDevice() async throws {
        try await DaemonFixture.run { fixture in
            let client = try fixture.connect()
            let delivery = fixture.daemon.delivery
            let first = try #require(try await client.call("log.device")["deviceId"]?.stringValue)
            try await eventually("the first is on disk") { delivery.deviceName.current == first }
            let hold = fixture.holdWriter()
            try client.send(#"{"id":1,"method":"log.device","params":{"reset":true}}"# + "\n")
            try await eventually("a new one is decided") { !fixture.daemon.ledger.isSettled }
            #expect(delivery.deviceName.current == first)
            hold.end()
            let second = try await client.reply()["result"]?["deviceId"]?.stringValue
            try await eventually("it is on disk") { delivery.deviceName.current == second }
        }
    }

    @Test("L1: the user is the one named, else a destination's default, else this device's id, which lasts")
    func user() async throws {
        func user(_ daemon: DaemonFixture, _ params: String = #"{"message":"x"}"#) async throws -> String? {
            try await daemon.connect().call("log.write", params)["userId"]?.stringValue
        }
        try await DaemonFixture.deliver { daemon, client, receiver in
            let device = try #require(try await user(daemon))
            #expect(Identifier(device) != nil)
            #expect(try await client.call("log.device")["deviceId"]?.stringValue == device)
            #expect(try await user(daemon, #"{"message":"x","userId":"ada"}"#) == "ada")
            try await daemon.restart()
            #expect(try await user(daemon) == device)

            let other = try daemon.connect()
            let reset = try #require(try await other.call("log.device", #"{"reset":true}"#)["deviceId"]?.stringValue)
            #expect(reset != device)
            #expect(try await user(daemon) == reset)
            try await daemon.restart()
            #expect(try await user(daemon) == reset)

            try await daemon.reload(
                destinations: "\(DaemonFixture.hook()), \(DaemonFixture.sensorcore(#","defaultUserId":"kiosk-7""#))")
            #expect(try await user(daemon) == "kiosk-7")
            #expect(try await user(daemon, #"{"message":"x","userId":"ada"}"#) == "ada")
            try await daemon.settle("core")
            #expect(receiver.requests.compactMap { $0.body?["user_id"]?.stringValue }.sorted() == ["ada", "kiosk-7"])
        }
    }

    @Test("L1: a new id of this device is what events without a user bear from then on")
    func resetForEvents() async throws {
        let settings = DaemonFixture.sensorcore(#","kinds":["event"]"#)
        try await DaemonFixture.deliver(to: settings) { daemon, client, receiver in
            let first = try await client.call("log.device")["deviceId"]?.stringValue
            try await client.call("event.record", #"{"name":"one"}"#)
            try await daemon.settle("core")
            let second = try await client.call("log.device", #"{"reset":true}"#)["deviceId"]?.stringValue
            try await client.call("event.record", #"{"name":"two"}"#)
            try await daemon.settle("core")
            #expect(receiver.requests.map { $0.body?["user_id"]?.stringValue } == [first, second])
        }
    }

    @Test("an id of this device that the store refuses again and again is told to nobody")
    func refusedDevice() async throws {
        try await DaemonFixture.run { fixture in
            let client = try fixture.connect()
            try fixture.refuse("INSERT ON meta WHEN NEW.key = 'deviceId'")
            for _ in 0..<2 {
                #expect(try await client.ask("log.device")["error"]?["data"]?["reason"] == "storeUnavailable")
            }
            try fixture.accept()
            let told = try await client.call("log.device")
            try await fixture.restart()
            #expect(try await fixture.connect().call("log.device") == told)
        }
    }

    @Test("after a commit that the store refused, events without a user bear the id of this device, not a former one")
    func resetBeforeRefusal() async throws {
        let settings = DaemonFixture.sensorcore(#","kinds":["event"]"#)
        try await DaemonFixture.deliver(to: settings) { fixture, client, receiver in
            try await client.call("log.device")
            let device = try await client.call("log.device", #"{"reset":true}"#)["deviceId"]?.stringValue
            try fixture.refuse("INSERT ON block")
            #expect(try await client.ask("event.record", #"{"name":"lost"}"#)["error"] != nil)
            try await fixture.recover()
            try await client.call("event.record", #"{"name":"kept"}"#)
            try await fixture.settle("core")
            #expect(receiver.requests.map { $0.body?["user_id"]?.stringValue } == [device])
        }
    }

    @Test("L1: the line arrives with its own time and level, and an event of that name triggers nothing")
    func arrival() async throws {
        try await DaemonFixture.deliver(to: DaemonFixture.sensorcore()) { daemon, client, receiver in
            try await client.call(
                "log.write", #"{"message":"Low","level":"warning","userId":"ada","metadata":{"a":1}}"#)
            try await daemon.settle("core")
            let request = try #require(receiver.requests.first)
            #expect(request.line == "POST /api/logs")
            #expect(request.headers["x-api-key"] == "secret-key-1")
            #expect(
                request.body == [
                    "content": "Low", "level": "warning", "user_id": "ada", "metadata": ["a": 1],
                    "created_at": "2100-01-01T00:00:00.000Z",
                ])
            #expect(try await client.call("event.list")["events"] == [])
        }
    }

    @Test(
        "what cannot be kept is refused with its place, and nothing is stored",
        arguments: [
            (#"{"message":""}"#, "invalidParams", "$.params.message"), ("{}", "invalidParams", "$.params.message"),
            (#"{"message":7}"#, "invalidParams", "$.params.message"),
            (#"{"message":"x","level":"fatal"}"#, "invalidParams", "$.params.level"),
            (#"{"message":"x","userId":""}"#, "invalidParams", "$.params.userId"),
            (#"{"message":"x","app":""}"#, "invalidParams", "$.params.app"),
            (#"{"message":"x","metadata":[]}"#, "invalidParams", "$.params.metadata"),
            (#"{"message":"x","confirm":true,"destination":"nowhere"}"#, "notFound", "$.params.destination"),
            (#"{"message":"x","confirm":1}"#, "invalidParams", "$.params.confirm"),
        ])
    func refused(_ params: String, _ reason: String, _ path: String) async throws {
        try await DaemonFixture.run { daemon in
            let error = try await daemon.connect().ask("log.write", params)["error"]
            #expect(error?["data"]?["reason"]?.stringValue == reason)
            #expect(error?["data"]?["path"]?.stringValue == path)
            #expect(daemon.daemon.ledger.committedSequence == 0)
        }
    }
}
