import HarkCore
import HarkWire
import Testing

@testable import HarkDelivery

/// What chats are sent: templates whose places are filled from a record.
@Suite struct MessageTemplateTests {
    private func body(
        _ template: JSONValue, of record: Record, chat: Chat? = nil
    ) throws -> String {
        let issues = IssueCollector()
        let template = try #require(MessageTemplate(template, path: "$", issues: issues), "\(issues.issues.errors)")
        return TemplateEncoder(template, chat: chat, host: "lab-3").body(of: [record]).text
    }

    private let event = Samples.record(
        .event, "door \"opened\"",
        Properties([
            ("text", .string("a \"b\"\n\u{1F600}")), ("a.b", .integer(7)), ("half", .double(0.5)), ("yes", .bool(true)),
        ]), of: Samples.session("ada", app: "kiosk"))

    @Test("places are filled with what the record has, as text, and JSON stays JSON")
    func filled() throws {
        let made = try body(
            [
                "text": "{event.name} {event.properties.a.b} {event.properties.half}{event.properties.yes}", "n": 1,
                "list": ["{event.properties.text}", nil],
                "who": ["{event.userId}": "{event.userId} {app} {kind} {host} {event.source.uid} {event.seq}"],
            ], of: event)
        #expect(
            made == #"{"text":"door \"opened\" 7 0.5true","n":1,"list":["a \"b\"\n😀",null],"#
                + #""who":{"{event.userId}":"ada kiosk event lab-3 1000 5"}}"#)
        _ = try Samples.parse(made.utf8)
        #expect(
            try body("{{{event.name}}} {{event.name}} }", of: event) == "{door \"opened\"} {event.name} }")
        #expect(
            try body("{event.timestamp} {event.id} {event.sessionId}", of: event)
                == "2026-11-21T11:08:00.123Z \(event.id) \(event.session.id)")
        #expect(
            try body("{event.properties}", of: event) == "text=a \"b\"\n\u{1F600} a.b=7 half=0.5 yes=true")
    }

    @Test("what a record does not have is empty")
    func missing() throws {
        #expect(
            try body("<{event.properties.no}{log.message}{event.properties.a.b.c}{event.origin.machine}>", of: event)
                == "<>")
        let anonymous = Samples.record(.event, "tap")
        #expect(try body("<{event.userId}{event.properties}>", of: anonymous) == "<>")
    }

    @Test("a summary tells of a record of any kind in a line")
    func summaries() throws {
        let log = Samples.log(
            LogEntry("Paper is out", level: .warning, userId: "bob", metadata: Properties([("tray", .integer(2))])))
        for (record, expected) in [
            (Samples.record(.event, "tap"), "lab-3: tap"), (log, "lab-3: warning: Paper is out tray=2"),
            (Samples.record(.sessionStarted), "lab-3: session.started"),
            (Samples.record(.form, "nps", Properties([("q", .string("x"))])), "lab-3: form nps q=x"),
            (Samples.record(.profile), "lab-3: profile"),
        ] {
            #expect(try body("{summary}", of: record) == expected)
        }
    }

    @Test("texts have an end: values, and what they make together, are cut where chats would refuse them")
    func bounds() throws {
        let long = Samples.record(
            .event, "e", Properties([("t", .string(String(repeating: "é\u{1F600}", count: 9_000)))]))
        let value = try body("{event.properties.t}", of: long)
        #expect(value.hasSuffix("…") && value.utf16.count <= 1_000 && value.utf16.count > 990)
        let several = try body("{event.properties.t} {event.properties.t} {event.properties.t}", of: long)
        #expect(several.hasSuffix("…") && several.utf16.count <= 2_000 && several.utf8.count <= 4_000)
        let short = Samples.record(.event, "e", Properties([("t", .string(String(repeating: "x", count: 1_000)))]))
        #expect(try body("{event.properties.t}", of: short).count == 1_000)
        // Any character gives valid JSON.
        for character in ["\u{0}", "\"", "\\", "\u{7f}", "\u{202e}", "}", "{", "{host}"] {
            let odd = Samples.record(
                .event, "e", Properties([("t", .string(String(repeating: character, count: 700)))]))
            let made = try Samples.parse(try body(["a": "{event.properties.t}"], of: odd).utf8)
            #expect(made["a"]?.stringValue?.hasPrefix(character) == true)
        }
    }

    @Test("each chat gets its own form, and nobody is called by what was recorded")
    func chats() throws {
        let record = Samples.record(.event, "<!channel> & @everyone")
        let expected: [Chat: (String, String)] = [
            .slack: (#"{"text":"lab-3: &lt;!channel&gt; &amp; @everyone"}"#, "application/json"),
            .discord: (
                #"{"content":"lab-3: <!channel> & @everyone","allowed_mentions":{"parse":[]}}"#, "application/json"
            ),
            .matrix: (#"{"msgtype":"m.text","body":"lab-3: <!channel> & @everyone"}"#, "application/json"),
            .ntfy: ("lab-3: <!channel> & @everyone", "text/plain; charset=utf-8"),
        ]
        for chat in Chat.allCases {
            let encoder = TemplateEncoder(chat.template(), chat: chat, host: "lab-3")
            #expect(encoder.body(of: [record]).text == expected[chat]?.0)
            #expect(encoder.contentType == expected[chat]?.1)
            #expect(chat.method == (chat == .matrix ? "PUT" : "POST"))
        }
        // What stands in the template is the reader's own.
        #expect(try body(["text": "<!here> {event.name}"], of: record, chat: .slack).contains("<!here> &lt;!channel"))
    }

    @Test("Matrix is told by the address which message it is: one that comes again is known")
    func address() {
        let record = Samples.record(.event, "e")
        let encoder = TemplateEncoder(Chat.matrix.template(), chat: .matrix, host: "h")
        for (url, expected) in [
            ("https://m/send", "https://m/send/\(record.id)"), ("https://m/send/", "https://m/send/\(record.id)"),
            ("https://m/send?a=b", "https://m/send/\(record.id)?a=b"),
        ] {
            #expect(encoder.url(for: [record], at: url) == expected)
        }
        #expect(TemplateEncoder(Chat.ntfy.template(), chat: .ntfy, host: "h").url(for: [record], at: "u") == "u")
    }

    @Test(
        "a place that stands for nothing is refused with the nearest that does",
        arguments: [
            ("{event.nam}", "{event.name}"), ("{sumary}", "{summary}"), ("{log.mesage}", "{log.message}"),
            ("{event.propertys}", "{event.properties}"), ("{session.userid}", "{session.userId}"), ("{}", nil),
            ("{event.properties.}", "{event.properties}"), ("{zzzzzz}", nil), ("{ summary }", "{summary}"),
        ] as [(String, String?)])
    func unknown(_ text: String, _ meant: String?) throws {
        let issues = IssueCollector()
        #expect(MessageTemplate(["a": [.string(text)]], path: "$.template", issues: issues) == nil)
        let issue = try #require(issues.issues.errors.first)
        #expect(issues.issues.errors.count == 1 && issue.path == "$.template.a[0]")
        #expect(issue.message.contains("did you mean \(meant ?? "-")?") == (meant != nil), "\(issue.message)")
        #expect(issue.message.contains("does not exist"))
    }
}
