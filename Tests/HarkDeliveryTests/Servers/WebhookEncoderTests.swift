import HarkCore
import HarkWire
import Testing

@testable import HarkDelivery

/// The body of a webhook: objects that say what they are, a line each or as an array (row L9).
@Suite struct WebhookEncoderTests {
    private static let session = Samples.session("ada", app: "kiosk")
    private static let sessionJSON = """
        {"id":"\(session.id)","userId":"ada","app":"kiosk","uid":1000,"startedAt":"2026-11-21T11:07:00.123Z",\
        "endedAt":%,"anonymous":false,"metadata":{"place":"lab"}}
        """
    private static let head = """
        "id":"\(Identifier(high: 9, low: 5))","seq":5,"timestamp":"2026-11-21T11:08:00.123Z","sessionId":"\(session.id)"
        """

    /// Each kind of record, and its object.
    static let items: [(record: Record, json: String)] = [
        (
            Samples.record(.event, "door_opened", Samples.properties, of: session),
            """
            {"kind":"event","app":"kiosk","event":{"id":"\(Identifier(high: 9, low: 5))","seq":5,"name":"door_opened",\
            "timestamp":"2026-11-21T11:08:00.123Z","sessionId":"\(session.id)","userId":"ada","properties":\(Samples.json),\
            "source":{"uid":1000,"pid":42}}}
            """
        ),
        (
            Samples.record(.sessionStarted, of: session),
            #"{"kind":"session.started","app":"kiosk","seq":5,"session":\#(sessionJSON.replacing("%", with: "null"))}"#
        ),
        (
            Samples.record(.sessionEnded, of: session),
            #"{"kind":"session.ended","app":"kiosk","seq":5,"session":"#
                + sessionJSON.replacing("%", with: #""2026-11-21T11:08:00.123Z""#) + "}"
        ),
        (
            Samples.log(
                LogEntry("Paper is out", level: .warning, userId: "bob", metadata: Samples.properties), of: session),
            """
            {"kind":"log","app":"kiosk","log":{\(head),"level":"warning","message":"Paper is out","userId":"bob",\
            "metadata":\(Samples.json)}}
            """
        ),
        (
            Samples.record(.form, "nps", Samples.properties, of: session),
            #"{"kind":"form","app":"kiosk","form":{\#(head),"userId":"ada","name":"nps","properties":\#(Samples.json)}}"#
        ),
        (
            Samples.record(.profile, "", Samples.properties, of: session),
            #"{"kind":"profile","app":"kiosk","profile":{\#(head),"userId":"ada","properties":\#(Samples.json)}}"#
        ),
    ]

    @Test("L9: lines: an object and a newline each, whatever is in it")
    func lines() throws {
        let encoder = WebhookEncoder(.lines)
        let body = encoder.body(of: Self.items.map(\.record))
        #expect(body.text == Self.items.map { $0.json + "\n" }.joined())
        #expect(encoder.contentType == "application/x-ndjson")
        for line in body.split(separator: UInt8(ascii: "\n")) { _ = try Samples.parse(line) }
    }

    @Test("L9: array: the same objects", arguments: [1, 2, 6])
    func array(_ count: Int) throws {
        let encoder = WebhookEncoder(.array)
        let items = Self.items.prefix(count)
        #expect(encoder.body(of: items.map(\.record)).text == "[" + items.map(\.json).joined(separator: ",") + "]")
        #expect(encoder.contentType == "application/json")
    }

    @Test("events of several sessions and other records in turns: each as by itself", arguments: [1, 2, 3, 50])
    func turns(_ length: Int) {
        let sessions = [
            Samples.session("ada", app: "kiosk"), Samples.session(app: "a\"b", row: 2), Samples.session("ada", row: 3),
        ]
        let records = (0..<200).map { number in
            let session = sessions[number / length % 3]
            return number % 7 == 0
                ? Samples.log(LogEntry("x", userId: "ada"), of: session, sequence: UInt64(number))
                : Samples.record(.event, "tap", Samples.properties, of: session, sequence: UInt64(number))
        }
        let expected = records.map { record in
            var json = JSONWriter()
            RecordJSON.write(record, to: &json)
            return json.bytes.text
        }
        #expect(WebhookEncoder(.lines).body(of: records[50...]).text == expected[50...].map { $0 + "\n" }.joined())
        #expect(
            WebhookEncoder(.array).body(of: records[50...]).text == "[" + expected[50...].joined(separator: ",") + "]")
    }

    @Test("an anonymous event has no user, and a log entry that is none is shown as it lies there")
    func odd() throws {
        let encoder = WebhookEncoder(.lines)
        let event = try Samples.parse(encoder.body(of: [Samples.record(.event, "a")]))
        #expect(event["event"]?["userId"] == nil)
        let log = try Samples.parse(encoder.body(of: [Samples.record(.log, "shout", Samples.properties)]))
        #expect(log["log"]?["name"] == "shout")
        #expect(log["log"]?["properties"] == (try Samples.parse(Samples.json.utf8)))
    }

    @Test("a 2xx is enough, whatever it says")
    func answers() {
        let encoder = WebhookEncoder(.lines)
        #expect(!encoder.readsAnswers)
        #expect(encoder.outcome(of: [], answer: ["partialSuccess": ["rejectedLogRecords": 1]]) == .accepted)
    }
}
