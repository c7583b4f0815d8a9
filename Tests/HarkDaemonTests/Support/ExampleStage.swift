import HarkSystem
import HarkTesting
import HarkWire
import Testing

@testable import HarkDaemon
@testable import HarkHub
@testable import HarkServer

extension DaemonFixture {
    /// Runs `body` with a daemon that has the data for a method's examples.
    nonisolated static func run(
        examplesOf method: Method, _ body: @escaping @DaemonActor @Sendable (DaemonFixture) async throws -> Void
    ) async throws {
        if method.name.hasPrefix("fleet.") {
            // The first example is of a machine if its reply says so; no broker listens at that port.
            let role =
                method.examples.first.map { $0.result.contains(#""role":"machine""#) } == true ? "machine" : "hub"
            let more = role == "machine" ? #","machine":"kiosk-1","group":"north""# : ""
            return try await run(
                configuration: #"{"fleet":{"broker":"mqtt://127.0.0.1:1","name":"shop","role":"\#(role)"\#(more)}}"#
            ) { fixture in
                try await eventually("the broker was tried") { fixture.daemon.fleet.cause != nil }
                try await body(fixture)
            }
        }
        if method.name.hasPrefix("flags.") {
            return try await run(
                configuration: #"{"flags":{"file":"flags.json"}}"#, flags: ProtocolDocument.sampleFlags, body)
        }
        if method.name.hasPrefix("study.") {
            return try await run(
                configuration: #"{"notify":null}"#, surveys: ProtocolDocument.sampleStudies, body)
        }
        let isAboutSurveys = method.name.hasPrefix("survey.")
        let isAboutForms = ["form.", "profile."].contains { method.name.hasPrefix($0) }
        // Imported records are old, so retention, which runs a moment after the start, must leave them alone.
        let imports = ["session.", "event.import"].contains { method.name.hasPrefix($0) }
        try await run(
            configuration: isAboutSurveys ? #"{"notify":null}"# : imports ? #"{"retention":"none"}"# : nil,
            surveys: isAboutSurveys ? ProtocolDocument.sampleSurveys : nil,
            forms: isAboutForms ? ProtocolDocument.sampleForms : nil, body)
    }
}

extension FixtureClient {
    /// Sends what leads up to an example.
    func prepare(_ requests: [String]) async throws {
        for request in requests {
            try send(try await addressed(request) + "\n")
            let reply = try await reply()
            #expect(reply["result"] != nil, "\(request) was refused: \(reply)")
        }
    }

    /// Puts the id of the presentation there is in the place of the documentation's.
    func addressed(_ request: String) async throws -> String {
        guard request.contains(#""presentationId":""#) else { return request }
        var pending = try await call("survey.pending")["surveys"]?[0]?["presentationId"]?.stringValue
        if pending == nil {
            pending = try await call("survey.history")["presentations"]?[0]?["presentationId"]?.stringValue
        }
        guard let pending else { return request }
        return request.replacing(/"presentationId":"[^"]*"/, with: #""presentationId":"\#(pending)""#)
    }
}
