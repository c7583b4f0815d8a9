import Foundation
import HarkCore
import HarkStore
import HarkSystem
import HarkTesting
import HarkWire
import Testing

@testable import HarkDaemon
@testable import HarkLedger

/// The engine remembers a few thousand users; surveys of all others go the same way.
@Suite struct ForgottenUserTests {
    private static func survey(_ id: String, delay: Int) -> String {
        """
        {"id":"\(id)","title":"\(id)","message":"?","options":["Yes","No"],"oncePerSession":false,
        "trigger":{"event":{"name":"\(id)","scheduleAfterSeconds":\(delay)}}}
        """
    }

    private static func document(_ surveys: String...) -> String {
        #"{"surveys":[\#(surveys.joined(separator: ","))]}"#
    }

    @Test("a survey that leaves the file is cancelled for all users, a helping a turn, and subscribers hear of each")
    func removed() async throws {
        let (gone, kept) = (Self.survey("gone", delay: 3_600), Self.survey("kept", delay: 3_600))
        let users = 700
        try await DaemonFixture.run(
            configuration: #"{"notify":null}"#, surveys: Self.document(gone, kept)
        ) { daemon in
            let app = try daemon.connect()
            for number in 0..<users {
                try await app.call("session.start", #"{"userId":"u\#(number)"}"#)
                for name in ["gone", "kept"] { try await app.call("event.record", #"{"name":"\#(name)"}"#) }
            }
            try await daemon.restart()
            let subscriber = try daemon.connect()
            try await subscriber.call("survey.subscribe")
            #expect(try await !Self.isLoaded("u1", daemon))
            // So that the engine has to forget users on the way.
            try await Self.loadCrowd(SurveyBook.capacity - users / 2, daemon, subscriber)
            try daemon.write(surveys: Self.document(kept))
            try await subscriber.call("daemon.reload")
            // A survey that is about to be cancelled is not listed as waiting.
            let pending = try await subscriber.call("survey.pending", #"{"limit":1000}"#)["surveys"]?.arrayValue
            #expect(Set(pending?.compactMap { $0["surveyId"]?.stringValue } ?? []) == ["kept"])
            var heard: Set<String> = []
            for _ in 0..<users {
                let survey = try await subscriber.next("survey.closed")
                #expect(survey["surveyId"] == "gone" && survey["state"] == "cancelled")
                #expect(survey["reason"] == "surveyRemoved")
                heard.insert(survey["userId"]?.stringValue ?? "")
            }
            #expect(heard.count == users)
            #expect(try await subscriber.call("survey.results", #"{"surveyId":"gone"}"#)["cancelled"]?.intValue == 700)
            #expect(try await subscriber.call("survey.results", #"{"surveyId":"kept"}"#)["scheduled"]?.intValue == 700)
        }
    }

    /// Lets the engine remember that many other users, while the loop of all tests goes on.
    @DaemonActor
    private static func loadCrowd(_ count: Int, _ daemon: DaemonFixture, _ app: FixtureClient) async throws {
        for number in 0..<count {
            let user = UserKey(uid: getuid(), userId: "crowd\(number)")
            try daemon.daemon.ledger.decide(needing: .user(user)) { _, _, _ in }
            if number % 32 == 0 { try await app.call("hello") }
        }
    }

    private static let apps = 4

    /// Shows notifications to a few users, each in an app of its own, and lets that many others come, until the engine
    /// forgets them.
    @DaemonActor
    private static func showAndForget(_ hook: String, _ daemon: DaemonFixture, _ app: FixtureClient) async throws {
        try daemon.configure(#"{"notify":{"command":["sh","-c","\#(hook)"]}}"#)
        try await app.call("daemon.reload")
        for number in 0..<apps {
            try await app.call("session.start", #"{"userId":"u\#(number)","app":"a\#(number)"}"#)
            try await app.call("event.record", #"{"name":"now","app":"a\#(number)"}"#)
        }
        for number in 0..<apps { try await waitForFile("\(daemon.folder.path)/shown-a\(number)", app) }
        try await eventually("it is stored that they were notified") {
            let all = try await app.call("survey.history")["presentations"]?.arrayValue ?? []
            return all.count == apps && all.allSatisfy { $0["times"]?["notifiedAt"] != nil }
        }
        try await loadCrowd(SurveyBook.capacity, daemon, app)
        for number in 0..<apps { #expect(try await !isLoaded("u\(number)", daemon)) }
    }

    @DaemonActor
    private static func isLoaded(_ user: String, _ daemon: DaemonFixture) async throws -> Bool {
        try await daemon.daemon.ledger.decide { engine, _, _ in
            engine.surveys.isLoaded(UserKey(uid: getuid(), userId: user))
        }.stored().value
    }

    @Test("S9: a button is the answer, also when the engine has forgotten the user since the notification came")
    func answered() async throws {
        try await DaemonFixture.run(surveys: Self.document(Self.survey("now", delay: 0))) { daemon in
            let folder = daemon.folder.path
            let app = try daemon.connect()
            try await Self.showAndForget(
                "touch \(folder)/shown-$HARK_APP; until [ -e \(folder)/go ]; do sleep 0.05; done; echo answer No",
                daemon, app)
            let subscriber = try daemon.connect()
            try await subscriber.call("survey.subscribe")
            try Data().write(to: URL(fileURLWithPath: folder + "/go"))
            var heard: Set<String> = []
            for _ in 0..<Self.apps {
                let closed = try await subscriber.next("survey.closed")
                #expect(closed["state"] == "answered" && closed["answers"]?["option"] == "No")
                heard.insert(closed["userId"]?.stringValue ?? "")
            }
            #expect(heard.count == Self.apps)
        }
    }

    @Test("clearing takes notifications away, also those of users whom the engine has forgotten")
    func clearedNotification() async throws {
        try await DaemonFixture.run(surveys: Self.document(Self.survey("now", delay: 0))) { daemon in
            let folder = daemon.folder.path
            let app = try daemon.connect()
            try await Self.showAndForget(
                "trap 'touch \(folder)/ended-$HARK_APP; exit' TERM; touch \(folder)/shown-$HARK_APP; "
                    + "while :; do sleep 0.05; done", daemon, app)
            try await app.call("event.clear", #"{"all":true}"#)
            for number in 0..<Self.apps { try await Self.waitForFile("\(folder)/ended-a\(number)", app) }
        }
    }

    @Test("clearing closes what is shown, and tells who shows it")
    func cleared() async throws {
        let surveys = Self.document(Self.survey("a", delay: 0), Self.survey("b", delay: 0))
        try await DaemonFixture.run(configuration: #"{"notify":null}"#, surveys: surveys) { daemon in
            let presenter = try daemon.connect()
            try await presenter.call("survey.subscribe", #"{"presenter":true}"#)
            let app = try daemon.connect()
            try await app.call("session.start", #"{"userId":"ada"}"#)
            for name in ["a", "b"] { try await app.call("event.record", #"{"name":"\#(name)"}"#) }
            let shown = try await presenter.next("survey.present")
            try await app.call("event.clear", #"{"all":true}"#)
            var closed: [JSONValue] = []
            for _ in 0..<2 { closed.append(try await presenter.next("survey.closed")) }
            #expect(closed.map { $0["surveyId"] } == ["a", "b"])
            #expect(closed.allSatisfy { $0["state"] == "cancelled" && $0["reason"] == "cleared" })
            #expect(closed.first?["presentationId"] == shown["presentationId"])
            #expect(try await app.call("survey.pending")["surveys"] == [])
            try await app.call("event.record", #"{"name":"b"}"#)
            #expect(try await presenter.next("survey.present")["surveyId"] == "b")
        }
    }

    /// Asks the daemon again and again, which lets the loop go on meanwhile.
    @DaemonActor
    private static func waitForFile(_ path: String, _ app: FixtureClient) async throws {
        let end = ContinuousClock.now + .seconds(180)
        while access(path, F_OK) != 0 {
            try #require(ContinuousClock.now < end)
            try await app.call("hello")
        }
    }
}
