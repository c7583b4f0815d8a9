import HarkSystem
import HarkTesting
import HarkWire
import Testing

@testable import HarkDaemon

/// Imports that come at the same time.
@Suite(.timeLimit(.minutes(10))) struct ImporterTests {
    @Test(
        "a session whose import is not on disk yet is not told to be there already, also while others are cleared",
        arguments: [false, true])
    func twice(isClearing: Bool) async throws {
        try await DaemonFixture.run(configuration: #"{"archive":false}"#) { fixture in
            let (client, other) = (try fixture.connect(), try fixture.connect())
            try await other.call("hello")
            let hold = fixture.holdWriter()
            defer { hold.end() }
            for id in 1...2 {
                if isClearing {
                    try other.send(#"{"id":"clear","method":"event.clear","params":{"userId":"nobody"}}"# + "\n")
                    try await other.call("hello")
                }
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
}
