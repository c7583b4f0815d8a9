import Foundation
import HarkSettings
import HarkSystem
import HarkTesting
import HarkWire
import Testing

@testable import HarkDaemon
@testable import HarkServer

/// The examples of the documentation equal the daemon's replies.
@Suite struct ExampleTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let method: Method
        let index: Int
        var testDescription: String { "\(method.name), example \(index + 1)" }

        static let all = MethodRegistry.all.flatMap { method in
            method.examples.indices.map { Case(method: method, index: $0) }
        }
    }

    @Test("an example of the documentation gets the reply that the documentation shows", arguments: Case.all)
    func example(_ example: Case) async throws {
        try await DaemonFixture.run(examplesOf: example.method) { fixture in
            let (method, example) = (example.method, example.method.examples[example.index])
            let client = try fixture.connect()
            try await client.prepare(example.before)
            let params = try await client.addressed(example.params)
            try client.send(ProtocolDocument.request(params, of: method) + "\n")
            var likeness = Likeness()
            likeness.compare(try await client.reply(), with: try parse(ProtocolDocument.reply(example.result)))
            for documented in example.notifications {
                let notification = try await client.notification()
                likeness.compare(notification, with: try parse(documented))
                let declared = method.notifications.first { notification["method"] == .string($0.name) }
                let params = try #require(declared.map(OpenRPC.params))
                #expect(Shape.members(params).faults(in: notification["params"] ?? .null) == [])
            }
            #expect(likeness.differences == [])
        }
    }

    @Test("the conversation of the documentation goes as it is written down")
    func conversation() async throws {
        try await DaemonFixture.run { fixture in
            let client = try fixture.connect()
            var likeness = Likeness()
            for (request, reply) in ProtocolDocument.conversation {
                try client.send(request + "\n")
                guard let reply else { continue }
                likeness.compare(try await client.reply(), with: try parse(reply))
            }
            #expect(likeness.differences == [])
            #expect(try await client.call("event.list")["events"]?.arrayValue?.count == 2)
        }
    }

    struct RefusalCase: CustomTestStringConvertible, Sendable {
        let method: Method
        let refusal: Method.Refusal
        var testDescription: String { "\(method.name): \(refusal.reason.rawValue) when \(refusal.when)" }

        static let all = MethodRegistry.all.flatMap { method in
            method.refusals.filter { $0.params != nil }.map { RefusalCase(method: method, refusal: $0) }
        }
    }

    @Test("a documented refusal comes when the documentation says so", arguments: RefusalCase.all)
    func refusal(_ refusal: RefusalCase) async throws {
        try await DaemonFixture.run { fixture in
            let client = try fixture.connect()
            for request in refusal.refusal.before {
                try client.send(request + "\n")
                #expect(try await client.reply()["result"] != nil)
            }
            let error = try await client.ask(refusal.method.name, refusal.refusal.params ?? "{}")["error"]
            #expect(error?["data"]?["reason"]?.stringValue == refusal.refusal.reason.rawValue)
            #expect(error?["code"]?.intValue == Int64(refusal.refusal.reason.code))
        }
    }

    @Test(
        "the program of the documentation records an event",
        arguments: [
            ("/usr/bin/python3", ProtocolDocument.pythonExample), ("/bin/sh", ProtocolDocument.shellExample),
        ])
    func program(_ interpreter: String, _ text: String) async throws {
        try await DaemonFixture.run { fixture in
            // Not Foundation's Process: with more than 1,353 descriptors open, as of all tests at once, it reads beyond
            // the end of what it lists them in.
            var command = ChildProcess.Command([interpreter, "-c", text])
            command.environment = ["HARK_SOCKET": fixture.options.paths.socket]
            let outcome = try await withCheckedThrowingContinuation { continuation in
                do {
                    try ChildProcess(command, on: fixture.loop) { continuation.resume(returning: $0) }
                } catch {
                    continuation.resume(throwing: error)
                }
            }
            #expect(outcome.status == .exited(0), "\(String(decoding: outcome.errorOutput, as: UTF8.self))")
            let text = String(decoding: outcome.output, as: UTF8.self)
            let events = try await fixture.connect().call("event.list")["events"]
            #expect(events?[0]?["name"] == "door_opened")
            let id = try #require(events?[0]?["id"]?.stringValue)
            #expect(text.contains(id))
        }
    }
}

private func parse(_ text: String) throws -> JSONValue {
    try JSONReader.read(text)
}
