import HarkSystem
import HarkWire
import Testing

@testable import HarkDaemon

/// Lists of what stands in files, a page at a time.
@Suite(.timeLimit(.minutes(45))) struct DocumentPageTests {
    /// The ids on each page.
    @DaemonActor
    private static func walk(
        _ client: FixtureClient, _ method: String, _ list: String, _ id: String, limit: Int
    ) async throws -> [[String]] {
        var pages: [[String]] = []
        var cursor = ""
        while pages.count < 100 {
            let page = try await client.call(method, #"{"limit":\#(limit)\#(cursor)}"#)
            pages.append(page[list]?.arrayValue?.compactMap { $0[id]?.stringValue } ?? [])
            guard let next = page["next"]?.stringValue else { break }
            cursor = #","after":"\#(next)""#
        }
        return pages
    }

    private static func form(_ id: String, title: String = "T") -> String {
        #"{"id":"\#(id)","title":"\#(title)","questions":[{"id":"q","question":"?","type":"text"}]}"#
    }

    private static func survey(_ id: String, title: String = "T") -> String {
        #"{"id":"\#(id)","title":"\#(title)","message":"M","options":["A"],"trigger":{"event":{"name":"x"}}}"#
    }

    @Test("surveys and forms come in pages of as many as are asked for, each once and in order")
    func documents() async throws {
        let surveys = (0..<5).map { Self.survey("s\($0)") }.joined(separator: ",")
        let forms = (0..<4).map { Self.form("f\($0)") }.joined(separator: ",")
        try await DaemonFixture.run(surveys: #"{"surveys":[\#(surveys)]}"#, forms: #"{"forms":[\#(forms)]}"#) {
            fixture in
            let client = try fixture.connect()
            #expect(
                try await Self.walk(client, "survey.list", "surveys", "surveyId", limit: 2) == [
                    ["s0", "s1"], ["s2", "s3"], ["s4"],
                ])
            #expect(
                try await Self.walk(client, "form.list", "forms", "formId", limit: 2) == [["f0", "f1"], ["f2", "f3"]])
            #expect(try await client.call("survey.list")["next"] == .null)
            for method in ["survey.list", "form.list"] {
                let refusal = try await client.ask(method, #"{"after":"nonsense"}"#)["error"]
                #expect(refusal?["data"]?["path"] == "$.params.after")
            }
        }
    }

    @Test("a page ends at about a mebibyte, and one that is longer comes alone")
    func long() async throws {
        let titles = [700_000, 700_000, 1_500_000, 10].map { String(repeating: "t", count: $0) }
        let forms = titles.enumerated().map { Self.form("f\($0)", title: $1) }.joined(separator: ",")
        try await DaemonFixture.run(forms: #"{"forms":[\#(forms)]}"#) { fixture in
            let pages = try await Self.walk(try fixture.connect(), "form.list", "forms", "formId", limit: 1000)
            #expect(pages == [["f0", "f1"], ["f2"], ["f3"]])
        }
    }

    @Test("executions of the settings come in pages, and behind them those that were added; runs on the first")
    func executions() async throws {
        let configured = (0..<3).map { #"{"id":"c\#($0)","listensTo":["n"],"run":{"notify":true}}"# }
        let settings = #"{"counters":{"n":{}},"executions":[\#(configured.joined(separator: ","))]}"#
        try await DaemonFixture.run(configuration: settings) { fixture in
            let client = try fixture.connect()
            for number in 0..<3 {
                try await client.call(
                    "execution.add",
                    #"{"id":"a\#(number)","listensTo":["n"],"keepAlive":true,"run":{"notify":true}}"#)
            }
            try await client.call("counter.trigger", #"{"name":"n"}"#)
            let all = ["c0", "c1", "c2", "a0", "a1", "a2"]
            for limit in 1...7 {
                let pages = try await Self.walk(client, "execution.list", "executions", "id", limit: limit)
                #expect(pages.flatMap(\.self) == all && pages.allSatisfy { $0.count <= limit }, "\(limit)")
            }
            let first = try await client.call("execution.list", #"{"limit":2}"#)
            #expect(first["runs"]?.arrayValue?.count == 2 && first["executions"]?[0]?["fired"] == 1)
            let second = try await client.call("execution.list", #"{"limit":2,"after":":c1"}"#)
            #expect(second["runs"] == [] && second["executions"]?[1]?["fired"] == 1)
        }
    }
}
