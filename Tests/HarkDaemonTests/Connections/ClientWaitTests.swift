import HarkSystem
import HarkTesting
import HarkWire
import Testing

@testable import HarkDaemon
@testable import HarkServer

/// Clients that wait for long, and what all of them may have.
@Suite(.timeLimit(.minutes(45))) struct ClientWaitTests {
    @Test("clients that sent more waits than are taken at a time and went do not keep their connections")
    func gone() async throws {
        try await DaemonFixture.run { fixture in
            let client = try fixture.connect()
            let asked = try await client.call("prompt.ask", #"{"question":"Now?","text":true,"keep":true}"#)
            let id = try #require(asked["prompt"]?["promptId"]?.stringValue)
            let server = fixture.daemon.server
            var waiting: FixtureClient? = try fixture.connect()
            let wait = #"{"id":1,"method":"prompt.wait","params":{"promptId":"\#(id)"}}"# + "\n"
            try waiting?.send(String(repeating: wait, count: ClientConnection.deferredAtOnce + 6))
            try await eventually("as many wait as may") {
                server.connections.values.contains {
                    $0.deferredCalls == ClientConnection.deferredAtOnce && $0.isPaused
                }
            }
            waiting = nil
            try await eventually("its connection is closed") { server.connections.count == 1 }
        }
    }

    @Test("users share memory by what is left: each gets the same, and the next finds as much again")
    func shares() async throws {
        try await DaemonFixture.run { _ in
            let memory = ClientMemory(most: 100 << 20)
            @DaemonActor func fill(_ uid: UInt32) -> Int {
                let user = memory.user(uid)
                while user.resize(from: 0, to: 1 << 18, mostLong: .max) == .counted {}
                return user.taken
            }
            let first = fill(1)
            #expect(first <= 50 << 20 && first > 45 << 20)
            for uid in UInt32(2)...10 { _ = fill(uid) }
            #expect(memory.share > 0 && memory.taken < memory.most)
            #expect(memory.user(1).isBeyondShare)
            #expect(memory.user(11).resize(from: 8 << 10, to: 16 << 10, mostLong: .max) == .counted)
        }
    }
}
