import Foundation
import HarkSystem
import HarkTesting
import HarkWire
import Testing

@testable import HarkDaemon

/// Forms and profiles over the socket.
@Suite struct FormMethodTests {
    private static let sample: String = {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let file = root.appending(path: "packaging/samples/onboarding.json")
        return (try? String(contentsOf: file, encoding: .utf8)) ?? ""
    }()

    private static let answers = """
        {"emotionalState":"Ongoing challenges","primaryGoal":"Improve sleep","timeCommitment":"5-10 minutes",\
        "experienceLevel":"Regular","preferredActivities":["Journaling","Sleep stories"]}
        """

    private static func run(
        _ body: @escaping @DaemonActor @Sendable (DaemonFixture, FixtureClient) async throws -> Void
    ) async throws {
        try await DaemonFixture.run(forms: sample) { daemon in try await body(daemon, try daemon.connect()) }
    }

    @Test("without a user it is the current session's, without a session nobody's")
    func defaultUser() async throws {
        try await Self.run { _, app in
            func progress(_ params: String) async throws -> (String?, Int64?) {
                let form = try await app.call("form.progress", params)["form"]
                return (form?["userId"]?.stringValue, form?["progress"]?["answered"]?.intValue)
            }
            let answer = #""formId":"onboarding","questionId":"timeCommitment","answer":"Flexible""#
            try await app.call("form.answer", "{\(answer)}")
            #expect(try await progress(#"{"formId":"onboarding"}"#) == (nil, 1))
            try await app.call("session.start", #"{"userId":"ada"}"#)
            #expect(try await progress(#"{"formId":"onboarding"}"#) == ("ada", 0))
            #expect(try await progress(#"{"formId":"onboarding","userId":null}"#) == (nil, 1))
            #expect(try await progress(#"{"formId":"onboarding","app":"other"}"#) == (nil, 1))
            #expect(try await progress(#"{"formId":"onboarding","userId":"bob"}"#) == ("bob", 0))
        }
    }

    @Test("the reply to an answer tells nothing of one that came later and is not on disk yet")
    func early() async throws {
        try await Self.run { fixture, app in
            let other = try fixture.connect()
            try await other.call("hello")
            @DaemonActor func answer(_ id: Int, _ question: String, _ answer: String) async throws -> Hold {
                let hold = fixture.holdWriter()
                try app.send(
                    """
                    {"id":\(id),"method":"form.answer","params":{"formId":"onboarding","questionId":"\(question)",\
                    "answer":"\(answer)"}}\n
                    """)
                for _ in 0..<20 { try await other.call("hello") }
                return hold
            }
            let before = try await answer(1, "timeCommitment", "Flexible")
            defer { before.end() }
            let after = try await answer(2, "primaryGoal", "Just exploring")
            defer { after.end() }
            for (number, hold) in [before, after].enumerated() {
                hold.end()
                let form = try await app.reply()["result"]?["form"]
                #expect(form?["progress"]?["answered"]?.intValue == Int64(number + 1))
            }
        }
    }

    @Test("an answer that waits for the network goes out once the store takes commits, if it refused that it may")
    func hurryWhileRefused() async throws {
        let forms = """
            {"forms":[{"id":"f","title":"F","submitURL":"http://127.0.0.1:1/","questions":[
            {"id":"q","type":"text","question":"?"}]}]}
            """
        try await DaemonFixture.run(forms: forms) { fixture in
            let app = try fixture.connect()
            func wait(forAttempts count: Int64) async throws {
                try await app.wait(for: "form.progress", #"{"formId":"f"}"#) { result in
                    let submission = result["form"]?["submissions"]?["q"]
                    return submission?["attempts"]?.intValue == count && submission?["state"] == "queued"
                }
            }
            try await app.call("form.answer", #"{"formId":"f","questionId":"q","answer":"x"}"#)
            try await wait(forAttempts: 1)
            try fixture.refuse("UPDATE OF due ON form_answer")
            var path = NetworkPath()
            path.hasIPv4 = true
            fixture.daemon.forms.submissions.networkChanged(path)
            try await fixture.refusal()
            try await fixture.recover()
            try await wait(forAttempts: 2)
        }
    }

    @Test("Q3, O3: answers and profile survive the daemon, and a clear takes them away")
    func life() async throws {
        try await Self.run { daemon, app in
            try await app.call("form.answer", #"{"formId":"onboarding","userId":"ada","answers":\#(Self.answers)}"#)
            let before = try await app.call("profile.get", #"{"userId":"ada"}"#)
            #expect(before["profile"]?["completed"] == true)
            #expect(before["profile"]?["values"]?["sessionMinutes"] == 7)
            try await daemon.restart()
            let again = try daemon.connect()
            #expect(try await again.call("profile.get", #"{"userId":"ada"}"#) == before)
            try await again.call("event.clear", #"{"userId":"ada"}"#)
            let after = try await again.call("profile.get", #"{"userId":"ada"}"#)
            #expect(after["profile"]?["completed"] == false)
            #expect(after["profile"]?["answers"] == [:])
        }
    }

    @Test("O3: nothing of it is among the events, in a stream or in the archive, nor does it begin a session")
    func hidden() async throws {
        try await Self.run { daemon, app in
            let watcher = try daemon.connect()
            try await watcher.call("event.subscribe", #"{"afterSeq":0}"#)
            try await app.call("form.answer", #"{"formId":"onboarding","userId":"ada","answers":\#(Self.answers)}"#)
            try await app.call("session.start", #"{"userId":"ada"}"#)
            try await app.call(
                "form.answer", #"{"formId":"onboarding","questionId":"primaryGoal","answer":"Just exploring"}"#)
            try await app.call("profile.reset", "{}")
            try await app.call("event.record", #"{"name":"last"}"#)
            let events = try await app.call("event.list")["events"]?.arrayValue
            #expect(events?.compactMap { $0["name"]?.stringValue } == ["last"])
            #expect(try await app.call("session.list")["sessions"]?.arrayValue?.count == 1)
            var streamed: [String] = []
            while streamed.last != "event" {
                streamed.append(try await watcher.notification()["method"]?.stringValue ?? "")
            }
            #expect(streamed == ["session.started", "event"])
        }
    }

    @Test("O2: the tip is the same all day and another on the next, without anything being stored")
    func tip() async throws {
        try await Self.run { daemon, app in
            func tip() async throws -> String? {
                try await app.call("profile.get", #"{"key":"dailyTip"}"#)["value"]?.stringValue
            }
            // The clock of the fixture begins at midnight of UTC; the machine's zone may be any.
            var tips: Set<String?> = []
            var changes = 0
            var last = try await tip()
            let sequence = try await app.call("daemon.status")["store"]?["lastSeq"]
            for _ in 0..<48 {
                daemon.clock.advance(seconds: 3_600)
                let now = try await tip()
                if now != last { changes += 1 }
                last = now
                tips.insert(now)
            }
            #expect(changes == 2)
            #expect(tips.count == 3)
            #expect(try await app.call("daemon.status")["store"]?["lastSeq"] == sequence)
        }
    }

    @Test("a document with faults is told with its paths, and the last good one stays in force")
    func reload() async throws {
        try await DaemonFixture.run(forms: #"{"forms":[{"id":"a","title":"A"}]}"#) { daemon in
            let app = try daemon.connect()
            let list = try await app.call("form.list")
            #expect(list["forms"] == [])
            #expect(list["problems"]?[0]?["path"] == "$.forms[0]")
            let error = try await app.ask("form.start", #"{"formId":"a"}"#)["error"]
            #expect(error?["data"]?["reason"] == "notFound")
            let profile = try await app.ask("profile.get")["error"]
            #expect(profile?["data"]?["reason"] == "notConfigured")
        }
    }

    @Test("a document of forms can be checked before it is used")
    func validate() async throws {
        try await Self.run { _, app in
            let reply = try await app.call(
                "config.validate",
                JSONValue.object([
                    "kind": "forms", "text": .string(#"{"forms":[{"id":"a"}]}"#),
                ]).description)
            #expect(reply["valid"] == false)
            #expect(reply["errors"]?[0]?["path"] == "$.forms[0]")
        }
    }
}
