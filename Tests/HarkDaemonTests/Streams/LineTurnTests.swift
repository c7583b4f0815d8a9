import HarkCore
import HarkStore
import HarkSystem
import HarkTesting
import HarkWire
import Testing

@testable import HarkDaemon
@testable import HarkLedger
@testable import HarkServer

/// How clients share the loop, and the commits that they wait for.
@Suite(.timeLimit(.minutes(45))) struct LineTurnTests {
    @Test("what somebody had of the loop is forgotten by halves")
    func shares() {
        var share = RecentShare()
        share.spend(8_000, at: 1_000_000)
        #expect(share.spent(at: 1_000_000) == 8_000)
        #expect(share.spent(at: 1_250_000) == 2_000)
        share.spend(1_000, at: 1_250_000)
        #expect(share.spent(at: 1_250_000) == 3_000)
        // A clock that stands still or goes back takes nothing away.
        #expect(share.spent(at: 0) == 3_000)
        #expect(share.spent(at: 100_000_000) == 0)
        share.spend(7, at: 100_000_000)
        #expect(share.spent(at: 100_000_000) == 7)
    }

    @Test("of a user's clients those who ask little come first, but have no more of the loop than the others")
    func order() async throws {
        try await DaemonFixture.run { fixture in
            let clients = try (0..<3).map { _ in try fixture.connect() }
            for client in clients { try await client.call("hello") }
            let connections = Array(fixture.daemon.server.connections.values)
            let turns = UserTurns()
            turns.append(connections[0], isShort: false)
            turns.append(connections[1], isShort: true)
            turns.append(connections[2], isShort: true)
            let now: UInt64 = 1_000_000
            #expect(turns.takeNext(at: now)?.isShort == true)
            turns.spend(500, at: now, isShort: true)
            // Now it is the turn of one who has sent much.
            let second = turns.takeNext(at: now)
            #expect(second?.isShort == false && second?.connection === connections[0])
            turns.spend(20_000, at: now, isShort: false)
            turns.append(connections[0], isShort: false)
            #expect(turns.takeNext(at: now)?.isShort == true)
            #expect(turns.takeNext(at: now)?.isShort == false)
            #expect(turns.takeNext(at: now) == nil && turns.isEmpty)
        }
    }

    @Test("rows fill a commit as records do, and large values the more")
    func fullness() async throws {
        try await DaemonFixture.run { fixture in
            let ledger = fixture.daemon.ledger
            let hold = fixture.holdWriter()
            defer { hold.end() }
            var count = 0
            while !ledger.isFull, count < 100_000 {
                try ledger.decide { engine, changes, _ in engine.remember("y", as: "x", into: &changes) }
                count += 1
            }
            #expect(count == 513)
        }
        let scope = Scope(uid: 1)
        let value = JSONValue.string(String(repeating: "x", count: 60_000))
        let counter = Counter(scope: scope, name: ExactName("c"), initial: value, lifetime: .app)
        #expect(Changes.Row.counters(.putCounter(counter, .set, revision: 1)).weight > 60_000)
    }

    @Test("while a commit is full, a short line finds room, though long ones came before it")
    func room() async throws {
        try await DaemonFixture.run { fixture in
            let (writer, other) = (try fixture.connect(), try fixture.connect())
            for client in [writer, other] { try await client.call("hello") }
            let ledger = fixture.daemon.ledger
            let hold = fixture.holdWriter()
            defer { hold.end() }
            // It is on its way to the disk; new records wait for it.
            try writer.send(#"{"id":1,"method":"event.record","params":{"name":"x"}}"# + "\n")
            try await eventually("a commit is under way") { !ledger.isSettled }
            let text = String(repeating: "a", count: 60_000)
            while !ledger.isFull {
                try ledger.decide { engine, changes, now throws(WireError) in
                    _ = try engine.record(
                        "filler", properties: Properties([("t", .string(text))]), in: Scope(uid: 0, app: "filler"),
                        source: Source(uid: 0, pid: 1), now: now, into: &changes)
                }
            }
            let sequence = {
                var last: UInt64 = 0
                try ledger.decide { engine, _, _ in last = engine.lastSequence }
                return last
            }
            let before = try sequence()
            // Like after a long request: each waits for another turn, with nothing left to do in it.
            for connection in fixture.daemon.server.connections.values { connection.wait(isShort: false) }
            try writer.send(
                #"{"id":2,"method":"event.record","params":{"name":"long","properties":{"t":"\#(text)"}}}"# + "\n")
            try writer.send(
                #"{"id":3,"method":"event.record","params":{"name":"long","properties":{"t":"\#(text)"}}}"# + "\n")
            try other.send(#"{"id":4,"method":"event.record","params":{"name":"short"}}"# + "\n")
            try await eventually("the short one is taken") { try sequence() > before }
            hold.end()
            #expect(try await writer.reply()["id"] == 1)
            #expect(try await other.reply()["id"] == 4)
            for id in 2...3 { #expect(try await writer.reply()["id"] == .int(Int64(id))) }
        }
    }
}
