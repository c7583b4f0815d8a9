import HarkCore
import HarkWire
import Testing

@testable import HarkDelivery

/// OpenTelemetry's logs in the JSON mapping of its protocol buffers (row L9).
@Suite struct OTLPEncoderTests {
    private let encoder = OTLPEncoder(host: "lab-3", version: "1.2.3")

    private func records(_ wanted: Record...) throws -> [JSONValue] {
        let body = try Samples.parse(encoder.body(of: wanted))
        return body["resourceLogs"]?.arrayValue?.flatMap { $0["scopeLogs"]?[0]?["logRecords"]?.arrayValue ?? [] } ?? []
    }

    /// The attributes by their keys, each as OTLP writes its value.
    private func attributes(_ owner: JSONValue?) -> [String: JSONValue] {
        let pairs = owner?["attributes"]?.arrayValue?.compactMap { pair in
            pair["key"]?.stringValue.flatMap { key in pair["value"].map { (key, $0) } }
        }
        return Dictionary(pairs ?? [], uniquingKeysWith: { _, _ in "twice" })
    }

    @Test("L9: a log entry is a log record with its message as body")
    func entry() throws {
        let entry = LogEntry("Payment failed", level: .error, userId: "ada", metadata: Samples.properties)
        let record = try #require(try records(Samples.log(entry, of: Samples.session("bob"))).first)
        #expect(record["timeUnixNano"] == "1795259280123000000")
        #expect(record["observedTimeUnixNano"] == "1795259280123000000")
        #expect(record["body"] == ["stringValue": "Payment failed"])
        #expect(record["eventName"] == nil)
        #expect(
            attributes(record) == [
                "log.record.uid": ["stringValue": .string("\(Identifier(high: 9, low: 5))")],
                "session.id": ["stringValue": .string("\(Identifier(high: 7, low: 1))")],
                "user.id": ["stringValue": "ada"], "hark.seq": ["intValue": "5"],
                "text": ["stringValue": "a \"b\"\n\u{1F600}"], "whole": ["intValue": "9223372036854775807"],
                "half": ["doubleValue": 0.5], "yes": ["boolValue": true],
            ])
    }

    @Test("E11: what tells its own time was observed when it came")
    func ownTime() throws {
        var identifiers = Identifier.Generator()
        let late = Record(
            sequence: 5, id: identifiers.next(at: Samples.at), at: Timestamp(milliseconds: 1_000), kind: .event,
            session: Samples.session(), name: "late", source: Source(uid: 1000, pid: 42))
        let record = try #require(try records(late).first)
        #expect(record["timeUnixNano"] == "1000000000")
        #expect(record["observedTimeUnixNano"] == "1795259280123000000")
    }

    @Test(
        "L9: levels are OpenTelemetry's severities",
        arguments: [(.info, 9), (.messages, 9), (.warning, 13), (.error, 17)] as [(LogEntry.Level, Int64)])
    func severity(_ level: LogEntry.Level, _ number: Int64) throws {
        let record = try records(Samples.log(LogEntry("x", level: level, userId: "ada"))).first
        #expect(record?["severityNumber"] == .int(number))
        #expect(record?["severityText"]?.stringValue == level.rawValue)
    }

    @Test("L9: an event is one with an event name; what has no name has its kind's")
    func event() throws {
        for (kind, name, title) in [
            (.event, "door_opened", "door_opened"), (.sessionStarted, "", "session.started"),
            (.sessionEnded, "", "session.ended"), (.form, "nps", "nps"), (.profile, "", "profile"),
        ] as [(Record.Kind, String, String)] {
            let record = try #require(try records(Samples.record(kind, name, Samples.properties)).first)
            #expect(record["eventName"]?.stringValue == title)
            #expect(record["body"]?["stringValue"]?.stringValue == title)
            #expect(record["severityNumber"] == 9)
            #expect(attributes(record)["user.id"] == nil)
            #expect(attributes(record)["whole"] == ["intValue": "9223372036854775807"])
        }
    }

    @Test("64-bit integers are strings, as JSON's readers lose their last digits")
    func integers() throws {
        for number in [0, 1, -1, Int64.max, Int64.min] {
            let record = Samples.record(.event, "a", Properties([("n", .integer(number))]), sequence: UInt64(Int64.max))
            let made = attributes(try records(record).first)
            #expect(made["n"] == ["intValue": .string("\(number)")])
            #expect(made["hark.seq"] == ["intValue": "9223372036854775807"])
        }
    }

    @Test(
        "times are unsigned nanoseconds: what lies outside of them is brought to the nearer end",
        arguments: [
            ("1970-01-01T00:00:00.000Z", "0"), ("1970-01-01T00:00:00.001Z", "1000000"),
            ("1969-12-31T23:59:59.999Z", "0"), ("0000-01-01T00:00:00.000Z", "0"),
            ("2554-07-21T23:34:33.709Z", "18446744073709000000"), ("9999-12-31T23:59:59.999Z", "18446744073709551615"),
        ])
    func times(_ time: String, _ nanoseconds: String) throws {
        let record = try records(Samples.record(.event, "a", at: try #require(Timestamp(time)))).first
        #expect(record?["timeUnixNano"]?.stringValue == nanoseconds)
    }

    @Test("L9: each app is a resource, and the order stays")
    func apps() throws {
        let apps = ["kiosk", "kiosk", "default", "kiosk"]
        let wanted = apps.enumerated().map { number, app in
            Samples.record(.event, "e\(number)", of: Samples.session(app: app))
        }
        let body = try Samples.parse(encoder.body(of: wanted))
        let resources = try #require(body["resourceLogs"]?.arrayValue)
        #expect(
            resources.map { attributes($0["resource"]) }
                == ["kiosk", "default", "kiosk"].map {
                    ["service.name": ["stringValue": .string($0)], "host.name": ["stringValue": "lab-3"]]
                })
        #expect(resources.map { $0["scopeLogs"]?.arrayValue?.count } == [1, 1, 1])
        for resource in resources {
            #expect(resource["scopeLogs"]?[0]?["scope"] == ["name": "hark", "version": "1.2.3"])
        }
        let names = resources.map {
            $0["scopeLogs"]?[0]?["logRecords"]?.arrayValue?.map { $0["eventName"]?.stringValue }
        }
        #expect(names == [["e0", "e1"], ["e2"], ["e3"]])
    }

    @Test("two apps whose names look alike are two")
    func lookalikes() throws {
        let wanted = ["caf\u{e9}", "cafe\u{301}"].map { Samples.record(.event, "e", of: Samples.session(app: $0)) }
        #expect(try Samples.parse(encoder.body(of: wanted))["resourceLogs"]?.arrayValue?.count == 2)
    }

    @Test(
        "a property that has the name of an attribute of ours does not make it two",
        arguments: ["user.id", "session.id", "log.record.uid", "hark.seq"])
    func collision(_ key: String) throws {
        let entry = LogEntry(
            "x", userId: "ada", metadata: Properties([(key, .string("mine")), ("other", .integer(1))]))
        let made = attributes(try records(Samples.log(entry)).first)
        #expect(made[key] != "twice")
        #expect(made["user.id"] == ["stringValue": "ada"])
        #expect(made["hark.property.\(key)"] == ["stringValue": "mine"])
        #expect(made["other"] == ["intValue": "1"])
    }

    @Test(
        "L9: what a collector refused is counted, as a number or a string, and never more than there was",
        arguments: [
            ("{}", .accepted), (#"{"partialSuccess":{}}"#, .accepted), (#"{"partialSuccess":null}"#, .accepted),
            (#"{"partialSuccess":{"rejectedLogRecords":"0","errorMessage":"slow down"}}"#, .accepted),
            (
                #"{"partialSuccess":{"rejectedLogRecords":"2","errorMessage":"no body"}}"#,
                .partlyRefused(2, reason: "no body")
            ),
            (#"{"partialSuccess":{"rejectedLogRecords":1}}"#, .partlyRefused(1, reason: "it gave no reason")),
            (#"{"partialSuccess":{"rejectedLogRecords":1.0}}"#, .partlyRefused(1, reason: "it gave no reason")),
            (#"{"partialSuccess":{"rejectedLogRecords":"99"}}"#, .partlyRefused(3, reason: "it gave no reason")),
            (#"{"partialSuccess":{"rejectedLogRecords":"-1"}}"#, .accepted),
            (#"{"partialSuccess":{"rejectedLogRecords":"many"}}"#, .accepted),
            (#"{"partialSuccess":{"rejectedLogRecords":true}}"#, .accepted), ("[]", .accepted), ("3", .accepted),
            // The mapping accepts the names of the definition as well, and every form of a number.
            (
                #"{"partial_success":{"rejected_log_records":"2","error_message":"no body"}}"#,
                .partlyRefused(2, reason: "no body")
            ),
            (
                #"{"partialSuccess":null,"partial_success":{"rejectedLogRecords":1,"error_message":"x"}}"#,
                .partlyRefused(1, reason: "x")
            ),
            (
                #"{"partialSuccess":{"rejectedLogRecords":null,"rejected_log_records":"1e0","errorMessage":null}}"#,
                .partlyRefused(1, reason: "it gave no reason")
            ),
            (#"{"partial_success":{"rejected_log_records":"1.5"}}"#, .accepted),
        ] as [(String, DeliveryOutcome)])
    func partialSuccess(_ answer: String, _ outcome: DeliveryOutcome) throws {
        let sent = (0..<3).map { Samples.record(.event, "e", sequence: $0 + 1) }
        #expect(encoder.outcome(of: sent, answer: try Samples.parse(answer.utf8)) == outcome)
    }

    @Test("an answer that is no JSON refuses nothing")
    func answers() {
        #expect(encoder.readsAnswers)
        #expect(encoder.outcome(of: [Samples.record()], answer: nil) == .accepted)
    }
}
