import Glibc
import HarkSystem
import HarkTesting
import HarkWire
import Testing

@testable import HarkDaemon
@testable import HarkServer

/// Clients have the loop in turns.
@Suite(.timeLimit(.minutes(45))) struct LineTurnsTests {
    /// Acts as if the user's clients had sent megabytes.
    @DaemonActor private static func haveSentMuch(_ server: Server) {
        server.turns.turns(of: geteuid()).spend(1_000_000, at: SystemClock.monotonicMicroseconds, isShort: false)
    }

    private static func socketPair() throws -> (Int32, Int32) {
        var ends: [Int32] = [0, 0]
        try syscall("socketpair") { socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) }
        return (ends[0], ends[1])
    }

    @Test("who waits for a turn gets one while something else is ready all the time")
    func overdue() async throws {
        try await DaemonFixture.run { fixture in
            let client = try fixture.connect()
            try await client.call("daemon.status")
            let server = fixture.daemon.server
            // Nobody writes, so there is room for ever.
            let (near, far) = try Self.socketPair()
            var dispatched = 0
            let source = try fixture.loop.watch(near, for: .write) { _ in dispatched += 1 }
            defer {
                source.cancel()
                close(near)
                close(far)
            }
            for _ in 0..<5 {
                Self.haveSentMuch(server)
                let before = dispatched
                try await client.call("event.record", #"{"name":"tap"}"#)
                #expect(dispatched > before)
            }
        }
    }

    @Test("what is asked in such a turn is answered also when nothing comes behind it")
    func last() async throws {
        try await DaemonFixture.run { fixture in
            let client = try fixture.connect()
            try await client.call("daemon.status")
            let server = fixture.daemon.server
            let (near, far) = try Self.socketPair()
            var slow = 0
            let source = try fixture.loop.watch(near, for: .read) { _ in
                var byte: UInt8 = 0
                #expect(read(near, &byte, 1) == 1)
                // Longer than anybody waits for a turn.
                let start = SystemClock.monotonicMicroseconds
                while SystemClock.monotonicMicroseconds < start + 4_000 {}
                slow += 1
            }
            defer {
                source.cancel()
                close(near)
                close(far)
            }
            for round in 1...20 {
                Self.haveSentMuch(server)
                // The request is read before the slow work, and its turn comes behind it.
                try client.send(#"{"id":1,"method":"event.record","params":{"name":"tap"}}"# + "\n")
                try syscall("write") { write(far, " ", 1) }
                #expect(try await client.reply()["result"] != nil)
                try await eventually("that is over") { slow == round }
            }
        }
    }

    @Test("who has sent nothing more does not stand in line, however long the last request took")
    func nothingMore() async throws {
        try await DaemonFixture.run { fixture in
            let client = try fixture.connect()
            try await client.call("daemon.status")
            let server = fixture.daemon.server
            let connection = try #require(server.connections.values.first)
            // Its properties take longer to read than a slice.
            let properties = (0..<2_000).map { #""p\#($0)":\#($0)"# }.joined(separator: ",")
            for isBusy in [false, true] {
                if isBusy { Self.haveSentMuch(server) }
                try client.send(#"{"id":1,"method":"event.validate","params":{"properties":{\#(properties)}}}"# + "\n")
                var standsInLine = false
                repeat {
                    await earlierJobs()
                    let hasMore = connection.hasArrived || !connection.input.isEmpty
                    standsInLine = standsInLine || connection.isWaitingForTurn && !hasMore
                } while client.isSilent
                #expect(!standsInLine)
                _ = try await client.line()
            }
        }
    }
}
