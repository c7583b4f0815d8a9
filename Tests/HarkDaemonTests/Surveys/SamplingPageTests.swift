import Foundation
import HarkSystem
import HarkTesting
import HarkWire
import Testing

@testable import HarkDaemon

/// Runs `docs/guides/sampling.md` from the survey's file to the analysis, with a made-up clock.
@Suite("The page of experience sampling")
struct SamplingPageTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appending(path: "../../..").standardizedFileURL
    private let page: String

    init() throws {
        page = try String(contentsOf: Self.root.appending(path: "docs/guides/sampling.md"), encoding: .utf8)
    }

    private static func sample() throws -> String {
        try String(contentsOf: root.appending(path: "packaging/samples/mood.json"), encoding: .utf8)
    }

    /// The code blocks of a language below a heading.
    private func blocks(_ language: String, of title: String) throws -> [String] {
        let part = try #require(page.components(separatedBy: "\n## ").first { $0.hasPrefix("\(title)\n") })
        return part.components(separatedBy: "```\(language)\n").dropFirst().compactMap {
            $0.components(separatedBy: "\n```").first
        }
    }

    @Test("shows the schedule of the sample")
    func sample() throws {
        let block = try #require(try blocks("json", of: "A week with one machine").first)
        let shown = try JSONReader.read("{\(block)}")
        let sample = try JSONReader.read(Self.sample())["surveys"]?[0]
        let members = try #require(shown.objectValue)
        for member in members { #expect(sample?[member.key] == member.value, "\(member.key)") }
    }

    @Test("leads through a week of two people, and its scripts tell what came of it")
    func week() async throws {
        let lines = try blocks("sh", of: "A week with one machine").map { $0.split(separator: "\n").map(String.init) }
        try #require(lines.map(\.count) == [3, 1, 1, 3])
        let scripts = (r: try blocks("r", of: "Analysis"), python: try blocks("python", of: "Analysis"))
        try await DaemonFixture.run(configuration: #"{"notify":null}"#, surveys: try Self.sample()) { fixture in
            let folder = fixture.folder.path
            /// Runs a command of the page, and writes its output into a file if the line says so.
            func run(_ line: String) async throws -> String {
                let parts = line.components(separatedBy: " > ")
                let words = parts[0].split(separator: " ").dropFirst().map(String.init)
                let output = try await fixture.hark(words.map { $0 == "mood-data" ? "\(folder)/mood-data" : $0 })
                if parts.count > 1 { try Data(output.utf8).write(to: URL(fileURLWithPath: "\(folder)/\(parts[1])")) }
                return output
            }
            for line in lines[0] { #expect(try await run(line).contains("mood"), "\(line)") }
            #expect(try await run(lines[1][0]).contains("blocks 6 1800 540-1260"))
            let client = try fixture.connect()
            let prompts = try await Self.prompts(client)
            try #require(prompts.count == 84)
            for (number, prompt) in prompts.enumerated() {
                let seconds = Double(prompt.at.milliseconds - fixture.clock.now.milliseconds) / 1_000
                fixture.clock.advance(seconds: max(0, seconds) + 1)
                try await client.call("session.start", #"{"userId":"\#(prompt.user)"}"#)
                try await eventually("prompt \(number) comes") {
                    fixture.daemon.surveys.lookAtClock()
                    return try await Self.pending(client, of: prompt.user) != nil
                }
                let id = try #require(try await Self.pending(client, of: prompt.user))
                let place = #""presentationId":"\#(id)""#
                if number % 5 == 0 { continue }
                try await client.call("survey.notified", "{\(place)}")
                if number % 7 == 0 { continue }
                fixture.clock.advance(seconds: 20)
                try await client.call("survey.present", #"{\#(place),"surface":"window"}"#)
                fixture.clock.advance(seconds: 30)
                let score = 1 + number % 7
                let answers = #"{"happy":\#(score),"tense":\#(8 - score),"focus":4,"alone":"alone"}"#
                try await client.call("survey.answer", #"{\#(place),"answers":\#(answers)}"#)
            }
            fixture.clock.advance(seconds: 86_400)
            try await eventually("the study is over") {
                fixture.daemon.surveys.lookAtClock()
                return try await client.call("study.list")["participants"]?.arrayValue?.allSatisfy {
                    $0["state"] == "ended"
                }
                    ?? false
            }
            let status = try await run(lines[2][0])
            #expect(status.contains("ada") && status.contains("noPresenter 17, ignored 9"), "\(status)")
            for line in lines[3] { _ = try await run(line) }
            let rows = try String(contentsOfFile: "\(folder)/mood.csv", encoding: .utf8).split(separator: "\r\n")
            #expect(rows.count == 85)
            let compliance = try String(contentsOfFile: "\(folder)/compliance.csv", encoding: .utf8)
            #expect(compliance.contains("mood,ada,,,42,0,0,"), "\(compliance)")
            #expect(FileManager.default.fileExists(atPath: "\(folder)/mood-data/codebook.md"))
            let r = try await Self.script(try #require(scripts.r.first), ["Rscript"], "analysis.R", fixture)
            #expect(r.contains("compliance: mean 0.69"), "\(r)")
            let python = try await Self.script(try #require(scripts.python.first), ["python3"], "analysis.py", fixture)
            #expect(python.contains("of 42") && python.contains("of 58 answers"), "\(python)")
            let report = try await fixture.hark(["report", "--out", "\(folder)/report.html"])
            #expect(report.isEmpty || report.contains("report"))
            #expect(try String(contentsOfFile: "\(folder)/report.html", encoding: .utf8).contains("<h2>Studies</h2>"))
        }
    }

    /// The times of all prompts, with their users, in order.
    @DaemonActor
    private static func prompts(_ client: FixtureClient) async throws -> [(at: Timestamp, user: String)] {
        var prompts: [(at: Timestamp, user: String)] = []
        for user in ["ada", "bob"] {
            let plan = try await client.call("study.plan", #"{"surveyId":"mood","userId":"\#(user)","days":10}"#)
            for day in plan["days"]?.arrayValue ?? [] {
                for prompt in day["prompts"]?.arrayValue ?? [] {
                    prompts.append((try #require(prompt.stringValue.flatMap { Timestamp($0) }), user))
                }
            }
        }
        return prompts.sorted { $0.at < $1.at }
    }

    @DaemonActor
    private static func pending(_ client: FixtureClient, of user: String) async throws -> String? {
        let surveys = try await client.call("survey.pending", #"{"userId":"\#(user)"}"#)["surveys"]?.arrayValue ?? []
        return surveys.first { $0["state"] == "ready" }?["presentationId"]?.stringValue
    }

    /// The output of a script of the page, run in the folder with the tables.
    @DaemonActor
    private static func script(
        _ text: String, _ program: [String], _ name: String, _ fixture: DaemonFixture
    ) async throws -> String {
        let folder = fixture.folder.path
        try Data(text.utf8).write(to: URL(fileURLWithPath: "\(folder)/\(name)"))
        let words = (program + [name]).joined(separator: " ")
        return try await HarkTesting.run(["/bin/sh", "-c", "cd '\(folder)' && \(words)"], on: fixture.loop)
    }
}
