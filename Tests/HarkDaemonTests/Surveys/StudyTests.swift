import Foundation
import HarkSystem
import HarkTesting
import HarkWire
import Testing

@testable import HarkDaemon

/// Studies, tested over the socket and with the store.
@Suite("A study that is stored")
struct StudyTests {
    private static func surveys(_ schedule: String, _ more: String = "") -> String {
        """
        {"surveys":[{"id":"mood","title":"t","message":"m","options":["Good","Bad"],"expireAfterSeconds":900,\(more)
        "trigger":{"schedule":{\(schedule)}}}]}
        """
    }
    private static let six = #""prompts":6,"from":"09:00","until":"21:00","timeZone":"Etc/UTC","seed":"s""#
    private static let ada = #"{"surveyId":"mood","userId":"ada"}"#

    @DaemonActor
    private static func planned(_ client: FixtureClient, days: Int) async throws -> [String] {
        let plan = try await client.call("study.plan", #"{"surveyId":"mood","userId":"ada","days":\#(days)}"#)
        return (plan["days"]?.arrayValue ?? []).flatMap { $0["prompts"]?.arrayValue ?? [] }.compactMap(\.stringValue)
    }

    @DaemonActor
    private static func rows(_ client: FixtureClient) async throws -> [JSONValue] {
        try await client.call("survey.history", #"{"surveyId":"mood","limit":1000}"#)["presentations"]?.arrayValue ?? []
    }

    private static func text(_ row: JSONValue) -> String {
        [row["state"]?.stringValue, row["reason"]?.stringValue].compactMap(\.self).joined(separator: " ")
    }

    @Test("has one row for each planned prompt, over restarts and long times off")
    func restarts() async throws {
        try await DaemonFixture.run(configuration: #"{"notify":null}"#, surveys: Self.surveys(Self.six)) { fixture in
            var client = try fixture.connect()
            try await client.call("study.join", Self.ada)
            let planned = try await Self.planned(client, days: 4)
            try #require(planned.count == 24)
            // Into the second day, with a restart after each step.
            for _ in 0..<7 {
                fixture.clock.advance(seconds: 17_000)
                fixture.daemon.surveys.lookAtClock()
                try await fixture.restart()
                client = try fixture.connect()
            }
            fixture.clock.advance(seconds: 2 * 86_400)
            try await fixture.restart()
            client = try fixture.connect()
            fixture.clock.advance(seconds: 100_000)
            try await eventually("all that was planned is a row") {
                fixture.daemon.surveys.lookAtClock()
                return try await Self.rows(client).count >= planned.count
            }
            let rows = try await Self.rows(client)
            let times = rows.compactMap { $0["times"]?["plannedAt"]?.stringValue }
            #expect(Array(times.prefix(24)) == planned)
            #expect(Set(rows.compactMap { $0["presentationId"]?.stringValue }).count == rows.count)
            #expect(rows.allSatisfy { Self.text($0) == "expired off" || $0["state"] == "ready" })
        }
    }

    @Test("takes a person who is told to be away for away until they are back")
    func away() async throws {
        try await DaemonFixture.run(configuration: #"{"notify":null}"#, surveys: Self.surveys(Self.six)) { fixture in
            let client = try fixture.connect()
            try await client.call("study.join", Self.ada)
            let planned = try await Self.planned(client, days: 1).compactMap { Timestamp($0) }
            @DaemonActor
            func come(_ number: Int) async throws {
                let wait = Double(planned[number].milliseconds - fixture.clock.now.milliseconds) / 1_000
                fixture.clock.advance(seconds: max(0, wait) + 1)
                try await eventually("prompt \(number) comes") {
                    fixture.daemon.surveys.lookAtClock()
                    return try await Self.rows(client).count == number + 1
                }
            }
            try await come(0)
            let id = try await Self.rows(client).last?["presentationId"]?.stringValue ?? ""
            try await client.call("survey.away", #"{"presentationId":"\#(id)","reason":"locked"}"#)
            #expect(try await Self.rows(client).map(Self.text) == ["expired locked"])
            try await come(1)
            try await eventually("it is missed as well") {
                try await Self.rows(client).map(Self.text) == ["expired locked", "expired locked"]
            }
            let presenter = try fixture.connect()
            try await presenter.call("survey.subscribe", #"{"presenter":true,"surface":"notification"}"#)
            try await client.call("session.start", #"{"userId":"ada"}"#)
            try await come(2)
            try await eventually("it is brought to the presenter") {
                try await Self.rows(client).last?["state"] == "presented"
            }
        }
    }

    @Test("is removed with its person, and no byte of the group's name stays")
    func clear() async throws {
        try await DaemonFixture.run(configuration: #"{"notify":null}"#, surveys: Self.surveys(Self.six)) { fixture in
            let client = try fixture.connect()
            try await client.call("study.join", #"{"surveyId":"mood","userId":"ada","group":"groupSecret"}"#)
            let all = try await client.call("user.export", #"{"userId":"ada"}"#)
            let items = all["items"]?.arrayValue ?? []
            #expect(items.contains { $0["participation"]?["group"] == "groupSecret" })
            try await client.call("event.clear", #"{"userId":"ada"}"#)
            #expect(try await client.call("study.list")["participants"]?.arrayValue == [])
            try await client.call("study.join", Self.ada)
            #expect(try await client.call("study.list")["participants"]?.arrayValue?.count == 1)
        }
    }

    @Test("is everybody's if the file says so, the anonymous user's too")
    func everybody() async throws {
        let surveys = Self.surveys(#""times":["17:00"],"participants":"everybody","timeZone":"Etc/UTC""#)
        try await DaemonFixture.run(configuration: #"{"notify":null}"#, surveys: surveys) { fixture in
            let client = try fixture.connect()
            try await eventually("the account takes part") {
                try await client.call("study.list")["participants"]?.arrayValue?.count == 1
            }
            #expect(try await client.call("study.list")["participants"]?[0]?["userId"] == .null)
            fixture.clock.advance(seconds: 17 * 3_600 + 1)
            try await eventually("it is asked") {
                fixture.daemon.surveys.lookAtClock()
                return try await Self.rows(client).map(Self.text) == ["ready"]
            }
            try await client.call("study.leave", #"{"surveyId":"mood"}"#)
            try await fixture.restart()
            let again = try fixture.connect()
            #expect(try await again.call("study.list")["participants"]?[0]?["state"] == "ended")
        }
    }

    @Test("refuses a zone that nobody has, and explains who takes part")
    func explain() async throws {
        try await DaemonFixture.run(configuration: #"{"notify":null}"#, surveys: Self.surveys(Self.six)) { fixture in
            let client = try fixture.connect()
            func participant() async throws -> JSONValue? {
                let told = try await client.call("survey.explain", Self.ada)
                return told["checks"]?.arrayValue?.first { $0["check"] == "participant" }
            }
            #expect(try await participant()?["passed"] == false)
            try await client.call("study.join", Self.ada)
            #expect(try await participant()?["passed"] == true)
            try await client.call("study.pause", Self.ada)
            #expect(try await participant()?["passed"] == false)
            try fixture.write(surveys: Self.surveys(#""times":["17:00"],"timeZone":"Mars/Base""#))
            try await client.call("config.reload")
            let problems = try await client.call("survey.list")["problems"]?.arrayValue ?? []
            #expect(problems.contains { "\($0)".contains("Mars/Base") }, "\(problems)")
        }
    }

    @Test("refuses own hours that cannot hold the prompts, as they are answered to a form")
    func hours() async throws {
        let surveys = Self.surveys(Self.six + #","hours":{"form":"setup","from":"wake","until":"sleep"}"#)
        let forms =
            #"{"forms":[{"id":"setup","title":"T","questions":[{"id":"wake","question":"?"},{"id":"sleep","question":"?"}]}]}"#
        try await DaemonFixture.run(surveys: surveys, forms: forms) { fixture in
            let client = try fixture.connect()
            func answer(_ question: String, _ text: String) async throws -> String? {
                let params = #"{"formId":"setup","userId":"ada","questionId":"\#(question)","answer":"\#(text)"}"#
                return try await client.ask("form.answer", params)["error"]?["message"]?.stringValue
            }
            #expect(try await answer("wake", "at noon")?.contains("must be a time of day") == true)
            #expect(try await answer("wake", "12:00") == nil)
            #expect(try await answer("sleep", "13:00")?.contains("too short") == true)
            #expect(try await answer("sleep", "20:00") == nil)
            let plan = try await client.call("study.plan", Self.ada)["plan"]
            #expect(plan == "blocks 6 900 720-1200")
        }
    }
}
