import Foundation
import HarkCore
import HarkStore
import HarkSystem
import HarkTesting
import HarkWire
import Testing

@testable import HarkDaemon
@testable import HarkHub
@testable import HarkLedger

/// A long day with everything on, in which the store refuses one commit: each of them once.
@Suite(.timeLimit(.minutes(20))) struct RefusedCommitTests {
    @Test("whichever commit is refused, what clients were told is what the store holds, and nothing has left before")
    func each() async throws {
        var number = 1
        while try await Day.live(refusing: number) { number += 1 }
        // A shorter day means that the scenario has lost its parts.
        #expect(number > 30)
    }

    @Test("who only reads is not refused for what could not be stored just before")
    func reading() async throws {
        let commit = NthCommit(1)
        try await DaemonFixture.run(configuration: #"{"archive":false,"notify":null}"#) { fixture in
            let client = try fixture.connect()
            try await client.call("event.record", #"{"name":"before"}"#)
            try await eventually("all is quiet") { fixture.daemon.ledger.isSettled }
            commit.install(in: fixture.daemon.ledger.store)
            try client.send(
                """
                {"id":1,"method":"event.record","params":{"name":"lost"}}
                {"id":2,"method":"event.list"}
                {"id":3,"method":"event.stats"}\n
                """)
            var replies: [JSONValue] = []
            for _ in 1...3 { replies.append(try await client.reply()) }
            replies.sort { ($0["id"]?.intValue ?? 0) < ($1["id"]?.intValue ?? 0) }
            #expect(replies[0]["error"]?["data"]?["reason"] == "storeUnavailable")
            #expect(replies[1]["result"]?["events"]?.arrayValue?.map { $0["name"] } == ["before"])
            #expect(replies[2]["result"]?["total"]?["count"] == 1)
        }
    }
}

/// The actions of a day's clients, and the replies.
@DaemonActor
private final class Day {
    private nonisolated static let configuration = """
        {"archive":true,"notify":null,"counters":{"visits":{}},"executions":[{"id":"every","keepAlive":true,\
        "when":{"visits":{"op":"gte","value":1}},"run":{"exec":["sh","-c","echo $HARK_RUN_ID >>$/ran"]}}],\
        "destinations":[{"name":"core","kind":"sensorcore","host":"http://core.test","socket":"$/server",\
        "apiKeyFile":"key","kinds":["log"]}]}
        """
    private nonisolated static let surveys = """
        {"surveys":[{"id":"a","title":"A","message":"?","options":["Yes","No"],"trigger":{"event":{"name":"a"}}},\
        {"id":"b","title":"B","message":"?","options":["Yes","No"],"trigger":{"event":{"name":"b"}}}]}
        """
    private nonisolated static let forms = """
        {"forms":[{"id":"f","title":"F","questions":[{"id":"q","type":"text","question":"?"},\
        {"id":"r","type":"text","question":"?"}]}]}
        """

    private let fixture: DaemonFixture
    private let receiver: Receiver
    private var app: FixtureClient
    private let listener: FixtureClient
    /// The acknowledged steps, and the refused ones.
    private var told: Set<String> = []
    private var refused: Set<String> = []
    private var step = 0
    private var isCleared = false

    private init(_ fixture: DaemonFixture) throws {
        self.fixture = fixture
        receiver = try fixture.receiver()
        app = try fixture.connect()
        listener = try fixture.connect()
    }

    /// - Returns: Whether the day had that many commits.
    nonisolated static func live(refusing number: Int) async throws -> Bool {
        let commit = NthCommit(number)
        try await DaemonFixture.run(configuration: #"{"notify":null}"#, surveys: surveys, forms: forms) { fixture in
            try fixture.put("secret-key-1\n", in: "key")
            try fixture.configure(configuration.replacing("$/", with: fixture.folder.path + "/"))
            let day = try Day(fixture)
            try await fixture.reload()
            // The machine of a fleet has more to record.
            fixture.daemon.ledger.adjust { $0.recordsForFleet = true }
            try await day.listener.call("survey.subscribe")
            try await day.listener.call("counter.subscribe")
            try await eventually("all is quiet") { fixture.daemon.ledger.isSettled }
            commit.install(in: fixture.daemon.ledger.store)
            try await day.live()
            try await day.rest()
            try await day.compare("the refused commit is number \(number)")
        }
        return commit.isRefused
    }

    // MARK: What happens

    private func live() async throws {
        await ask("session.start", #"{"userId":"ada"}"#)
        await record("plain")
        await sell()
        await record("a")
        if let survey = await ask("survey.present")?["survey"]?["presentationId"]?.stringValue {
            await ask("survey.answer", #"{"presentationId":"\#(survey)","option":"Yes"}"#)
        }
        await log()
        await ask("counter.register", #"{"name":"mine","initial":5}"#)
        for _ in 0..<3 { await ask("counter.trigger", #"{"name":"mine"}"#) }
        await ask("counter.trigger", #"{"name":"visits"}"#)
        await ask(
            "execution.add", #"{"id":"once","when":{"mine":{"op":"gte","value":7}},"run":{"survey":"b"}}"#)
        await ask("counter.trigger", #"{"name":"mine"}"#)
        await ask("form.start", #"{"formId":"f"}"#)
        await ask("form.draft", #"{"formId":"f","page":"r","answers":{"r":"begun"}}"#)
        await ask("form.answer", #"{"formId":"f","questionId":"q","answer":"one"}"#)
        await ask("form.answer", #"{"formId":"f","questionId":"r","answer":"two"}"#)
        await ask("session.end")
        await ask("session.start", #"{"userId":"bob"}"#)
        await record("b")
        if let survey = await ask("survey.present")?["survey"]?["presentationId"]?.stringValue {
            await ask("survey.snooze", #"{"presentationId":"\#(survey)","seconds":3600}"#)
        }
        await log()
        await ask("counter.reset", #"{"name":"mine"}"#)
        await ask("log.device", #"{"reset":true}"#)
        await ask(
            "session.import",
            #"{"session":{"id":"0199e0f4-8c7a-7000-8000-00000000abcd","startedAt":"2026-11-20T03:04:05.678Z"}}"#)
        await ask(
            "event.import",
            """
            {"sessionId":"0199e0f4-8c7a-7000-8000-00000000abcd","event":{"id":"0199e0f4-8c7a-7000-8000-00000000cafe",\
            "name":"old","timestamp":"2026-11-20T03:05:00.000Z"}}
            """)
        await ask("session.start", #"{"userId":"eve","app":"other"}"#)
        isCleared = await ask("event.clear", #"{"userId":"eve"}"#) != nil
        await ask("retention.apply")
        await sell()
        await record("last")
    }

    @discardableResult
    private func ask(_ method: String, _ params: String = "{}") async -> JSONValue? {
        do {
            let reply = try await app.ask(method, params)
            if let error = reply["error"] {
                // Steps that depend on a refused one may fail.
                let reasons: [JSONValue?] = ["storeUnavailable", "notFound", "conflict"]
                #expect(reasons.contains(error["data"]?["reason"]), "\(method): \(error)")
            }
            return reply["result"]
        } catch {
            Issue.record(error)
            return nil
        }
    }

    private func record(_ name: String) async {
        step += 1
        let isTold = await ask("event.record", #"{"name":"\#(name)","properties":{"step":"\#(step)"}}"#) != nil
        if isTold { told.insert("\(step)") } else { refused.insert("\(step)") }
    }

    /// Sends something until it is answered, under the same number, and once more.
    private func sell() async {
        step += 1
        let params = #"{"name":"sold","properties":{"step":"\#(step)"},"producer":{"id":"till","seq":\#(step)}}"#
        var reply = await ask("event.record", params)
        if reply == nil { reply = await ask("event.record", params) }
        #expect(reply?["duplicate"] == false)
        told.insert("\(step)")
        if let again = await ask("event.record", params) { #expect(again["duplicate"] == true) }
    }

    private func log() async {
        step += 1
        let isTold = await ask("log.write", #"{"message":"\#(step)"}"#) != nil
        if isTold { told.insert("\(step)") } else { refused.insert("\(step)") }
    }

    /// Waits until the store takes commits, and all consequences of the day are over.
    private func rest() async throws {
        let daemon = fixture.daemon
        // Shown surveys are given back.
        app = try fixture.connect()
        try await eventually("the store takes commits and all is done") {
            daemon.ledger.trouble == nil && daemon.ledger.isSettled && !daemon.sweeper.isRunning
                && daemon.delivery.outlets.allSatisfy { $0.pending == 0 && $0.isResting }
        }
        try await app.wait(for: "execution.list") { list in
            list["runs"]?.arrayValue?.allSatisfy { $0["state"] != "due" && $0["state"] != "running" } ?? false
        }
        try await app.wait(for: "survey.pending") { list in
            list["surveys"]?.arrayValue?.allSatisfy { $0["state"] != "presented" } ?? false
        }
        try await eventually("that is stored, too") { daemon.ledger.isSettled }
    }

    // MARK: What is left of it

    private func compare(_ comment: Comment) async throws {
        let events = try await app.call("event.list", #"{"limit":1000}"#)["events"]?.arrayValue ?? []
        let logs = try await app.call("log.list")["entries"]?.arrayValue ?? []
        let stored = Set(
            events.compactMap { $0["properties"]?["step"]?.stringValue }
                + logs.compactMap { $0["message"]?.stringValue })
        #expect(stored == told, comment)
        #expect(events.count { $0["name"] == "sold" } == 2, comment)
        #expect(stored.isDisjoint(with: refused), comment)
        #expect(Set(receiver.contents) == Set(logs.compactMap { $0["message"]?.stringValue }), comment)
        #expect(receiver.contents.count == logs.count, comment)

        let ran = Set(
            ((try? String(contentsOfFile: fixture.folder.path + "/ran", encoding: .utf8)) ?? "").split(separator: "\n")
                .map(String.init))
        let runs = try await app.call("execution.list")["runs"]?.arrayValue ?? []
        let done = runs.filter { $0["executionId"] == "every" && $0["state"] == "done" }
        #expect(ran == Set(done.compactMap { $0["runId"]?.stringValue }), comment)

        try await compareNotifications(comment)
        try compareRecordsForFleet(comment)
        let before = try await snapshot(app)
        try await fixture.restart()
        let after = try await snapshot(try fixture.connect())
        for (question, answer) in before { #expect(after[question] == answer, comment) }
    }

    /// The newest that was told of a counter and a survey is how they stand.
    private func compareNotifications(_ comment: Comment) async throws {
        var values: [String: JSONValue] = [:]
        var states: [String: String] = [:]
        // All that came until then lies before this reply.
        try await listener.call("hello")
        while let message = listener.takeNotification() {
            let params = message["params"]
            if message["method"] == "counter.changed", let name = params?["name"]?.stringValue {
                values[name] = params?["value"]
            } else if let survey = params?["survey"], let id = survey["presentationId"]?.stringValue {
                states[id] = survey["state"]?.stringValue
            }
        }
        for (name, value) in values {
            #expect(try await app.call("counter.get", #"{"name":"\#(name)"}"#)["value"] == value, comment)
        }
        let pending = try await app.call("survey.pending")["surveys"]?.arrayValue ?? []
        let open = Dictionary(
            uniqueKeysWithValues: pending.map {
                ($0["presentationId"]?.stringValue ?? "", $0["state"]?.stringValue ?? "")
            })
        let toldOpen = states.filter { ["scheduled", "ready", "presented"].contains($0.value) }
        #expect(toldOpen == open, comment)
    }

    /// Compares the records for the hub of a fleet with the outcomes of surveys and the clear.
    private func compareRecordsForFleet(_ comment: Comment) throws {
        var query = RecordQuery(limit: .max)
        query.kinds = [.presentation, .clear]
        let (records, kept) = try fixture.daemon.ledger.lookUp { [query] reader throws(StoreError) in
            var kept: [Presentation] = []
            _ = try reader.forEachPresentation(PresentationQuery()) { presentation, _ in
                if !presentation.state.isOpen { kept.append(presentation) }
            }
            return (try reader.records(query, maxBytes: .max).records, kept)
        }
        #expect(
            records.compactMap { Presentation($0) }.sorted { $0.id < $1.id } == kept.sorted { $0.id < $1.id }, comment)
        let clears = records.compactMap { ClearNotice($0) }
        #expect(clears.count <= 1 && (!isCleared || clears.count == 1), comment)
    }

    private func snapshot(_ client: FixtureClient) async throws -> [String: JSONValue] {
        var answers: [String: JSONValue] = [:]
        for (method, params) in [
            ("session.list", "{}"), ("session.current", "{}"), ("event.list", #"{"limit":1000}"#), ("log.list", "{}"),
            ("log.device", "{}"), ("survey.results", #"{"surveyId":"a"}"#), ("survey.results", #"{"surveyId":"b"}"#),
            ("counter.list", "{}"), ("execution.list", "{}"), ("form.progress", #"{"formId":"f","userId":"ada"}"#),
        ] {
            answers[method + params] = try await client.call(method, params)
        }
        // A shown survey is ready again when nobody is there to show it.
        let pending = try await client.call("survey.pending")["surveys"]?.arrayValue ?? []
        answers["survey.pending"] = .array(pending.compactMap { $0["presentationId"] })
        return answers
    }
}
