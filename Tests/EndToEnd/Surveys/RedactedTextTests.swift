import Foundation
import HarkWire
import Testing

/// `redactTextAfterSeconds`: free texts go before the answers do.
@Suite(.endToEnd) struct RedactedTextTests {
    private let scene: SurveyScene
    private var home: DaemonHome { scene.home }

    private static func surveys(_ more: String) -> String {
        """
        {"surveys":[
        {"id":"words","title":"T","message":"M","response":{"type":"text"},"oncePerSession":false,
        "trigger":{"event":{"name":"words"}}\(more)},
        {"id":"begun","title":"T","message":"M","response":{"type":"text"},"trigger":{"event":{"name":"begun"}}\(more)},
        {"id":"both","title":"T","message":"M","response":{"type":"combined","options":["Good","Bad"],"textField":{}},
        "trigger":{"event":{"name":"both"}}\(more)},
        {"id":"many","title":"T","message":"M","questions":[{"id":"a","type":"single","question":"?","options":["x","y"]},
        {"id":"b","type":"text","question":"?"}],"trigger":{"event":{"name":"many"}}\(more)},
        {"id":"kept","title":"T","message":"M","response":{"type":"text"},"trigger":{"event":{"name":"kept"}}}]}
        """
    }

    private static let gone = ["secretOfWords", "secretOfBoth", "secretOfMany", "secretOfNobody"]
    private static let kept = ["secretKept", "other event"]

    init() throws { scene = try SurveyScene(Self.surveys("")) }

    private func answer(_ event: String, _ answer: String, _ client: SocketClient) throws {
        try client.record(event)
        try client.waitForOne("ready")
        try client.call("survey.answer", try client.presentNext().params("," + answer))
    }

    private func fill(_ client: SocketClient) throws {
        try client.startSession("ada")
        try client.record("other", #"{"text":"other event"}"#)
        try answer("words", #""text":"secretOfWords""#, client)
        try answer("both", #""option":"Good","text":"secretOfBoth""#, client)
        try answer("many", #""answers":{"a":"x","b":"secretOfMany"}"#, client)
        try answer("kept", #""text":"secretKept""#, client)
        // Begun and given up.
        try client.record("begun")
        try client.waitForOne("ready")
        let shown = try client.presentNext()
        try client.call("survey.answer", try shown.params(#","text":"secretOfNobody","partial":true"#))
        try client.call("survey.dismiss", try shown.params())
        try client.startSession("bob")
        try client.waitForArchive()
    }

    private func onDisk() throws -> Set<String> { try RawFiles(home.state).occurring(of: Self.gone + Self.kept) }

    @Test("free texts of that age are gone from every byte, the mark says that there was one, and all else stays")
    func redacted() throws {
        let daemon = try home.start()
        let client = try daemon.connect()
        try fill(client)
        let before = try client.lines()
        #expect(try onDisk() == Set(Self.gone + Self.kept))
        #expect(try client.call("retention.apply", #"{"dryRun":true}"#)["texts"] == 0)
        try scene.write(Self.surveys(#","redactTextAfterSeconds":0.001"#))
        try client.call("daemon.reload")
        try waitUntil("it is in force") {
            try client.call("retention.apply", #"{"dryRun":true}"#)["texts"] == 4
        }
        let told = try home.hark("retention")
        #expect(told.output.contains("would put a mark in the place of 4 free texts"), "\(told)")
        #expect(try onDisk() == Set(Self.gone + Self.kept))
        let applied = try client.call("retention.apply")
        #expect(applied["texts"] == 4 && applied["events"] == 0 && applied["showings"] == 0)
        #expect(try onDisk() == Set(Self.kept))
        // Nothing but the texts is another.
        let mark = #"[redacted]"#
        var expected = before
        for text in Self.gone { expected = expected.map { $0.replacingOccurrences(of: text, with: mark) } }
        #expect(try client.lines() == expected)
        #expect(try Set(ArchiveFiles(home.state + "/archive").lines) == Set(expected))
        #expect(try home.hark("answers", "many", "--csv").output.contains("x,\(mark)"))
        #expect(try client.results("words")["answered"] == 1)
        #expect(
            try home.hark("sql", "--csv", "SELECT count(*) FROM answers WHERE answer = '\(mark)'").output
                == "count(*)\r\n4\r\n")
        let rules = try client.call("daemon.status")["removedByRule"]?.arrayValue ?? []
        #expect(rules.first { $0["rule"] == "age" }?["texts"] == 4)
        #expect(try home.hark("status").output.contains("4 texts by age"))
        #expect(try client.call("retention.apply")["texts"] == 0)
        // It is the same after kill -9, and what comes later is recorded behind it.
        daemon.kill()
        let next = try home.start().connect()
        #expect(try next.lines() == expected)
        #expect(try onDisk() == Set(Self.kept))
        try next.record("later")
        #expect(try next.lines().count == expected.count + 1)
    }
}
