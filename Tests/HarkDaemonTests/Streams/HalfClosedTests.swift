import HarkSystem
import HarkTesting
import HarkWire
import Testing

@testable import HarkDaemon
@testable import HarkServer

/// Clients that send no more, and go on reading.
@Suite(.timeLimit(.minutes(45))) struct HalfClosedTests {
    @Test("who has stopped sending gets what was asked for before, however long that takes")
    func reply() async throws {
        try await DaemonFixture.run { fixture in
            let client = try fixture.connect()
            try await client.call("hello")
            // A reference to a connection keeps its descriptor open.
            weak let connection = fixture.daemon.server.connections.values.first
            let hold = try await fixture.holdReader()
            defer { hold.end() }
            try client.send(#"{"id":7,"method":"event.list"}"# + "\n")
            try await eventually("it is being looked up") { connection?.deferredCalls == 1 }
            client.finishSending()
            try await eventually("the end is known") { connection?.isInputOver != false }
            #expect(connection?.isClosed == false && connection?.isGone == false)
            hold.end()
            #expect(try await client.reply()["id"] == 7)
            await #expect(throws: FixtureClient.Ended.self) { try await client.line() }
        }
    }

    @Test("what came together with the end is dealt with, and the end known")
    func together() async throws {
        try await DaemonFixture.run { fixture in
            let client = try fixture.connect()
            // The loop looks at neither before both are there.
            try client.send(
                #"{"id":1,"method":"hello"}"# + "\n" + #"{"id":2,"method":"event.record","params":{"name":"x"}}"#)
            client.finishSending()
            #expect(try await client.reply()["id"] == 1)
            #expect(try await client.reply()["id"] == 2)
            await #expect(throws: FixtureClient.Ended.self) { try await client.line() }
        }
    }
}
