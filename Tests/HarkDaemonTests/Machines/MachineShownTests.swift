import Glibc
import HarkCore
import HarkDelivery
import HarkSystem
import HarkTesting
import HarkWire
import Testing

@testable import HarkDaemon
@testable import HarkSettings

/// Records of machines in lists, streams, the archive and at servers.
@Suite(.timeLimit(.minutes(45))) struct MachineShownTests {
    private static let configuration = #"{"archive":false,"notify":null,"retention":"none"}"#

    private static func kiosk(_ name: String = "kiosk-1", group: String? = "north") -> SampleMachine {
        var machine = SampleMachine(name, group: group)
        machine.session(uid: 1007)
        machine.add("tap", properties: Properties([("n", .integer(1))]))
        machine.log("Paper is out", level: .warning)
        return machine
    }

    @Test("events and log entries end with where they come from, the hub's own do not")
    func lists() async throws {
        try await DaemonFixture.run(configuration: Self.configuration) { fixture in
            let client = try fixture.connect()
            try await client.call("event.record", #"{"name":"own"}"#)
            try await fixture.take(Self.kiosk())
            try await fixture.take(Self.kiosk(#"a "machine""#, group: nil))
            let events = try #require(try await client.call("event.list")["events"]?.arrayValue)
            #expect(events.map { $0["name"] } == ["own", "tap", "tap"])
            #expect(events[0]["origin"] == nil)
            #expect(events[1]["origin"] == ["machine": "kiosk-1", "group": "north", "seq": 2])
            #expect(events[2]["origin"] == ["machine": #"a "machine""#, "seq": 2])
            #expect(events[1]["seq"] == 4)
            let lines = try await client.lines()
            #expect(lines[0].hasSuffix(#""source":{"uid":\#(getuid()),"pid":\#(getpid())}}"#))
            #expect(lines[1].hasSuffix(#"},"origin":{"machine":"kiosk-1","group":"north","seq":2}}"#))
            #expect(lines[2].hasSuffix(#"},"origin":{"machine":"a \"machine\"","seq":2}}"#))
            // As objects they are the same text.
            try client.send(#"{"id":99,"method":"event.list"}"# + "\n")
            let reply = try await client.line()
            for line in lines { #expect(reply.contains(line)) }
            #expect(
                try await client.lines(#","members":["origin"]"#).prefix(2) == [
                    #"{"seq":2}"#, #"{"seq":4,"origin":{"machine":"kiosk-1","group":"north","seq":2}}"#,
                ])
            let entries = try #require(try await client.call("log.list")["entries"]?.arrayValue)
            #expect(entries.map { $0["origin"]?["machine"] } == ["kiosk-1", #"a "machine""#])
            let first = try await client.call("log.list", #"{"as":"lines","limit":1}"#)["lines"]?.arrayValue?.first
            #expect(first?.stringValue?.hasSuffix(#","origin":{"machine":"kiosk-1","group":"north","seq":3}}"#) == true)
            #expect(entries[0]["origin"]?["seq"] == 3)
        }
    }

    @Test("as recorded, an event is told as its machine itself tells it")
    func asRecorded() async throws {
        try await DaemonFixture.run(configuration: Self.configuration) { fixture in
            let client = try fixture.connect()
            let started = try await client.call("session.start", #"{"userId":"own"}"#)["session"]?["id"]?.stringValue
            let own = try #require(started.flatMap { Identifier($0) })
            var machine = SampleMachine("kiosk-1")
            // Its id is the hub's own here.
            machine.session(uid: 1007, id: own)
            machine.add("tap", at: 1_700_000_000_123, properties: Properties([("n", .integer(1))]))
            try await fixture.take(machine)
            let event = machine.records[1]
            let told = """
                {"id":"\(event.id)","seq":2,"name":"tap","timestamp":"2023-11-14T22:13:20.123Z","sessionId":"\(own)",\
                "userId":"ada","properties":{"n":1},"source":{"uid":1007,"pid":42}}
                """
            try client.send(#"{"id":99,"method":"event.list","params":{"asRecorded":true}}"# + "\n")
            #expect(try await client.line().contains(#""events":[\#(told)]"#))
            // Pages go on by the numbers of this store.
            #expect(try await client.call("event.list", #"{"asRecorded":true,"limit":1}"#)["nextAfterSeq"] == 3)
            #expect(try await client.lines(#","asRecorded":true"#) == [told])
            let session = try await client.call("session.list", #"{"app":"shop"}"#)["sessions"]?.arrayValue?.first
            #expect(
                session?["machineSessionId"] == .string(own.description)
                    && session?["id"] != session?["machineSessionId"])
        }
    }

    @Test("a session tells its machine, and the account it has there")
    func sessions() async throws {
        try await DaemonFixture.run(configuration: Self.configuration) { fixture in
            let client = try fixture.connect()
            let machine = Self.kiosk()
            try await fixture.take(machine)
            let id = machine.sessions[0].id
            let session = try await client.call("session.get", #"{"sessionId":"\#(id)"}"#)["session"]
            #expect(session?["machine"] == "kiosk-1" && session?["group"] == "north" && session?["uid"] == 1007)
            #expect(session?["machineSessionId"] == nil)
            #expect(try await client.call("session.list")["sessions"]?.arrayValue == [session].compactMap(\.self))
        }
    }

    @Test("streams, archive and servers tell it as lists do")
    func leaving() async throws {
        try await DaemonFixture.run(
            configuration: """
                {"archive":true,"notify":null,"retention":"none"}
                """
        ) { fixture in
            let client = try fixture.connect()
            try await client.call("event.subscribe")
            try await client.call("log.subscribe")
            let machine = Self.kiosk()
            try await fixture.take(machine)
            var told: [String: JSONValue] = [:]
            for _ in 1...3 {
                let notification = try await client.notification()
                told[notification["method"]?.stringValue ?? ""] = notification["params"]
            }
            #expect(told["session.started"]?["session"]?["machine"] == "kiosk-1")
            #expect(told["event"]?["event"]?["origin"]?["seq"] == 2)
            #expect(told["log"]?["entry"]?["origin"]?["seq"] == 3)
            let place = "\(fixture.options.paths.state)/archive/users/ada/sessions/\(machine.sessions[0].id)"
            let lines = try await client.lines()
            // The file is there before its lines are.
            try await eventually("the archive has it") {
                try fixture.text(of: place + "/events.jsonl") == lines.map { "\($0)\n" }.joined()
            }
            try await eventually("the archive has the session") { try fixture.text(of: place + "/session.json") != nil }
            let description = try #require(try fixture.text(of: place + "/session.json"))
            #expect(description.contains(#""machine":"kiosk-1","group":"north""#))
            let record = try #require(try fixture.storedRecords().first { $0.kind == .event })
            var item = JSONWriter()
            RecordJSON.write(record, to: &item)
            #expect(
                String(decoding: item.bytes, as: UTF8.self).contains(
                    #""origin":{"machine":"kiosk-1","group":"north","seq":2}}"#))
        }
    }
}

extension FixtureClient {
    /// The lines of events, as they are.
    fileprivate func lines(_ more: String = "") async throws -> [String] {
        try await call("event.list", #"{"as":"lines"\#(more)}"#)["lines"]?.arrayValue?.compactMap(\.stringValue) ?? []
    }
}
