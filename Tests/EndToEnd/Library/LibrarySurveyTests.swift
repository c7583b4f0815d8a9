import Foundation
import Hark
import HarkWire
import Synchronization
import Testing

/// Row D6: surveys that a program shows itself.
@Suite(.endToEnd, .timeLimit(.minutes(45))) struct LibrarySurveyTests {
    private let home: DaemonHome
    private let daemon: DaemonProcess
    private let recorder: EventRecorder

    private static let questions = """
        "questions":[
        {"id":"how","type":"rating","question":"How was it?"},
        {"id":"why","type":"text","question":"Why?","required":false},
        {"id":"what","type":"multiple","question":"What?","options":["Bed","Food"]}]
        """

    init() throws {
        home = try DaemonHome()
        try home.configure(#"{"notify":null}"#)
        let surveys = [
            (
                "plain",
                #""response":{"type":"options","options":["Good","Bad"]},"#
                    + #""translations":{"de":{"title":"Wie ist es?"}}"#
            ),
            ("long", Self.questions),
        ].map {
            #"{"id":"\#($0)","title":"How is it?","message":"Tell us",\#($1),"trigger":{"event":{"name":"\#($0)"}},"#
                + #""oncePerSession":false}"#
        }
        try home.files.write(#"{"surveys":[\#(surveys.joined(separator: ","))]}"#, to: "config/surveys.json")
        daemon = try home.start()
        recorder = Self.recorder(home)
    }

    private static func recorder(_ home: DaemonHome, app: String = "default") -> EventRecorder {
        var options = EventRecorder.Options()
        options.socket = home.socket
        options.app = app
        return EventRecorder(options)
    }

    /// The first of a stream, while it is shown.
    private func showing(_ surveys: SurveyStream, _ body: (Survey) async throws -> Void) async throws -> Survey? {
        for await survey in surveys {
            try await body(survey)
            return survey
        }
        return nil
    }

    @Test("it is dismissed, put off, and answered question by question")
    func ways() async throws {
        defer { daemon.kill() }
        try await recorder.startSession(userID: "ada")
        recorder.record("plain")
        var shown: [Survey] = []
        for await survey in recorder.surveys() {
            shown.append(survey)
            if shown.count == 1 {
                #expect(survey.surveyID == "plain" && survey.title == "How is it?")
                try await survey.dismiss()
                let late = await #expect(throws: HarkError.self) { try await survey.answer(option: "Good") }
                #expect(late?.code == .refused)
                recorder.record("plain")
            } else if shown.count == 2 {
                let never = await #expect(throws: HarkError.self) { try await survey.snooze(seconds: 0) }
                #expect(never?.reason == "invalidParams")
                try await survey.snooze(seconds: 60)
                recorder.record("long")
            } else {
                #expect(survey.questions.map(\.kind) == [.rating, .text, .multiple])
                #expect(survey.questions.map(\.isRequired) == [true, false, true])
                #expect(survey.questions[2].options.map(\.label) == ["Bed", "Food"])
                try await survey.answer(["how": 4], isPartial: true)
                let broken = await #expect(throws: HarkError.self) { try await survey.answer(["what": ["Sea"]]) }
                #expect(broken?.reason == "invalidParams")
                try await survey.answer(["what": ["Food", "Bed"]])
                break
            }
        }
        #expect(Set(shown.map(\.id)).count == 3)
        let names = try await recorder.eventsInCurrentSession().map(\.name)
        #expect(names.contains("survey_dismissed"))
        let waiting = try daemon.connect().pending()
        #expect(waiting.map { $0["state"] } == ["scheduled"])
        #expect(waiting.first?["presentationId"]?.stringValue == shown[1].id)
        let answered = try daemon.connect().results("long")
        #expect(answered["answered"] == 1, "\(answered)")
    }

    @Test("a person says that it shall never come again, and it does not")
    func never() async throws {
        defer { daemon.kill() }
        recorder.record("plain")
        let shown = try await showing(recorder.surveys()) { try await $0.dismissForever() }
        #expect(shown?.surveyID == "plain")
        let client = try daemon.connect()
        #expect(try client.call("mute.list")["mutes"]?[0]?["surveyId"] == "plain")
        try client.record("plain")
        #expect(try client.pending() == [])
    }

    @Test("one that nobody has done with comes again: to the next who asks, and after a restart of the daemon")
    func again() async throws {
        try await recorder.startSession(userID: "ada")
        recorder.record("plain")
        let shown = try #require(try await showing(recorder.surveys()) { _ in })
        // The first iteration is over without a word about it.
        let surveys = recorder.surveys()
        let ids = Shown()
        let reader = Task {
            for await survey in surveys where ids.append(survey.id) == 2 { break }
        }
        // A notification would not be enough: until the daemon learns that the first reader is gone, that one gets the survey.
        try waitUntil("it is shown again") { ids.all.count == 1 }
        daemon.kill()
        let again = try home.start()
        defer { again.kill() }
        await reader.value
        #expect(ids.all == [shown.id, shown.id])
    }

    /// The ids that a reader was shown.
    private final class Shown: Sendable {
        private let ids = Mutex<[String]>([])

        var all: [String] { ids.withLock { $0 } }

        /// - Returns: How many there are now.
        func append(_ id: String) -> Int {
            ids.withLock {
                $0.append(id)
                return $0.count
            }
        }
    }

    @Test("a program is brought the surveys of its own app, in its language, or of all")
    func apps() async throws {
        defer { daemon.kill() }
        let kiosk = Self.recorder(home, app: "kiosk")
        try await kiosk.startSession(userID: "bob")
        try await kiosk.recordAndWait("plain")
        try await recorder.recordAndWait("plain")
        _ = try await showing(recorder.surveys(locale: "de-AT")) { own in
            #expect(own.title == "Wie ist es?" && own.details["app"] == "default")
            try await own.answer(option: "Good")
        }
        let other = try await showing(recorder.surveys(allApps: true)) { try await $0.dismiss() }
        #expect(other?.title == "How is it?" && other?.details["app"] == "kiosk")
    }
}
