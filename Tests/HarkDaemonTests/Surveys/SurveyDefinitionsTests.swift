import Foundation
import HarkCore
import HarkSystem
import HarkTesting
import HarkWire
import Testing

@testable import HarkDaemon

/// The questions that a survey has asked, and its results in parts.
@Suite struct SurveyDefinitionsTests {
    private static func survey(_ questions: String) -> String {
        """
        {"surveys":[{"id":"s","title":"t","message":"m","oncePerSession":false,"trigger":{"event":{"name":"go"}},
        "questions":[\(questions)]}]}
        """
    }

    private static let first = #"{"id":"a","type":"single","question":"A?","options":["x","y"]}"#
    private static let second =
        first + #","# + #"{"id":"n","type":"nps","question":"N?"},{"id":"r","type":"rating","question":"R?"}"#

    /// Shows the survey, and answers it if answers are given.
    @DaemonActor
    private static func show(_ client: FixtureClient, _ answers: String?, _ more: String = "") async throws {
        try await client.call("event.record", #"{"name":"go"}"#)
        let shown = try await client.call("survey.present", #"{"surface":"window"\#(more)}"#)
        let id = shown["survey"]?["presentationId"] ?? .null
        guard let answers else {
            try await client.call("survey.dismiss", #"{"presentationId":\#(id)}"#)
            return
        }
        try await client.call("survey.answer", #"{"presentationId":\#(id),"answers":\#(answers)}"#)
    }

    private static let lax = #"{"notify":null,"debug":{"bypassGating":true}}"#

    @Test("each version that was shown is told once, with how often and when; what nobody saw is in none")
    func versions() async throws {
        try await DaemonFixture.run(configuration: Self.lax, surveys: Self.survey(Self.first)) { daemon in
            let (client, clock) = (try daemon.connect(), daemon.clock)
            var told = try await client.call("survey.definitions", #"{"surveyId":"s"}"#)
            #expect(told["definitions"] == [] && told["next"] == .null)
            #expect(told["current"]?["questions"]?[0]?["id"] == "a")
            let start = clock.now
            for _ in 0..<3 {
                try await Self.show(client, #"{"a":"x"}"#)
                clock.advance(seconds: 100)
            }
            // Scheduled, and seen by nobody.
            try await client.call("event.record", #"{"name":"go"}"#)
            try daemon.write(surveys: Self.survey(Self.second))
            try await client.call("daemon.reload")
            try await Self.show(client, nil)
            told = try await client.call("survey.definitions", #"{"surveyId":"s"}"#)
            let definitions = told["definitions"]?.arrayValue ?? []
            #expect(definitions.map { $0["count"] } == [3, 1], "\(told)")
            #expect(definitions.first?["firstAt"]?.stringValue == start.description)
            #expect(definitions.first?["lastAt"]?.stringValue == start.adding(milliseconds: 200_000).description)
            #expect(definitions.map { $0["shown"]?["questions"]?.arrayValue?.count } == [1, 3])
            let history =
                try await client.call("survey.history", #"{"surveyId":"s"}"#)["presentations"]?.arrayValue ?? []
            #expect(history.first?["version"] == definitions.first?["version"])
            #expect(Set(history.compactMap { $0["version"]?.stringValue }).count == 2)
            // It is the same without the survey, and for a user with no showing of it.
            try daemon.write(surveys: #"{"surveys":[]}"#)
            try await client.call("daemon.reload")
            told = try await client.call("survey.definitions", #"{"surveyId":"s"}"#)
            #expect(told["current"] == .null && told["definitions"]?.arrayValue == definitions)
            let other = try await client.ask("survey.definitions", #"{"surveyId":"s","userId":"bob"}"#)
            #expect(other["error"]?["data"]?["reason"] == "notFound", "\(other)")
        }
    }

    @Test("versions that take more than a page come in several, and their counts add up")
    func pages() async throws {
        let long = String(repeating: "w", count: 3_000)
        func survey(_ number: Int) -> String {
            let options = [#""v1""#] + (0..<150).map { #""\#($0) \#(number) \#(long)""# }
            return Self.survey(
                #"{"id":"a","type":"single","question":"A?","options":[\#(options.joined(separator: ","))]}"#)
        }
        try await DaemonFixture.run(configuration: Self.lax, surveys: survey(0)) { daemon in
            let client = try daemon.connect()
            for number in [0, 1, 2, 0] {
                try daemon.write(surveys: survey(number))
                try await client.call("daemon.reload")
                try await Self.show(client, #"{"a":"v1"}"#)
            }
            var (counts, pages, after): ([String: Int64], Int, String?) = ([:], 0, nil)
            repeat {
                let cursor = after.map { #","after":"\#($0)""# } ?? ""
                let page = try await client.call("survey.definitions", #"{"surveyId":"s"\#(cursor)}"#)
                for definition in page["definitions"]?.arrayValue ?? [] {
                    counts[definition["version"]?.stringValue ?? "", default: 0] += definition["count"]?.intValue ?? 0
                }
                after = page["next"]?.stringValue
                pages += 1
            } while after != nil && pages < 20
            #expect(counts.values.sorted() == [1, 1, 2], "\(counts.values) in \(pages) pages")
            #expect(pages > 1)
        }
    }

    @Test("results tell intervals, people beside answers, and where people stopped")
    func results() async throws {
        try await DaemonFixture.run(configuration: Self.lax, surveys: Self.survey(Self.second)) { daemon in
            let (client, clock) = (try daemon.connect(), daemon.clock)
            for user in ["ada", "bob"] {
                try await client.call("session.start", #"{"userId":"\#(user)"}"#)
                for score in [10, 9, 9, 8, 2] { try await Self.show(client, #"{"a":"x","n":\#(score),"r":4}"#) }
            }
            // Two answer the first, and leave at the second.
            for _ in 0..<2 {
                try await client.call("event.record", #"{"name":"go"}"#)
                let shown = try await client.call("survey.present", #"{"surface":"window"}"#)
                let id = shown["survey"]?["presentationId"] ?? .null
                clock.advance(seconds: 3)
                try await client.call(
                    "survey.answer", #"{"presentationId":\#(id),"answers":{"a":"y"},"partial":true}"#)
                clock.advance(seconds: 4)
                try await client.call("survey.dismiss", #"{"presentationId":\#(id)}"#)
            }
            let results = try await client.call("survey.results", #"{"surveyId":"s"}"#)
            #expect(results["answered"] == 10 && results["people"] == 2 && results["anonymous"] == 0, "\(results)")
            let questions = results["questions"]?.arrayValue ?? []
            #expect(questions.map { $0["answered"] } == [10, 10, 10])
            let share = questions.first?["answers"]?[0]?["share"]
            let wilson = WilsonInterval(10, of: 10)
            #expect(share?["low"]?.doubleValue == wilson.low && share?["high"]?.doubleValue == 1)
            let score = NetPromoterScore(promoters: 6, detractors: 2, of: 10)
            #expect(questions.dropFirst().first?["netPromoterScore"]?.doubleValue == 40)
            #expect(questions.dropFirst().first?["netPromoterInterval"]?["low"]?.doubleValue == score.estimate?.low)
            #expect(
                questions.last?["mean"]?.doubleValue == 4 && questions.last?["meanInterval"]?["high"]?.doubleValue == 4)
            let ways = results["dropOff"]?.arrayValue ?? []
            #expect(ways.map { $0["questionId"] } == ["a", "n", "r"])
            #expect(ways.map { $0["seen"] } == [12, 12, 10] && ways.map { $0["answered"] } == [12, 10, 10], "\(ways)")
            #expect(ways.map { $0["left"] } == [0, 2, 0], "\(ways)")
            #expect(results["parts"] == nil)
        }
    }

    @Test("waves and what showings have in common make parts, each with the change from the wave before")
    func parts() async throws {
        try await DaemonFixture.run(configuration: Self.lax, surveys: Self.survey(Self.second)) { daemon in
            let (client, clock) = (try daemon.connect(), daemon.clock)
            var waves = [clock.now]
            for answers in [(12, 4), (9, 6)] {
                for number in 0..<(answers.0 + answers.1) {
                    let isFirst = number < answers.0
                    try await Self.show(
                        client, #"{"a":"\#(isFirst ? "x" : "y")","n":\#(isFirst ? 10 : 0),"r":\#(isFirst ? 5 : 2)}"#,
                        #","locale":"\#(number % 4 == 0 ? "de" : "en")""#)
                }
                clock.advance(seconds: 1_000)
                waves.append(clock.now)
            }
            let boundaries = waves.map { #""\#($0)""# }.joined(separator: ",")
            var results = try await client.call("survey.results", #"{"surveyId":"s","boundaries":[\#(boundaries)]}"#)
            var parts = results["parts"]?.arrayValue ?? []
            #expect(parts.map { $0["answered"] } == [16, 15] && results["answered"] == 31, "\(results)")
            #expect(parts.map { $0["from"]?.stringValue } == waves.dropLast().map(\.description))
            #expect(parts.first?["questions"]?[0]?["answers"]?[0]?["change"] == nil)
            let change = parts.last?["questions"]?[0]?["answers"]?[0]?["change"]
            let expected = Estimate.change(from: (12, 16), to: (9, 15))
            #expect(change?["value"]?.doubleValue == expected?.value && change?["low"]?.doubleValue == expected?.low)
            let score = parts.last?["questions"]?[1]?["change"]?["value"]?.doubleValue ?? 0
            #expect(abs(score - (20 - 50)) < 1e-9, "\(parts)")
            results = try await client.call("survey.results", #"{"surveyId":"s","by":"locale"}"#)
            parts = results["parts"]?.arrayValue ?? []
            #expect(parts.map { $0["by"] } == ["de", "en"] && parts.map { $0["answered"] } == [8, 23], "\(results)")
            results = try await client.call(
                "survey.results", #"{"surveyId":"s","since":"\#(waves[1])","until":"\#(waves[2])"}"#)
            #expect(results["answered"] == 15)
            let refusal = try await client.ask("survey.results", #"{"surveyId":"s","by":"@plan"}"#)
            #expect(refusal["error"]?["data"]?["reason"] == "invalidParams", "\(refusal)")
        }
    }
}
