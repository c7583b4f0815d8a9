import Glibc
import HarkSystem
import HarkTesting
import HarkWire
import Testing

@testable import HarkDaemon

/// A screen that one visitor after the other stands before, as the daemon sees it (row M4).
@Suite(.timeLimit(.minutes(45))) struct KioskTests {
    private static let surveys = """
        {"surveys":[
        {"id":"a","title":"A","message":"?","options":["Yes","No"],"trigger":{"event":{"name":"a"}}},
        {"id":"b","title":"B","message":"?","options":["Yes","No"],"trigger":{"event":{"name":"b"}}},
        {"id":"pages","title":"P","message":"?","trigger":{"event":{"name":"pages"}},"questions":[
        {"id":"one","type":"nps","question":"1"},{"id":"two","type":"text","question":"2"}]}]}
        """
    private static let next = #"{"surface":"kiosk","locale":"de"}"#

    private static func run(
        configuration: String = #"{"notify":null}"#,
        _ body: @escaping @DaemonActor @Sendable (DaemonFixture, FixtureClient) async throws -> Void
    ) async throws {
        try await DaemonFixture.run(configuration: configuration, surveys: surveys) { fixture in
            let kiosk = try fixture.connect()
            try await kiosk.call("survey.subscribe", #"{"presenter":true,"surface":"kiosk"}"#)
            try await kiosk.call("session.start")
            try await body(fixture, kiosk)
        }
    }

    @Test("it is told what is ready, is brought nothing, and takes one after the other when it likes to")
    func takes() async throws {
        let hook = #"{"notify":{"command":["sh","-c","touch \"$(dirname \"$HARK_SOCKET\")/shown\""]}}"#
        try await Self.run(configuration: hook) { fixture, kiosk in
            let app = try fixture.connect()
            #expect(try await kiosk.ask("survey.present", Self.next)["error"]?["data"]?["reason"] == "notFound")
            try await app.call("event.record", #"{"name":"a"}"#)
            try await app.call("event.record", #"{"name":"b"}"#)
            let explained = try await app.call("survey.explain", #"{"surveyId":"a"}"#)
            #expect(explained["notShown"]?.stringValue?.contains("kiosk") == true)
            for id in ["a", "b"] {
                let shown = try #require(try await kiosk.call("survey.present", Self.next)["survey"])
                #expect(shown["surveyId"]?.stringValue == id)
                try await kiosk.call(
                    "survey.answer",
                    #"{"presentationId":"\#(shown["presentationId"]?.stringValue ?? "")","option":"Yes"}"#)
            }
            var told: [String?] = []
            while let word = kiosk.takeNotification() { told.append(word["method"]?.stringValue) }
            #expect(!told.contains("survey.present") && told.count { $0 == "survey.ready" } == 2)
            #expect(access(fixture.folder.path + "/shown", F_OK) != 0)
        }
    }

    @Test("what a visitor began is closed with the next one, and counted")
    func left() async throws {
        try await Self.run { fixture, kiosk in
            try await kiosk.call("event.record", #"{"name":"pages"}"#)
            let shown = try #require(try await kiosk.call("survey.present", Self.next)["survey"])
            let id = shown["presentationId"]?.stringValue ?? ""
            try await kiosk.call(
                "survey.answer", #"{"presentationId":"\#(id)","answers":{"one":9},"partial":true}"#)
            let other = try fixture.connect()
            // Its program comes back on another connection, as after a crash.
            try await kiosk.call("survey.release", #"{"presentationId":"\#(id)"}"#)
            #expect(try await other.ask("survey.present")["error"]?["data"]?["reason"] == "notFound")
            let refused = try await other.ask("survey.present", #"{"presentationId":"\#(id)"}"#)
            #expect(refused["error"]?["data"]?["reason"] == "conflict")
            #expect(try await kiosk.ask("survey.present", Self.next)["error"]?["data"]?["reason"] == "notFound")
            let closed = try await other.call("survey.history")["presentations"]?[0]
            #expect(closed?["state"] == "dismissed" && closed?["reason"] == "abandoned")
            #expect(closed?["times"]?["surface"] == "kiosk" && closed?["language"] == "de")
            #expect(try await other.call("survey.results", #"{"surveyId":"pages"}"#)["abandoned"] == 1)
        }
    }

    @Test("what an account's nobody has been asked bars no visitor while a kiosk is there, and is not forgotten")
    func limits() async throws {
        try await DaemonFixture.run(configuration: #"{"notify":null}"#, surveys: Self.surveys) { fixture in
            let own = try fixture.connect()
            @DaemonActor func isAsked(app: String = "default") async throws -> Bool {
                let told = try await own.call("survey.explain", #"{"surveyId":"a","app":"\#(app)"}"#)["checks"]
                return told?.arrayValue?.first { $0["check"] == "completion" }?["passed"] == true
            }
            try await own.call("session.start")
            try await own.call("event.record", #"{"name":"a"}"#)
            let id = try await own.call("survey.present")["survey"]?["presentationId"]?.stringValue ?? ""
            try await own.call("survey.answer", #"{"presentationId":"\#(id)","option":"Yes"}"#)
            #expect(try await !isAsked())
            do {
                let kiosk = try fixture.connect()
                try await kiosk.call("survey.subscribe", #"{"presenter":true,"surface":"kiosk","app":"default"}"#)
                #expect(try await isAsked())
                #expect(try await !isAsked(app: "other"))
                // One visitor after the other, also after the store has refused something.
                for number in 1...2 {
                    try await kiosk.call("session.start")
                    try await own.call("event.record", #"{"name":"a"}"#)
                    let shown = try #require(try await kiosk.call("survey.present", Self.next)["survey"])
                    try await kiosk.call(
                        "survey.answer",
                        #"{"presentationId":"\#(shown["presentationId"]?.stringValue ?? "")","option":"No"}"#)
                    guard number == 1 else { continue }
                    try fixture.refuse("INSERT ON block")
                    _ = try await own.ask("event.record", #"{"name":"x"}"#)
                    try await fixture.refusal()
                    try await fixture.recover()
                }
                // A person whom an app has named has a history, unlike a visitor.
                try await kiosk.call("session.start", #"{"userId":"card-1"}"#)
                try await own.call("event.record", #"{"name":"a"}"#)
                let shown = try #require(try await kiosk.call("survey.present", Self.next)["survey"])
                try await kiosk.call(
                    "survey.answer",
                    #"{"presentationId":"\#(shown["presentationId"]?.stringValue ?? "")","option":"No"}"#)
                #expect(try await !isAsked())
                try await kiosk.call("session.start")
                #expect(try await isAsked())
            }
            // The kiosk has gone.
            try await eventually("limits hold again") { try await !isAsked() }
            #expect(try await own.call("survey.reset")["reset"] == 1)
            #expect(try await isAsked())
        }
    }

    @Test("a visitor who leaves is told so, in that visitor's session")
    func abandoned() async throws {
        try await Self.run { _, kiosk in
            var sessions: [String?] = []
            for way in ["abandoned", "once"] {
                try await kiosk.call("event.record", #"{"name":"pages"}"#)
                let shown = try #require(try await kiosk.call("survey.present", Self.next)["survey"])
                let dismissed = try await kiosk.call(
                    "survey.dismiss",
                    #"{"presentationId":"\#(shown["presentationId"]?.stringValue ?? "")","for":"\#(way)"}"#)
                sessions.append(dismissed["survey"]?["sessionId"]?.stringValue)
                try await kiosk.call("session.start")
            }
            let told = try await kiosk.call("event.list", #"{"name":"survey_dismissed"}"#)["events"]
            #expect(told?[0]?["properties"]?["for"] == "abandoned" && told?[1]?["properties"]?["for"] == "once")
            #expect(
                told?[0]?["sessionId"]?.stringValue == sessions[0] && told?[1]?["sessionId"]?.stringValue == sessions[1]
            )
            #expect(sessions[0] != sessions[1])
        }
    }
}
