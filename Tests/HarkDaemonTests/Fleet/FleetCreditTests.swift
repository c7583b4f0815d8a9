import Foundation
import HarkCore
import HarkFleet
import HarkSystem
import HarkTesting
import HarkWire
import Testing

@testable import HarkDaemon

/// Quotas over a fleet: a hub deals their answers to its machines.
@Suite(.timeLimit(.minutes(45))) struct FleetCreditTests {
    private static func surveys(_ answers: Int) -> String {
        """
        {"surveys":[{"id":"rating","title":"T","message":"?","options":["Yes","No"],"oncePerSession":false,
        "trigger":{"event":{"name":"go"}},"quota":{"answers":\(answers)}}]}
        """
    }

    private static let kiosks = ["kiosk-1", "kiosk-2"].map {
        FleetStage.Kiosk(name: $0)
    }

    @DaemonActor
    private static func push(_ answers: Int, _ stage: FleetStage) async throws {
        let params = JSONWriter.object { json in
            json.key("kind")
            json.string("surveys")
            json.key("text")
            json.string(surveys(answers))
        }
        let client = try stage.hub.connect()
        try await client.call("fleet.push", String(decoding: params, as: UTF8.self))
        for machine in stage.machines {
            try await eventually("a machine has the survey") {
                try await machine.asker().call("survey.list")["surveys"]?[0]?["quota"]?[0]?.stringValue?
                    .hasPrefix("\(answers) answer") ?? false
            }
        }
    }

    /// A new user of the machine does what the survey asks after.
    @DaemonActor
    private static func go(_ machine: DaemonFixture, _ user: String, app: String = "default") async throws {
        let client = try machine.connect()
        try await client.call("session.start", #"{"userId":"\#(user)","app":"\#(app)"}"#)
        try await client.call("event.record", #"{"name":"go","app":"\#(app)"}"#)
    }

    /// Shows what may be shown; nil: nothing.
    @DaemonActor
    private static func present(_ machine: DaemonFixture, app: String = "default") async throws -> String? {
        try await machine.asker().call("survey.present", #"{"app":"\#(app)"}"#)["survey"]?["presentationId"]?
            .stringValue
    }

    @DaemonActor
    private static func presented(_ machine: DaemonFixture, app: String = "default") async throws -> String {
        var shown: String?
        try await eventually("the hub lets the machine ask") {
            shown = try await present(machine, app: app)
            return shown != nil
        }
        return try #require(shown)
    }

    @DaemonActor
    private static func answer(_ machine: DaemonFixture, _ id: String) async throws {
        try await machine.asker().call("survey.answer", #"{"presentationId":"\#(id)","option":"Yes"}"#)
    }

    @DaemonActor
    private static func quota(_ machine: DaemonFixture) async throws -> String {
        let checks = try await machine.asker().call("survey.explain", #"{"surveyId":"rating"}"#)["checks"]?.arrayValue
        return checks?.first { $0["check"] == "quota" }?["explanation"]?.stringValue ?? ""
    }

    @Test(
        "two machines ask for two answers together; what one holds is given to the other; the hub records the last one")
    func together() async throws {
        try await FleetStage.run(Self.kiosks) { stage in
            let (one, two) = (stage.machines[0], stage.machines[1])
            try await Self.push(2, stage)
            try await Self.go(one, "ada")
            let first = try await Self.presented(one)
            // Whatever the first holds beyond that is recalled for the second.
            try await Self.go(two, "bob")
            let second = try await Self.presented(two)
            try await Self.go(two, "cyn", app: "other")
            #expect(try await Self.present(two, app: "other") == nil, "both answers are being asked for")
            try await Self.answer(one, first)
            try await eventually("the hub has heard of the first answer") {
                try await Self.quota(one).hasPrefix("2 answers of the fleet: 1 are in, 1 are with machines")
            }
            try await Self.answer(two, second)
            let client = try stage.hub.connect()
            let events = (method: "event.list", params: #"{"name":"survey_quota"}"#)
            try await client.wait(for: events.method, events.params) { $0["events"]?.arrayValue?.count == 1 }
            try await Self.go(one, "dan")
            #expect(try await Self.present(one) == nil)
            // More are wanted, and what had to wait gets its turn.
            try await Self.push(3, stage)
            try await Self.answer(two, try await Self.presented(two, app: "other"))
            try await client.wait(for: events.method, events.params) { $0["events"]?.arrayValue?.count == 2 }
        }
    }

    @Test("over restarts on both sides, and while the hub is away, nobody asks for more than was dealt")
    func restarts() async throws {
        try await FleetStage.run(Self.kiosks) { stage in
            let (one, two) = (stage.machines[0], stage.machines[1])
            try await Self.push(1, stage)
            try await Self.go(one, "ada")
            let shown = try await Self.presented(one)
            try await stage.hub.restart {
                // The hub is away: what is dealt can be used, and nothing else.
                try await Self.go(two, "bob")
                #expect(try await Self.present(two) == nil)
                try await Self.answer(one, shown)
                try await one.restart()
                #expect(try await Self.quota(one).contains("may not ask before it has heard from the hub"))
            }
            try await stage.serves()
            try await eventually("the hub has heard of the answer") {
                try await Self.quota(two).hasPrefix("1 answer of the fleet: 1 are in, 0 are with machines")
            }
            #expect(try await Self.present(two) == nil)
        }
    }
}
