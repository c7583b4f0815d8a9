import HarkWire
import Testing

@testable import HarkDaemon
@testable import HarkNotifier

/// The text and the actions of a notification.
@Suite struct NotificationContentTests {
    private static let all: Set<String> = ["actions", "body", "body-markup"]

    private static func content(
        type: String = "options", id: String = "visit", labels: [String] = ["Poor", "Good", "Great"],
        _ more: [(String, JSONValue)] = []
    ) throws -> NotificationContent {
        let options = labels.map { label -> JSONValue in
            ["value": .string(label), "label": .string(label), "emoji": "😊"]
        }
        let members: [(String, JSONValue)] =
            [
                ("presentationId", "0199e0f4-8c7a-7000-8000-000000000000"), ("surveyId", .string(id)),
                ("title", "A title"), ("message", "A message"), ("responseType", .string(type)),
                ("questions", [["id": "option", "options": .array(options)]]),
            ].filter { member in !more.contains { $0.0 == member.0 } } + more
        return try #require(NotificationContent(.object(JSONObject(members))))
    }

    @Test("options that fit are buttons, and the one that was pressed is the answer")
    func buttons() throws {
        let content = try Self.content()
        #expect(
            content.look(Self.all).notifySend(expireSeconds: 60) == [
                "notify-send", "--app-name=Hark", "--wait", "--print-id", "--expire-time=60000",
                "--hint=string:sound-name:message-new-instant", "--icon=org.hark.Dialog",
                "--hint=string:desktop-entry:org.hark.Dialog", "--action=default=Open", "--action=o0=😊 Poor",
                "--action=o1=😊 Good", "--action=o2=😊 Great", "--", "A title", "A message",
            ])
        #expect(content.choice("o2") == "answer Great")
        #expect(content.choice("default") == "open")
        #expect([content.choice("o3"), content.choice("2"), content.choice("")] == [nil, nil, nil])
    }

    @Test("one that comes anew takes the place of the one that is there")
    func replacing() throws {
        let arguments = try Self.content().look(Self.all).notifySend(expireSeconds: 0, replacing: 17)
        #expect(arguments.prefix(5) == ["notify-send", "--app-name=Hark", "--wait", "--print-id", "--replace-id=17"])
    }

    @Test("not again has a button where answers leave room for it, and not where a program asks")
    func never() throws {
        let wide = try Self.content(labels: ["1", "2", "3"])
        let prompt = try Self.content([("promptId", "0199e0f4-8c7a-7000-8000-000000000000")])
        for content in [wide, prompt] {
            #expect(!content.look(Self.all).notifySend(expireSeconds: 0).contains { $0.contains("=mute=") })
            #expect(content.choice("mute") == nil)
        }
        let two = try Self.content(labels: ["Yes", "No"])
        #expect(two.look(Self.all).actions.map(\.key) == ["default", "o0", "o1", "mute"])
        #expect(two.choice("mute") == "mute")
    }

    @Test("there are at most three buttons, and no two say the same", arguments: 1...8)
    func count(options: Int) throws {
        let content = try Self.content(labels: (1...options).map { "Choice \($0)" })
        let buttons = content.look(Self.all).actions.filter { $0.key != "default" }
        #expect((1...3).contains(buttons.count))
        #expect(Set(buttons.map(\.label)).count == buttons.count && !buttons.contains { $0.label.isEmpty })
        // A click on the notification itself opens it, and has no name that a server could make a button of.
        #expect(content.look(Self.all).actions.first == .init(key: "default", label: ""))
    }

    @Test("a server that shows buttons only in a menu has the options in the text")
    func menu() throws {
        let look = try Self.content().look(Self.all.union([NotificationContent.hiddenActions]))
        #expect(look.body == "A message\n😊 Poor · 😊 Good · 😊 Great")
        #expect(look.actions.count == 4)
        let text = try Self.content(type: "text").look(Self.all.union([NotificationContent.hiddenActions]))
        #expect(text.body == "A message")
    }

    @Test("other surveys, and options that do not fit, have a button that opens them")
    func open() throws {
        let long = String(repeating: "x", count: 21)
        for content in [
            try Self.content(type: "text"), try Self.content(type: "combined"), try Self.content(type: "questions"),
            try Self.content(labels: ["Good", long]), try Self.content(labels: ["1", "2", "3", "4"]),
        ] {
            let actions = content.look(Self.all).notifySend(expireSeconds: 0).filter { $0.hasPrefix("--action=") }
            #expect(
                actions == ["--action=default=Open", "--action=open=Answer…", "--action=mute=Don't ask again"])
            #expect(content.choice("mute") == "mute")
            #expect(content.choice("open") == "open" && content.choice("o0") == nil)
        }
    }

    @Test("a label that begins with an emoji gets no other")
    func emoji() throws {
        let arguments = try Self.content(labels: ["🍕 Pizza", "Rice"]).look(Self.all).notifySend(expireSeconds: 0)
        #expect(arguments.contains("--action=o0=🍕 Pizza") && arguments.contains("--action=o1=😊 Rice"))
    }

    @Test("a server without actions shows the options and the way to answer, and gets no actions")
    func withoutActions() throws {
        let arguments = try Self.content().look(["body"]).notifySend(expireSeconds: 0)
        #expect(!arguments.contains { $0.hasPrefix("--action") })
        #expect(arguments.last == "A message\n😊 Poor · 😊 Good · 😊 Great\nTo answer: hark ask visit")
        let odd = try Self.content(type: "text", id: "it's & mine", [("message", "")])
        #expect(odd.look(["body"]).notifySend(expireSeconds: 0).last == #"To answer: hark ask 'it'\''s & mine'"#)
        #expect(
            odd.look(["body", "body-markup"]).notifySend(expireSeconds: 0).last
                == #"To answer: hark ask 'it'\''s &amp; mine'"#)
    }

    @Test(
        "the survey's own notification is shown, its markup as text where the server has markup, and without its sound")
    func notification() throws {
        let own: JSONValue = ["title": "-t\0", "body": "a <b>&\nc\u{1B}", "sound": false]
        let content = try Self.content([("notification", own)])
        let arguments = content.look(Self.all).notifySend(expireSeconds: 0)
        #expect(arguments.suffix(3) == ["--", "-t\u{FFFD}", "a &lt;b&gt;&amp;\nc\u{FFFD}"])
        #expect(arguments.contains("--hint=boolean:suppress-sound:true"))
        #expect(content.look(["actions", "body"]).notifySend(expireSeconds: 0).last == "a <b>&\nc\u{FFFD}")
    }
}
