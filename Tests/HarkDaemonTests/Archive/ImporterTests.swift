import HarkStore
import HarkSystem
import HarkTesting
import HarkWire
import Testing

@testable import HarkDaemon

/// Imports that come at the same time.
@Suite(.timeLimit(.minutes(10))) struct ImporterTests {
    @Test("a session whose import is not on disk yet is not told to be there already")
    func twice() async throws {
        try await DaemonFixture.run(configuration: #"{"archive":false}"#) { fixture in
            let (client, other) = (try fixture.connect(), try fixture.connect())
            try await other.call("hello")
            let hold = fixture.holdWriter()
            defer { hold.end() }
            for id in 1...2 {
                try client.send(
                    """
                    {"id":\(id),"method":"session.import","params":{"session":{\
                    "id":"0199e0f4-8c7a-7000-8000-00000000abcd","startedAt":"2026-01-02T03:04:05.678Z"}}}\n
                    """)
            }
            // Time for an answer that does not wait.
            for _ in 0..<100 { try await other.call("hello") }
            hold.end()
            for (id, isNew) in [(1, true), (2, false)] {
                let reply = try await client.reply()
                #expect(reply["id"] == .int(Int64(id)))
                #expect(reply["result"]?["created"] == .bool(isNew))
            }
        }
    }

    @Test("a session whose import is on its way to the disk when others have been removed is imported once")
    func whileCleared() async throws {
        try await DaemonFixture.run(configuration: #"{"archive":false}"#) { fixture in
            let (client, other) = (try fixture.connect(), try fixture.connect())
            try await client.call("session.start", #"{"userId":"bob"}"#)
            try await client.call("event.record", #"{"name":"x"}"#)
            @DaemonActor func `import`(_ id: Int) throws {
                try client.send(
                    """
                    {"id":\(id),"method":"session.import","params":{"session":{\
                    "id":"0199e0f4-8c7a-7000-8000-00000000abcd","startedAt":"2026-01-02T03:04:05.678Z"}}}\n
                    """)
            }
            // The commit after that of the clear waits as well.
            var next: Hold?
            fixture.daemon.ledger.alsoOnCommit { _, report in
                if next == nil, report.marked.contains(where: \.isAny) { next = fixture.holdWriter() }
            }
            let hold = fixture.holdWriter()
            try other.send(#"{"id":1,"method":"event.clear","params":{"userId":"bob"}}"# + "\n")
            try await eventually("the clear is decided") { !fixture.daemon.ledger.isSettled }
            try `import`(1)
            for _ in 0..<3 { _ = try await client.ask("nothing") }
            hold.end()
            try await eventually("the clear is on disk") { next != nil }
            try `import`(2)
            for _ in 0..<20 { _ = try await client.ask("nothing") }
            next?.end()
            var created: [JSONValue?] = []
            for _ in 1...2 { created.append(try await client.reply()["result"]?["created"]) }
            #expect(created == [true, false])
            #expect(try await other.reply()["result"]?["sessions"] == 1)
        }
    }
}
