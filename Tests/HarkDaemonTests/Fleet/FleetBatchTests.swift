import Foundation
import HarkCore
import HarkDelivery
import HarkFleet
import HarkStore
import HarkSystem
import HarkTesting
import HarkWire
import Testing

@testable import HarkDaemon
@testable import HarkLedger

/// Batches that no machine sends: who is at the broker may say anything in anybody's name.
@Suite(.timeLimit(.minutes(45))) struct FleetBatchTests {
    typealias Mark = FleetAcknowledgement.Mark

    private static let other = Identifier(high: 0x0199_e0f4_8c7a_7000, low: 0x8000_0000_0000_0009)

    /// A batch as a machine would send it.
    private struct Batch {
        var machine = "kiosk-1"
        var log = FleetBatchTests.other
        var after: Mark?
        var first: UInt64 = 1
        var count = 2
        var lastId: Identifier?
        var lines: [String] = [FleetBatchTests.session(), FleetBatchTests.event(1), FleetBatchTests.event(2)]

        var text: String {
            let last = first + UInt64(count) - 1
            let head = FleetBatch(
                machine: machine, group: nil, log: log, after: after, first: first,
                last: Mark(sequence: last, id: lastId ?? FleetBatchTests.id(last)), count: count)
            return ([String(decoding: head.payload, as: UTF8.self)] + lines).map { $0 + "\n" }.joined()
        }

        func payload() throws -> [UInt8] { try #require(Gzip.compress(Array(text.utf8))) }
    }

    private static func id(_ number: UInt64) -> Identifier { Identifier(high: 0x77, low: number) }

    private static func session(_ id: Identifier = Identifier(high: 0x66, low: 1)) -> String {
        """
        {"kind":"session","implicit":0,"session":{"id":"\(id)","app":"shop","uid":1000,"userId":"ada",\
        "startedAt":"2026-11-21T11:00:00.000Z","endedAt":null,"metadata":{}}}
        """
    }

    private static func event(
        _ number: UInt64, name: String = "tap", session: Identifier = Identifier(high: 0x66, low: 1),
        kind: String = "event",
        properties: String = "{}"
    ) -> String {
        """
        {"kind":"\(kind)","id":"\(id(number))","seq":\(number),"name":"\(name)","timestamp":"2026-11-21T11:08:00.123Z",\
        "sessionId":"\(session)","userId":"ada","properties":\(properties),"source":{"uid":1000,"pid":812}}
        """
    }

    @Test("a batch that is as it should be is taken: what the others differ in is what they are refused for")
    func right() async throws {
        try await FleetStage.run([]) { stage in
            let intruder = try await Intruder(stage)
            intruder.say("hark/shop/up/0/kiosk-1", try Batch().payload())
            try await eventually("it is there") { try stage.hub.storedRecords().map(\.origin) == [1, 2] }
            intruder.client.close()
        }
    }

    @Test("of new machines that send at once some are in a commit, not as many as there is room for, and all are taken")
    func newcomers() async throws {
        try await FleetStage.run([]) { stage in
            let intruder = try await Intruder(stage)
            let ledger = stage.hub.daemon.ledger
            var commits: [Int] = []
            ledger.alsoOnCommit { changes, _ in
                let machines = Set(changes.records.map(\.session.scope.uid).filter { $0 >= 0x8000_0000 })
                if !machines.isEmpty { commits.append(machines.count) }
            }
            @DaemonActor func decided() throws -> UInt64 {
                var last: UInt64 = 0
                try ledger.decide { engine, _, _ in last = engine.lastSequence }
                return last
            }
            let before = try decided()
            let hold = stage.hub.holdWriter()
            defer { hold.end() }
            for number: UInt64 in 1...60 {
                var batch = Batch()
                let session = Identifier(high: 0x66, low: number)
                let last = Identifier(high: number, low: 2)
                (batch.machine, batch.log, batch.lastId) = ("kiosk-\(number)", Self.id(number), last)
                batch.lines = [
                    Self.session(session),
                    Self.event(1, session: session).replacing(
                        "\(Self.id(1))", with: "\(Identifier(high: number, low: 1))"),
                    Self.event(2, session: session).replacing("\(Self.id(2))", with: "\(last)"),
                ]
                intruder.say("hark/shop/up/0/kiosk-\(number)", try batch.payload())
            }
            try await intruder.said()
            try await eventually("some are taken") { try decided() >= before + 48 }
            // Time for more, which would be in the commit that these are in.
            for _ in 0..<200 { await stage.loop.nextTurn() }
            hold.end()
            try await eventually("all are on disk") { commits.reduce(0, +) == 60 }
            #expect(commits.allSatisfy { $0 <= 24 }, "\(commits)")
            #expect(try stage.hub.storedRecords().count { $0.session.machine != nil } == 120)
            intruder.client.close()
        }
    }

    @Test("batches with wrong counts, orders, numbers, lines or names, and what is none, change nothing")
    func wrong() async throws {
        try await FleetStage.run([]) { stage in
            let intruder = try await Intruder(stage)
            try await intruder.listen(to: "hark/shop/ack/#")
            var bad: [[UInt8]] = []
            func add(_ change: (inout Batch) -> Void) throws {
                var batch = Batch()
                change(&batch)
                bad.append(try batch.payload())
            }
            try add { $0.count = 3 }
            try add { $0.count = 1 }
            try add { $0.first = 2 }
            try add { $0.lastId = Self.other }
            try add { $0.lines.swapAt(1, 2) }
            try add { $0.lines[2] = $0.lines[1] }
            try add {
                $0.count = 4
                $0.lines = [Self.session()] + [1, 3, 2, 4].map { Self.event($0) }
            }
            try add { $0.lines = [] }
            try add { $0.lines[0] = Self.session().replacing("shop\",", with: "shop\"") }
            try add { $0.lines[0] = "" }
            try add { $0.lines += [Self.session(), Self.session()] }
            try add { $0.lines[1] = String(repeating: "[", count: 100_000) }
            try add { $0.lines[2] = "{}" }
            try add { $0.lines[2] = "null" }
            try add { $0.lines[2] = $0.lines[2].replacing("\"seq\":2", with: "\"seq\":2.5") }
            try add { $0.lines[2] = $0.lines[2].replacing("\"seq\":2", with: "\"seq\":-2") }
            try add { $0.lines[2] = $0.lines[2].replacing("\"seq\":2", with: "\"seq\":18446744073709551615") }
            try add { $0.machine = "kiosk-2" }
            try add { $0.machine = "kiosk-1~2" }
            let whole = try Batch().payload()
            bad += [[], [0], Array(Batch().text.utf8), Array(whole.dropLast()), whole + [0], whole + whole]
            bad.append(try #require(Gzip.compress([UInt8](repeating: 10, count: 1 << 20))))
            bad.append(try #require(Gzip.compress([UInt8](repeating: 32, count: FleetBatch.mostBytes + 1))))
            var random = SplitMix64(state: 5)
            for _ in 0..<300 {
                var damaged = whole
                damaged[random.below(damaged.count)] ^= 1 << UInt8(random.below(8))
                // Some bits of gzip's header mean nothing.
                if Gzip.decompress(damaged, limit: 1 << 20) == nil { bad.append(damaged) }
            }
            for payload in bad { intruder.say("hark/shop/up/0/kiosk-1", payload) }
            for topic in [
                "hark/shop/up/0/a~2", "hark/shop/up/0/größe", "hark/shop/up/0/-",
                "hark/shop/up/0/\(String(repeating: "a", count: 65))",
            ] {
                intruder.say(topic, whole)
            }
            // All were looked at once this one is there: they are dealt with in turn.
            var last = Batch()
            (last.machine, last.log) = ("last", Self.id(99))
            intruder.say("hark/shop/up/0/last", try last.payload())
            try await eventually("the last is there") {
                try stage.hub.storedRecords().contains { $0.session.machine?.name == "last" }
            }
            #expect(Set(try stage.hub.storedRecords().compactMap { $0.session.machine?.name }) == ["last"])
            #expect(Set(intruder.messages.map(\.topic)).isSubset(of: ["hark/shop/ack/last"]))
            #expect(try await stage.hub.fleetStatus()["machineCount"] == 1)
            intruder.client.close()
        }
    }

    @Test(
        "records that break a rule are left out and counted; those beside them are taken, and those of later kinds passed over"
    )
    func rules() async throws {
        try await FleetStage.run([]) { stage in
            let intruder = try await Intruder(stage)
            var batch = Batch()
            batch.count = 9
            batch.lines = [
                Self.session(), Self.event(1), Self.event(2, name: ""),
                Self.event(3, name: String(repeating: "n", count: 5_000)),
                Self.event(4, kind: "later"), Self.event(5, session: Self.id(12_345)),
                Self.event(6, properties: #"{"a":1,"a":2}"#), Self.event(7, kind: "log"),
                Self.event(8).replacing("2026-11-21T11:08:00.123Z", with: "yesterday"), Self.event(9),
            ]
            intruder.say("hark/shop/up/0/kiosk-1", try batch.payload())
            try await eventually("what can be taken is there") {
                try stage.hub.storedRecords().map(\.origin).last == 9
            }
            let taken = try stage.hub.storedRecords().map(\.origin)
            #expect(taken.first == 1 && Set(taken).isDisjoint(with: [2, 3, 4, 5, 7, 8]))
            #expect(try await stage.hub.fleetStatus()["refused"]?.intValue ?? 0 >= 5)
            #expect(try await stage.hub.fleetStatus()["machines"]?[0]?["cursor"] == 9)
            intruder.client.close()
        }
    }

    @Test("sessions of the hub itself and of other machines are not touched by who names them")
    func sessions() async throws {
        try await FleetStage.run { stage in
            let intruder = try await Intruder(stage)
            try await stage.hub.connect().call("session.start", #"{"userId":"boss","metadata":{"own":true}}"#)
            try await stage.hub.record("own")
            try await stage.machine.connect().call("session.start", #"{"userId":"eve"}"#)
            try await stage.machine.record("theirs")
            try await stage.settle()
            let before = try stage.hub.storedRecords().map { RecordCopy($0, number: $0.sequence) }
            let victims = Set(try stage.hub.storedRecords().map(\.session.id))
            #expect(victims.count == 2)
            for (number, victim) in victims.enumerated() {
                var batch = Batch()
                (batch.machine, batch.log) = ("thief-\(number)", Self.id(UInt64(900 + number)))
                batch.lines = [
                    Self.session(victim),
                    Self.event(1, session: victim), Self.event(2, session: victim, kind: "sessionEnded"),
                ]
                intruder.say("hark/shop/up/0/thief-\(number)", try batch.payload())
            }
            try await eventually("they are there") {
                try Set(stage.hub.storedRecords().compactMap { $0.session.machine?.name }).isSuperset(of: [
                    "thief-0", "thief-1",
                ])
            }
            let records = try stage.hub.storedRecords()
            #expect(records.prefix(before.count).map { RecordCopy($0, number: $0.sequence) } == before)
            let stolen = records.filter { $0.session.machine?.name.hasPrefix("thief") == true }
            #expect(Set(stolen.map(\.session.id)).isDisjoint(with: victims))
            #expect(try await stage.hub.connect().call("session.current")["session"]?["userId"] == "boss")
            // Both go on as they were.
            try await stage.machine.record("theirs", 2)
            try await stage.settle()
            try stage.compare()
            intruder.client.close()
        }
    }

    @Test("a clear in a batch removes nothing of others, and is told; one that cannot be read does nothing")
    func clears() async throws {
        try await FleetStage.run(hub: #","followClears":true"#) { stage in
            let intruder = try await Intruder(stage)
            try await stage.hub.record("own")
            try await stage.machine.record("theirs", 3)
            try await stage.settle()
            let victim = try #require(try stage.machine.storedRecords().first).session.id
            for (number, properties) in [
                #"{"target":"all"}"#, #"{"target":"session","sessionId":"\#(victim)"}"#, #"{"target":"user"}"#,
                #"{"target":"all","only":"this"}"#, "{}",
            ].enumerated() {
                var batch = Batch()
                (batch.machine, batch.log) = ("liar", Self.id(UInt64(800 + number)))
                batch.lines[2] = Self.event(2, name: "", kind: "clear", properties: properties)
                intruder.say("hark/shop/up/0/liar", try batch.payload())
            }
            let client = try stage.hub.connect()
            try await client.wait(for: "event.list", #"{"name":"fleet.clear"}"#) {
                $0["events"]?.arrayValue?.count == 3
            }
            try await stage.settle()
            try stage.compare()
            #expect(try stage.hub.storedRecords().contains { $0.name == "own" })
            intruder.client.close()
        }
    }
}
