import HarkSystem
import HarkTesting
import HarkWire
import Testing

@testable import HarkDaemon
@testable import HarkStore

/// When surveys are offered, and that none is forgotten.
@Suite(.timeLimit(.minutes(10))) struct OfferTests {
    private static let surveys = """
        {"surveys":[{"id":"a","title":"A","message":"?","options":["Yes","No"],"trigger":{"event":{"name":"a"}}}]}
        """

    @Test("a survey whose showing the store refused is brought once it takes commits again")
    func refused() async throws {
        try await DaemonFixture.run(configuration: #"{"notify":null}"#, surveys: Self.surveys) { fixture in
            let (app, presenter) = (try fixture.connect(), try fixture.connect())
            try await app.call("session.start", #"{"userId":"ada"}"#)
            try await presenter.call("survey.subscribe", #"{"presenter":true}"#)
            let file = try Database(path: fixture.daemon.ledger.store.path, access: .write)
            // Shown: 2.
            try file.execute(
                """
                CREATE TRIGGER refusal BEFORE INSERT ON presentation WHEN NEW.state = 2
                BEGIN SELECT RAISE(ABORT, 'not now'); END
                """)
            try await app.call("event.record", #"{"name":"a"}"#)
            try await eventually("the store refuses") { fixture.daemon.ledger.trouble != nil }
            try file.execute("DROP TRIGGER refusal")
            try await eventually("the store takes commits") { fixture.daemon.ledger.trouble == nil }
            #expect(try await presenter.next("survey.present")["surveyId"] == "a")
        }
    }
}
