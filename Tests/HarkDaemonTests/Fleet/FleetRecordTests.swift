import Glibc
import HarkCore
import HarkStore
import HarkSystem
import HarkTesting
import HarkWire
import Testing

@testable import HarkDaemon
@testable import HarkLedger

/// The records of a fleet in a whole daemon: written by a machine, and shown by its hub.
@Suite(.timeLimit(.minutes(45))) struct FleetRecordTests {
    private static let settings = #"{"archive":false,"notify":null}"#
    private static let surveys = """
        {"surveys":[{"id":"a","title":"A","message":"?","options":["Yes","No"],"trigger":{"event":{"name":"a"}}}]}
        """
    private static let machine: UInt32 = 4_000_000_000

    /// All records of these kinds.
    @DaemonActor
    private static func records(_ kinds: Record.Kinds, _ fixture: DaemonFixture) throws -> [Record] {
        var query = RecordQuery(limit: .max)
        query.kinds = kinds
        return try fixture.daemon.ledger.lookUp { [query] reader throws(StoreError) in
            try reader.records(query, maxBytes: .max).records
        }
    }

    @DaemonActor
    private static func answer(_ client: FixtureClient) async throws {
        try await client.call("session.start", #"{"userId":"ada"}"#)
        try await client.call("event.record", #"{"name":"a","properties":{"plan":"pro","n":3}}"#)
        let shown = try await client.call("survey.present")["survey"]?["presentationId"]?.stringValue
        try await client.call(
            "survey.answer", #"{"presentationId":"\#(try #require(shown))","option":"Yes"}"#)
    }

    @Test("without a fleet neither a survey nor a clear leaves a record of it")
    func off() async throws {
        try await DaemonFixture.run(configuration: Self.settings, surveys: Self.surveys) { fixture in
            let client = try fixture.connect()
            try await Self.answer(client)
            try await client.call("event.clear", #"{"userId":"bob"}"#)
            #expect(try Self.records(.all, fixture).map(\.sequence) == [1, 2, 3, 4])
            #expect(try Self.records([.presentation, .clear], fixture).isEmpty)
        }
    }

    @Test("no list, stream, export or count shows what only the hub is sent, and it survives a restart")
    func hidden() async throws {
        try await DaemonFixture.run(
            configuration: #"{"archive":true,"notify":null}"#, surveys: Self.surveys
        ) { fixture in
            let client = try fixture.connect()
            let listener = try fixture.connect()
            try await listener.call("event.subscribe")
            fixture.daemon.ledger.adjust { $0.recordsForFleet = true }
            #expect(fixture.daemon.ledger.settings.recordsForFleet)
            try await Self.answer(client)
            try await client.call("event.clear", #"{"userId":"bob"}"#)
            try await client.call("log.write", #"{"message":"m"}"#)
            try await client.call("event.record", #"{"name":"last"}"#)
            let closing = try #require(try Self.records([.presentation], fixture).first)
            #expect(Presentation(closing)?.answers["option"] == .choice("Yes"))
            #expect(try Self.records(.all, fixture).map(\.kind.rawValue) == [1, 0, 0, 0, 6, 7, 3, 0])

            let names: [JSONValue?] = ["a", "survey_presented", "survey_response", "last"]
            let events = try await client.call("event.list")["events"]?.arrayValue ?? []
            #expect(events.map { $0["name"] } == names)
            #expect(try await client.call("event.stats")["total"]?["count"] == 4)
            #expect(try await client.call("log.list")["entries"]?.arrayValue?.count == 1)
            let sessions = try await client.call("session.list")["sessions"]?.arrayValue ?? []
            #expect(sessions.count == 1)
            #expect(sessions.first?["eventCount"] == 4)
            try await listener.call("hello")
            var told: [JSONValue?] = []
            while let message = listener.takeNotification() { told.append(message["params"]?["event"]?["name"] ?? nil) }
            #expect(told == [nil] + names)
            let status = try await client.call("daemon.status")
            #expect(status["store"]?["events"] == 4)
            #expect(status["store"]?["sessions"] == 1)

            try await fixture.restart()
            #expect(try Self.records([.presentation, .clear], fixture).map(\.sequence) == [5, 6])
            let again = try fixture.connect()
            #expect(try await again.call("event.list")["events"]?.arrayValue?.count == 4)
        }
    }

    @Test("a clear is told after what it took, outlasts the next one, and nobody can import beside it")
    func clears() async throws {
        try await DaemonFixture.run(configuration: Self.settings) { fixture in
            let client = try fixture.connect()
            fixture.daemon.ledger.adjust { $0.recordsForFleet = true }
            let started = try await client.call("session.start", #"{"userId":"ada"}"#)
            let id = try #require((started["session"]?["id"] ?? started["id"])?.stringValue.flatMap { Identifier($0) })
            #expect(try await client.call("event.clear", #"{"sessionId":"\#(id)"}"#)["sessions"] == 1)
            #expect(try await client.call("event.clear", #"{"userId":null}"#)["sessions"] == 0)
            #expect(try await client.call("event.clear", #"{"userId":"ada"}"#)["sessions"] == 0)
            #expect(try await client.call("event.clear", #"{"all":true}"#)["sessions"] == 0)
            let records = try Self.records(.all, fixture)
            let uid: UInt32? = getuid() == 0 ? nil : getuid()
            #expect(
                records.map { ClearNotice($0) }
                    == [.session(id), .user(nil), .hashedUser(KeyedHash(of: "ada", key: records[2].session.id)), .all]
                    .map { ClearNotice(target: $0, uid: uid) })
            #expect(records.map(\.sequence) == [2, 3, 4, 5])
            #expect(records.allSatisfy { $0.source.uid == getuid() && $0.session.scope.uid == getuid() })
            #expect(Set(records.map(\.session.row)).count == 4)

            let own = try #require(records.first).session.id
            let refused = try await client.ask(
                "session.import", #"{"session":{"id":"\#(own)","startedAt":"2026-11-20T03:04:05.678Z"}}"#)
            #expect(refused["error"]?["data"]?["reason"] == "conflict")
            let event = try await client.ask(
                "event.import",
                """
                {"sessionId":"\(own)","event":{"id":"0199e0f4-8c7a-7000-8000-00000000cafe","name":"x",\
                "timestamp":"2026-11-20T03:05:00.000Z"}}
                """)
            #expect(event["error"]?["data"]?["reason"] == "notFound")
        }
    }

    @Test("a clear that is refused by the store leaves no record of it, and the next one does")
    func refused() async throws {
        let commit = NthCommit(1)
        try await DaemonFixture.run(configuration: Self.settings) { fixture in
            let client = try fixture.connect()
            fixture.daemon.ledger.adjust { $0.recordsForFleet = true }
            try await client.call("event.record", #"{"name":"before"}"#)
            try await eventually("all is quiet") { fixture.daemon.ledger.isSettled }
            commit.install(in: fixture.daemon.ledger.store)
            let refused = try await client.ask("event.clear", #"{"all":true}"#)
            #expect(refused["error"]?["data"]?["reason"] == "storeUnavailable")
            #expect(try Self.records([.clear], fixture).isEmpty)
            // Set from outside, it outlasts that.
            #expect(try await client.call("event.clear", #"{"all":true}"#)["sessions"] == 1)
            #expect(try Self.records(.all, fixture).map(\.kind) == [.clear])
        }
    }

    @Test("a hub counts what was taken over of all machines, also of a survey it does not know")
    func hub() async throws {
        try await DaemonFixture.run(configuration: Self.settings, surveys: Self.surveys) { fixture in
            let client = try fixture.connect()
            fixture.daemon.ledger.adjust { $0.recordsForFleet = true }
            try await Self.answer(client)
            let closing = try #require(try Self.records([.presentation], fixture).first)
            fixture.daemon.ledger.adjust { $0.recordsForFleet = false }
            let before = try Self.records(.all, fixture).count

            for (number, survey) in ["a", "far", "far"].enumerated() {
                let members = closing.properties.members.map { key, value -> (String, PropertyValue) in
                    switch key {
                    case "presentationId":
                        (key, PropertyValue.string(Identifier(high: 1, low: UInt64(number)).description))
                    case "surveyId": (key, .string(survey))
                    default: (key, value)
                    }
                }
                let uid = Self.machine + UInt32(number)
                let presentation = try #require(
                    Presentation(record: Properties(members), named: survey, uid: uid))
                for _ in 1...2 {
                    _ = try await fixture.daemon.ledger.decide { engine, changes, _ throws(WireError) in
                        try engine.takeOverPresentation(presentation, uid: uid, into: &changes)
                    }.stored()
                }
            }
            try await client.call("event.record", #"{"name":"a"}"#)
            let known = try await client.call("survey.results", #"{"surveyId":"a"}"#)
            // Only root sees what other uids were shown.
            let isRoot = getuid() == 0
            #expect(known["answered"] == (isRoot ? 2 : 1))
            #expect(try Self.records(.all, fixture).count == before + 1)
            guard isRoot else { return }
            #expect(known["questions"]?[0]?["answers"]?[0] == ["value": "Yes", "count": 2])
            let unknown = try await client.call("survey.results", #"{"surveyId":"far"}"#)
            #expect(unknown["answered"] == 2)
            #expect(unknown["shown"] == 2)
            let history = try await client.call("survey.history", #"{"surveyId":"far"}"#)["presentations"]
            #expect(history?.arrayValue?.map { $0["uid"] } == [4_000_000_001, 4_000_000_002])
            #expect(history?[0]?["userId"] == "ada")
            #expect(history?[0]?["state"] == "answered")
            #expect(history?[0]?["properties"] == ["plan": "pro", "n": 3])
            let parts = try await client.call("survey.results", #"{"surveyId":"far","by":"plan"}"#)["parts"]
            #expect(parts?.arrayValue?.map { $0["by"] } == ["pro"] && parts?[0]?["answered"] == 2)
        }
    }
}
