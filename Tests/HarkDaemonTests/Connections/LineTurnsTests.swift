import Glibc
import HarkSystem
import HarkTesting
import HarkWire
import Testing

@testable import HarkDaemon

/// Clients have the loop in turns.
@Suite(.timeLimit(.minutes(5))) struct LineTurnsTests {
    @Test("who waits for a turn gets one while something else is ready all the time")
    func overdue() async throws {
        try await DaemonFixture.run { fixture in
            let client = try fixture.connect()
            try await client.call("daemon.status")
            let server = fixture.daemon.server
            // A descriptor that is readable for ever.
            var ends: [Int32] = [0, 0]
            try syscall("pipe") { pipe(&ends) }
            let ready = FileDescriptor(owning: ends[0])
            let writing = FileDescriptor(owning: ends[1])
            try syscall("write") { write(writing.raw, " ", 1) }
            var dispatched = 0
            let source = try fixture.loop.watch(ready.raw, for: .read) { _ in dispatched += 1 }
            defer { source.cancel() }
            for _ in 0..<5 {
                // As if the user's clients had sent megabytes.
                server.turns.turns(of: geteuid())
                    .spend(1_000_000, at: SystemClock.monotonicMicroseconds, isShort: false)
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
            var ends: [Int32] = [0, 0]
            try syscall("pipe") { pipe(&ends) }
            let ready = FileDescriptor(owning: ends[0])
            let writing = FileDescriptor(owning: ends[1])
            var slow = 0
            let source = try fixture.loop.watch(ready.raw, for: .read) { _ in
                var byte: UInt8 = 0
                #expect(read(ready.raw, &byte, 1) == 1)
                // Longer than anybody waits for a turn.
                let start = SystemClock.monotonicMicroseconds
                while SystemClock.monotonicMicroseconds < start + 4_000 {}
                slow += 1
            }
            defer { source.cancel() }
            for round in 1...20 {
                server.turns.turns(of: geteuid())
                    .spend(1_000_000, at: SystemClock.monotonicMicroseconds, isShort: false)
                // So that the request is taken up before what is slow, and its turn comes behind it.
                try client.send(#"{"id":1,"method":"event.record","params":{"name":"tap"}}"# + "\n")
                try syscall("write") { write(writing.raw, " ", 1) }
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
                if isBusy {
                    server.turns.turns(of: geteuid())
                        .spend(1_000_000, at: SystemClock.monotonicMicroseconds, isShort: false)
                }
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
