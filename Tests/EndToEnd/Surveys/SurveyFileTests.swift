import Foundation
import HarkWire
import Testing

/// The file of surveys: read again when it changes, and never worse than the last good one.
@Suite(.endToEnd) struct SurveyFileTests {
    private let scene: SurveyScene
    private let daemon: DaemonProcess
    private let client: SocketClient

    init() throws {
        scene = try SurveyScene(SurveyScene.document(SurveyScene.plain("one")))
        daemon = try scene.home.start()
        client = try daemon.connect()
    }

    private func surveys(_ client: SocketClient? = nil) throws -> [String] {
        try (client ?? self.client).call("survey.list")["surveys"]?.arrayValue?.compactMap {
            $0["surveyId"]?.stringValue
        } ?? []
    }

    @Test(
        "S11: a file that is written over, replaced or made is read at once, and missed when removed; SIGHUP and a request read it too"
    )
    func live() throws {
        #expect(try surveys() == ["one"])
        try scene.write(SurveyScene.document(SurveyScene.plain("one"), SurveyScene.plain("two")))
        try waitUntil("a replaced file is read") { try surveys() == ["one", "two"] }
        try scene.home.files.write(SurveyScene.document(SurveyScene.plain("three")), to: "config/surveys.json")
        try waitUntil("a file written over is read") { try surveys() == ["three"] }
        let path = scene.home.configuration + "/surveys.json"
        try check("unlink") { unlink(path) }
        try waitUntil("without a file the last ones stay") {
            try client.call("survey.list")["problems"]?[0]?["message"]?.stringValue?.contains("gone") == true
        }
        #expect(try surveys() == ["three"])
        try scene.home.files.write(SurveyScene.document(SurveyScene.plain("four")), to: "config/surveys.json")
        try waitUntil("a new file is read") { try surveys() == ["four"] }

        try scene.home.files.write(SurveyScene.document(SurveyScene.plain("five")), to: "elsewhere.json")
        let other = scene.home.files.path("elsewhere.json")
        try scene.home.configure(#"{"notify":null,"surveys":{"file":"\#(other)"}}"#)
        daemon.child.signal(SIGHUP)
        try waitUntil("SIGHUP moves to another file") { try surveys() == ["five"] }
        #expect(try client.call("survey.list")["file"]?.stringValue == other)
        try scene.home.configure(#"{"notify":null}"#)
        try client.call("daemon.reload")
        #expect(try surveys() == ["four"])
    }

    private static let broken: [(text: String, path: String)] = [
        ("{", "$"), ("", "$"), (#"{"surveys":{}}"#, "$.surveys"), (#"{"surveys":[{"id":"x"}]}"#, "$.surveys[0]"),
        (SurveyScene.document(SurveyScene.plain("x", more: #","maxAttempts":0"#)), "$.surveys[0].maxAttempts"),
        (SurveyScene.document(SurveyScene.plain("x"), SurveyScene.plain("x")), "$.surveys[1].id"),
    ]

    @Test("S1 S11: a broken file keeps the last good one in force, over a kill -9 too, and says where it is broken")
    func lastGood() throws {
        var daemon = daemon
        var client = client
        try client.startSession("ann")
        for (text, path) in Self.broken {
            try scene.write(text)
            try waitUntil("it says what is wrong with \(text)") {
                try client.call("survey.list")["problems"]?.arrayValue?.contains {
                    $0["path"]?.stringValue?.hasPrefix(path) == true
                } == true
            }
            let told = try daemon.errors.split(separator: "\n")
            #expect(told.contains { $0.contains("surveys.json: line ") && $0.contains(": \(path)") }, "\(told)")
            #expect(try surveys(client) == ["one"])
            daemon.kill()
            daemon = try scene.home.start()
            client = try daemon.connect()
            #expect(try surveys(client) == ["one"], "after a restart beside \(text)")
            #expect(try daemon.errors.contains("the surveys that were last in force are"))
        }
        try client.record("go")
        try client.waitForOne("ready")
        try scene.write(SurveyScene.document(SurveyScene.plain("one"), SurveyScene.plain("mended")))
        try waitUntil("it is mended") { try surveys(client) == ["one", "mended"] }
        #expect(try client.call("survey.list")["problems"] == [])
        try client.waitForOne("ready")
    }

    @Test("S1: an unknown field is a warning with its path, and the rest of the file counts")
    func unknownField() throws {
        try scene.write(
            SurveyScene.document(SurveyScene.plain("one", more: #","colour":"red""#), SurveyScene.plain("two")))
        try waitUntil("it is read") { try surveys() == ["one", "two"] }
        let problems = try client.call("survey.list")["problems"]?.arrayValue ?? []
        #expect(problems.map { $0["path"] } == ["$.surveys[0].colour"], "\(problems)")
        #expect(try daemon.errors.contains("$.surveys[0].colour"))
    }

    @Test("a survey that is taken out of the file is cancelled, scheduled or shown, and the presenter is told why")
    func removed() throws {
        let later = SurveyScene.plain("later", event: #"{"name":"soon","scheduleAfterSeconds":3600}"#)
        let kept = SurveyScene.plain("kept", event: #"{"name":"soon","scheduleAfterSeconds":3600}"#)
        try scene.write(SurveyScene.document(SurveyScene.plain("one"), later))
        try waitUntil("it is read") { try surveys() == ["one", "later"] }
        // Users long forgotten by the engine count as well.
        for user in ["ann", "ben", "cleo"] {
            try client.startSession(user)
            try client.record("soon")
        }
        try client.record("go")
        let presenter = try daemon.connect()
        try presenter.presentHere()
        let shown = try presenter.nextToPresent()
        try scene.write(SurveyScene.document(kept))
        var closed = try presenter.notification()
        while closed["params"]?["survey"]?["presentationId"] != shown["presentationId"] {
            closed = try presenter.notification()
        }
        #expect(closed["method"] == "survey.closed")
        try waitUntil("nothing is left") { try client.pending() == [] }
        #expect(closed["params"]?["survey"]?["reason"] == "surveyRemoved")
        let late = try presenter.ask("survey.answer", shown.params(#","option":"Good""#))
        #expect(late.reason == "alreadyClosed" && late.message?.contains("surveyRemoved") == true, "\(late)")
        #expect(try client.results("later")["cancelled"] == 3)
        #expect(try client.results("one")["cancelled"] == 1)
        #expect(try client.surveyEvents().map { $0["name"] } == ["survey_presented"])
        try client.record("soon")
        #expect(try client.waitForOne("scheduled")["surveyId"] == "kept")
    }

    @Test("a changed text is shown anew, and the answer says which text it answers")
    func changedText() throws {
        try client.startSession("ann")
        let presenter = try daemon.connect()
        try presenter.presentHere()
        try client.record("go")
        let first = try presenter.nextToPresent()
        #expect(first["title"] == "How is it?")
        try scene.write(SurveyScene.document(SurveyScene.plain("one", title: "How was it?")))
        let second = try presenter.nextToPresent()
        #expect(second["presentationId"] == first["presentationId"] && second["title"] == "How was it?")
        try presenter.call("survey.answer", second.params(#","option":"Good""#))
        let events = try client.surveyEvents()
        #expect(events.map { $0["name"] } == ["survey_presented", "survey_response"])
        #expect(events.last?["properties"]?["title"] == "How was it?")
    }

    @Test("a change that leaves the text alone leaves what is shown alone")
    func changedRule() throws {
        try client.startSession("ann")
        let presenter = try daemon.connect()
        try presenter.presentHere()
        try client.record("go")
        let shown = try presenter.nextToPresent()
        try scene.write(
            SurveyScene.document(SurveyScene.plain("one", more: #","maxAttempts":7"#), SurveyScene.plain("two")))
        try waitUntil("it is read") { try surveys() == ["one", "two"] }
        #expect(try client.waitForOne("presented")["presentationId"] == shown["presentationId"])
        try presenter.call("survey.answer", shown.params(#","option":"Good""#))
    }
}
