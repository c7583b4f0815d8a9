import HarkCore
import HarkWire
import Testing

@testable import HarkDelivery

/// The body of SensorCore's `POST /api/logs` (row L4).
@Suite struct SensorCoreEncoderTests {
    private let encoder = SensorCoreEncoder(anonymousId: "device-1")

    @Test(
        "L4: an entry has content, level, user_id, metadata and created_at, and nothing else",
        arguments: LogEntry.Level.allCases)
    func entry(_ level: LogEntry.Level) {
        let entry = LogEntry("Payment failed", level: level, userId: "user-1", metadata: Samples.properties)
        #expect(
            encoder.body(of: [Samples.log(entry)]).text
                == #"{"content":"Payment failed","level":"\#(level.rawValue)","user_id":"user-1","metadata":\#(Samples.json),"#
                + #""created_at":"2026-11-21T11:08:00.123Z"}"#)
        #expect(encoder.contentType == "application/json")
    }

    @Test("L4: without metadata there is no such member")
    func plain() throws {
        let body = encoder.body(of: [Samples.log(LogEntry("x", userId: "ada"))]).text
        #expect(
            body
                == #"{"content":"x","level":"info","user_id":"ada","created_at":"2026-11-21T11:08:00.123Z"}"#)
    }

    @Test("L4: the user is the entry's, whatever the session's is")
    func user() throws {
        let record = Samples.log(LogEntry("x", userId: "other"), of: Samples.session("ada"))
        #expect(try Samples.parse(encoder.body(of: [record]))["user_id"] == "other")
    }

    @Test("metadata may have keys of any name, the entry's own among them")
    func collidingKeys() throws {
        let metadata = Properties([
            ("message", .string("mine")), ("userId", .integer(7)), ("content", .bool(false)), ("", .string("empty")),
            ("user_id", .string("also mine")),
        ])
        let body = try Samples.parse(
            encoder.body(of: [Samples.log(LogEntry("said", userId: "ada", metadata: metadata))]))
        #expect(body["content"] == "said")
        #expect(body["user_id"] == "ada")
        #expect(
            body["metadata"]
                == ["message": "mine", "userId": 7, "content": false, "": "empty", "user_id": "also mine"])
    }

    @Test(
        "an event is an entry of its name, about the session's user or this device",
        arguments: [
            (.event, "door_opened", "ada", "door_opened", "ada"),
            (.event, "door_opened", nil, "door_opened", "device-1"),
            (.sessionStarted, "", nil, "session.started", "device-1"),
            (.sessionEnded, "", "ada", "session.ended", "ada"),
            (.form, "nps", "ada", "nps", "ada"), (.profile, "", "ada", "profile", "ada"),
        ] as [(Record.Kind, String, String?, String, String)])
    func others(_ kind: Record.Kind, _ name: String, _ user: String?, _ content: String, _ about: String) throws {
        let record = Samples.record(kind, name, Samples.properties, of: Samples.session(user))
        let body = try Samples.parse(encoder.body(of: [record]))
        #expect(body["content"]?.stringValue == content)
        #expect(body["user_id"]?.stringValue == about)
        #expect(body["level"] == "info")
        #expect(body["metadata"] == (try Samples.parse(Samples.json.utf8)))
        #expect(body["created_at"] == "2026-11-21T11:08:00.123Z")
    }

    @Test("a record of a log that is no entry is sent as what it is, and crashes nobody")
    func damaged() throws {
        for record in [Samples.record(.log, "shout", Samples.properties), Samples.record(.log, "info", .none)] {
            #expect(try Samples.parse(encoder.body(of: [record]))["content"]?.stringValue == record.name)
        }
    }
}
