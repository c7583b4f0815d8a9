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

/// Whoever is at the broker may say anything in anybody's name: nothing is lost by it, nothing is run, and it is told.
@Suite(.timeLimit(.minutes(10))) struct FleetLiarTests {
    typealias Mark = FleetAcknowledgement.Mark

    private static let other = Identifier(high: 0x0199_e0f4_8c7a_7000, low: 0x8000_0000_0000_0009)

    /// A batch as a machine would send it.
    private struct Batch {
        var machine = "kiosk-1"
        var log = FleetLiarTests.other
        var after: Mark?
        var first: UInt64 = 1
        var count = 2
        var lastId: Identifier?
        var lines: [String] = [FleetLiarTests.session(), FleetLiarTests.event(1), FleetLiarTests.event(2)]

        var text: String {
            let last = first + UInt64(count) - 1
            let head = FleetBatch(
                machine: machine, group: nil, log: log, after: after, first: first,
                last: Mark(sequence: last, id: lastId ?? FleetLiarTests.id(last)), count: count)
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

    @Test(
        "acknowledgements of what is not stored, of other stores, runs and logs, and garbage on every topic lose no record"
    )
    func acknowledgements() async throws {
        try await FleetStage.run([FleetStage.Kiosk(fleet: #","batchBytes":4096"#)]) { stage in
            let intruder = try await Intruder(stage)
            let member = try stage.machine.member()
            try await stage.machine.record("first", 3)
            try await stage.settle()
            let (hub, log) = (try #require(member.course.hub), member.course.log)
            var random = SplitMix64(state: 3)
            // It sees what is sent, and is faster than the hub.
            try await intruder.listen(to: "hark/shop/up/#")
            intruder.onMessage = { message in
                guard let text = Gzip.decompress(message.payload, limit: 1 << 24),
                    let head = FleetBatch(payload: Array(text.prefix { $0 != 10 }))
                else { return }
                for kind in FleetAcknowledgement.Kind.allCases where kind != .conflict {
                    for (store, run, log) in [
                        (Self.other, hub.run, head.log), (hub.store, Self.other, head.log),
                        (hub.store, hub.run, Self.other),
                    ] {
                        intruder.say(
                            "hark/shop/ack/kiosk-1",
                            FleetAcknowledgement(kind, store: store, run: run, log: log, mark: head.last, hello: 2)
                                .payload)
                    }
                }
                // Of the hub itself, about what it has not.
                let far = Mark(sequence: head.last.sequence + UInt64(random.below(50)), id: Self.other)
                for kind in [FleetAcknowledgement.Kind.taken, .gap] {
                    intruder.say(
                        "hark/shop/ack/kiosk-1",
                        FleetAcknowledgement(kind, store: hub.store, run: hub.run, log: head.log, mark: far).payload)
                }
            }
            for round in 1...10 {
                for topic in [
                    "hark/shop/ack/kiosk-1", "hark/shop/hub/0", "hark/shop/up/0/kiosk-1", "hark/shop/hello/0/kiosk-1",
                    "hark/shop/config/all/surveys", "hark/shop/config/all/flags", "hark/shop/config/all/nothing",
                    "hark/shop/hello/0/größe",
                ] {
                    var bytes = [UInt8](repeating: 0, count: random.below(200))
                    for place in bytes.indices { bytes[place] = UInt8(truncatingIfNeeded: random.next()) }
                    intruder.say(topic, random.once(in: 3) ? Array("{\"v\":1}".utf8) : bytes)
                }
                try await stage.machine.record("e", 20, from: round * 100)
            }
            intruder.onMessage = { _ in }
            try await stage.settle()
            try stage.compare()
            #expect(member.course.log == log)
            #expect(try await stage.hub.fleetStatus()["refused"] == 0)
            #expect(try await stage.machine.fleetStatus()["documents"] == [])
            intruder.client.close()
        }
    }

    @Test(
        "what a liar has a machine believe is put right by the hub: a machine that takes false word for it sends all again"
    )
    func believed() async throws {
        try await FleetStage.run { stage in
            let intruder = try await Intruder(stage)
            let machine = stage.machine
            try await machine.record("first", 3)
            try await stage.settle()
            // A hub that is none takes all there is, and stores nothing.
            let phantom = FleetPresence(store: Self.other, run: Self.id(5), isUp: true)
            try await intruder.listen(to: "hark/shop/up/#")
            try await intruder.listen(to: "hark/shop/hello/#")
            intruder.onMessage = { message in
                @DaemonActor func say(
                    _ kind: FleetAcknowledgement.Kind, _ log: Identifier, _ mark: Mark?, _ hello: UInt64
                ) {
                    intruder.say(
                        "hark/shop/ack/kiosk-1",
                        FleetAcknowledgement(
                            kind, store: phantom.store, run: phantom.run, log: log, mark: mark, hello: hello
                        )
                        .payload)
                }
                if let hello = FleetHello(payload: message.payload), message.topic.hasSuffix("kiosk-1") {
                    say(.welcome, hello.log, nil, hello.number)
                } else if let text = Gzip.decompress(message.payload, limit: 1 << 24),
                    let head = FleetBatch(payload: Array(text.prefix { $0 != 10 }))
                {
                    say(.taken, head.log, head.last, 0)
                }
            }
            intruder.say("hark/shop/hub/0", phantom.payload, retained: true)
            try await eventually("the hub tells of it") {
                try await stage.hub.fleetStatus()["problem"]?.stringValue?.contains("another hub") == true
            }
            try await machine.record("stolen", 20)
            try await eventually("the machine believes it") {
                try await machine.fleetStatus()["hub"]?.stringValue == Self.other.description
                    && machine.outlet("fleet").pending == 0
            }
            #expect(try stage.hub.storedRecords().filter { $0.name == "stolen" }.isEmpty)
            // It goes, and the hub takes its place again.
            var gone = phantom
            gone.isUp = false
            intruder.say("hark/shop/hub/0", gone.payload, retained: true)
            intruder.client.close()
            try await stage.serves()
            try await stage.settle()
            try stage.compare()
        }
    }

    @Test("a hub that is not there is believed in for a while, and then the one that is there serves again")
    func phantom() async throws {
        try await FleetStage.run { stage in
            let intruder = try await Intruder(stage)
            try await stage.machine.record("first", 3)
            try await stage.settle()
            intruder.say(
                "hark/shop/hub/0", FleetPresence(store: Self.other, run: Self.id(5), isUp: true).payload, retained: true
            )
            try await eventually("it stands back") { stage.hub.daemon.fleet.hub?.state == .standby }
            try await stage.machine.record("second", 3)
            // Nobody answers it, and nobody answers the machine.
            try await stage.serves()
            try await stage.settle()
            try stage.compare()
            intruder.client.close()
        }
    }

    @Test("100 MB on a topic, gzip bombs and thousands of names take no memory to speak of, and no record")
    func memory() async throws {
        let start: @DaemonActor @Sendable (EventLoop) async throws -> Broker = {
            try await Broker.start(on: $0) { _ in "allow_anonymous true" }
        }
        try await FleetStage.run(start: start) { stage in
            let intruder = try await Intruder(stage)
            try await stage.machine.record("first", 3)
            try await stage.settle()
            let before = try residentBytes()
            let bomb = try #require(Gzip.compress([UInt8](repeating: 32, count: 64 << 20)))
            for number in 1...200 {
                intruder.say("hark/shop/up/0/bomber-\(number)", bomb)
            }
            for number in 1...3_000 {
                var hello = FleetHello(log: Self.id(UInt64(number)), run: Self.other)
                hello.number = 1
                hello.version = "e" + String(repeating: "\u{301}", count: 1_000)
                if number.isMultiple(of: 100) { try await intruder.said() }
                intruder.say("hark/shop/hello/0/liar-\(number)", hello.payload)
            }
            try await intruder.said()
            // The broker keeps a thousand for who is slow, and lets go of the rest.
            try await eventually("they were heard") { stage.hub.daemon.fleet.hub?.peers.count ?? 0 > 1_000 }
            try await stage.machine.record("second", 3)
            try await stage.settle()
            try stage.compare()
            for topic in ["hark/shop/up/0/kiosk-1", "hark/shop/ack/kiosk-1", "hark/shop/config/all/surveys"] {
                intruder.say(topic, [UInt8](repeating: 0, count: 100 << 20))
                try await intruder.said()
                try await stage.serves()
                try await stage.machine.record("beside", 2)
                try await stage.settle()
            }
            try stage.compare()
            let after = try residentBytes()
            #expect(after - before < 700 << 20, "\(before >> 20) MiB before, \(after >> 20) MiB after")
            intruder.client.close()
        }
    }
}

/// How much memory this process has.
private func residentBytes() throws -> Int {
    let text = String(decoding: try FileDescriptor.contents(of: "/proc/self/statm", limit: 4_096), as: UTF8.self)
    let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) }
    return try #require(pages) * 4_096
}
