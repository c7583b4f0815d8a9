import Foundation
import HarkTesting
import HarkWire
import Testing

/// The places where answers and profiles go, and where not (row O3).
@Suite(.endToEnd) struct FormPrivacyTests {
    private let home: DaemonHome
    private let server: FormServer

    init() throws {
        home = try DaemonHome()
        server = try FormServer()
        try home.files.write("k", to: "config/key")
        try home.files.write(
            """
            {"forms":[{"id":"plain","title":"T","questions":[{"id":"q","question":"?"},{"id":"r","question":"?"}]}],
            "profile":{"values":{"advice":{"cases":[{"when":{"q":{"op":"exists"}},"value":"derived-secret"}]},
            "said":{"question":"q"}}}}
            """, to: "config/forms.json")
    }

    private func configure(_ kinds: String) throws {
        let base = "http://127.0.0.1:\(server.port)"
        try home.configure(
            """
            {"destinations":[
            {"name":"core","kind":"sensorcore","host":"\(base)/core","apiKeyFile":"key"\(kinds)},
            {"name":"otel","kind":"otlp","url":"\(base)/otel","compression":"none"\(kinds)},
            {"name":"hook","kind":"http","url":"\(base)/hook"\(kinds)}]}
            """)
    }

    /// Fills in a form in a session and outside of one, and records an event and a log line after it.
    private func fillIn(_ client: SocketClient) throws {
        try client.call("form.answer", #"{"formId":"plain","userId":"bob","answers":{"q":"answer-secret","r":"x"}}"#)
        try client.call("form.draft", #"{"formId":"plain","userId":"bob","answers":{"q":"draft-secret"},"page":"r"}"#)
        try client.call("session.start", #"{"userId":"ada"}"#)
        try client.call("form.answer", #"{"formId":"plain","questionId":"q","answer":"answer-secret"}"#)
        let copy = try client.call("profile.export")["profile"] ?? .null
        try client.call("profile.reset")
        try client.call("profile.import", JSONValue.object(["profile": copy]).description)
        try client.call("event.record", #"{"name":"the-event"}"#)
        try client.call("log.write", #"{"message":"the-line"}"#)
    }

    private func bodies(_ path: String) throws -> String {
        try server.posts.filter { $0.path.hasPrefix(path) }.map(\.body).joined(separator: "\n")
    }

    @Test("O3: with every kind of destination on, nothing of a form or profile reaches any, nor any file")
    func nowhere() throws {
        try configure("")
        let daemon = try home.start()
        let client = try daemon.connect()
        try fillIn(client)
        try waitUntil("the line has come to all, and the event where it should") {
            try bodies("/core").contains("the-line") && bodies("/otel").contains("the-line")
                && bodies("/otel").contains("the-event") && bodies("/hook").contains("the-event")
        }
        // This entry is the last one everywhere: once it has arrived, no earlier record is still on its way.
        try client.call("log.write", #"{"message":"the-end"}"#)
        try client.call("event.record", #"{"name":"the-last-event"}"#)
        try client.call("delivery.flush")
        try waitUntil("the end has come to all") {
            try ["/core", "/otel"].allSatisfy { try bodies($0).contains("the-end") }
                && ["/otel", "/hook"].allSatisfy { try bodies($0).contains("the-last-event") }
        }
        for post in try server.posts {
            #expect(!post.body.contains("secret"))
            #expect(!post.body.contains("plain"))
            #expect(!post.body.contains("bob"))
        }
        try daemon.stop()
        let log = try daemon.errors
        #expect(!log.contains("secret"))
        let folder = try #require(FileManager.default.enumerator(atPath: home.state + "/archive"))
        var files = 0
        for case let name as String in folder where name.hasSuffix(".jsonl") || name.hasSuffix(".json") {
            files += 1
            #expect(!(try home.files.text("state/archive/\(name)").contains("secret")), "\(name)")
            #expect(!name.contains("bob"))
        }
        #expect(files > 0)
    }

    @Test("O3: a destination that names them gets answers and profiles, and without the one not the other")
    func named() throws {
        try configure(#","kinds":["form"]"#)
        let client = try home.start().connect()
        try fillIn(client)
        try waitUntil("the answers have come") { try bodies("/hook").contains("imported") }
        let lines = try bodies("/hook").split(separator: "\n").map { try JSONReader.read($0) }
        #expect(lines.allSatisfy { $0["kind"] == "form" })
        #expect(lines.first?["form"]?["name"] == "plain")
        #expect(lines.first?["form"]?["userId"] == "bob")
        #expect(
            lines.first?["form"]?["properties"] == ["action": "answered", "question": "q", "answer": "answer-secret"])
        #expect(!(try bodies("/hook").contains("derived-secret")))
        try waitUntil("they have come elsewhere") { try bodies("/otel").contains("answer-secret") }
        #expect(try server.posts.allSatisfy { !$0.body.contains("draft-secret") })

        try configure(#","kinds":["profile"]"#)
        try client.call("config.reload")
        try client.call("form.answer", #"{"formId":"plain","userId":"eve","questionId":"q","answer":"new"}"#)
        try waitUntil("the profile has come") { try bodies("/hook").contains("derived-secret") }
    }
}
