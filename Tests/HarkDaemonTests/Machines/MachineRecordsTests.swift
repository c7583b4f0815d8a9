import Foundation
import HarkCore
import HarkStore
import HarkSystem
import HarkTesting
import HarkWire
import Testing

@testable import HarkDaemon
@testable import HarkHub
@testable import HarkLedger

/// The records that a hub takes over from machines, and their sessions.
@Suite(.timeLimit(.minutes(45))) struct MachineRecordsTests {
    private static let settings = #"{"archive":false,"notify":null,"retention":"none"}"#

    private static func run(
        configuration: String = settings, _ body: @escaping @DaemonActor @Sendable (DaemonFixture) async throws -> Void
    ) async throws {
        try await DaemonFixture.run(configuration: configuration, body)
    }

    private static func kiosk(_ name: String = "kiosk-1", group: String? = nil, events: Int = 3) -> SampleMachine {
        var machine = SampleMachine(name, group: group)
        machine.session()
        for number in 0..<events { machine.add("tap\(number)") }
        return machine
    }

    @Test("records come in their order with their ids, times and numbers, the session with its own account")
    func order() async throws {
        try await Self.run { fixture in
            let client = try fixture.connect()
            try await client.call("event.record", #"{"name":"own"}"#)
            let machine = Self.kiosk()
            let taken = try await fixture.take(machine)
            #expect(taken.taken == 4 && taken.known == 0 && taken.refused.isEmpty)
            let records = try fixture.storedRecords()
            #expect(records.map(\.origin) == [0, 0, 1, 2, 3, 4])
            #expect(records.map(\.sequence) == [1, 2, 3, 4, 5, 6])
            #expect(records.suffix(4).map(\.id) == machine.records.map(\.id))
            #expect(records.suffix(4).map(\.at) == machine.records.map(\.at))
            let session = try #require(records.last).session
            #expect(session.id == machine.sessions[0].id && session.machineUID == 1000)
            #expect(session.machine?.name == "kiosk-1" && session.scope.uid == session.machine?.uid)
            // The hub's own is the current one still.
            #expect(
                try await client.call("session.current")["session"]?["id"] == .string(records[0].session.id.description)
            )
        }
    }

    @Test("a machine has one row for each group and log, also after a restart")
    func rows() async throws {
        try await Self.run { fixture in
            let log = Identifier(high: 1, low: 1)
            let first = try await fixture.machines.machine(named: "a", group: nil, log: log)
            #expect(first.row == 1 && first.uid == 0x8000_0001)
            #expect(try await fixture.machines.machine(named: "a", group: nil, log: log).row == 1)
            #expect(try await fixture.machines.machine(named: "a", group: "g", log: log).row == 2)
            try await fixture.restart()
            #expect(fixture.machines.isHub)
            #expect(try await fixture.machines.machine(named: "a", group: "g", log: log).row == 2)
            #expect(
                try await fixture.machines.machine(named: "a", group: nil, log: Identifier(high: 1, low: 2)).row == 3)
            for name in ["", String(repeating: "x", count: 257)] {
                await #expect(throws: WireError.self) {
                    _ = try await fixture.machines.machine(named: name, group: nil, log: log)
                }
            }
        }
    }

    @Test("where an account has a uid that stands for machines, nothing is taken over")
    func accounts() async throws {
        try await Self.run { fixture in
            let ledger = fixture.daemon.ledger
            try await ledger.decide { engine, changes, now throws(WireError) in
                try engine.importSession(
                    id: Identifier(high: 1, low: 1), scope: Scope(uid: 0x8000_0005), userId: nil, metadata: .none,
                    startedAt: now, endedAt: now, source: Source(uid: 0, pid: 1), into: &changes)
            }.stored()
            await #expect(throws: WireError.self) { try await fixture.take(Self.kiosk()) }
            #expect(!fixture.machines.isHub)
            let client = try fixture.connect()
            try await client.call("event.clear", #"{"all":true}"#)
            #expect(try await fixture.take(Self.kiosk()).taken == 4)
            #expect(fixture.machines.isHub)
            guard getuid() == 0 else { return }
            let refusal = try await client.ask(
                "session.import",
                #"{"session":{"id":"0199e0f4-8c7a-7000-8000-00000000abcd","uid":2147483653,"startedAt":"2026-01-02T03:04:05.678Z"}}"#
            )
            #expect(refusal["error"]?["data"]?["reason"] == "invalidParams")
        }
    }

    @Test("records go into a session that is here already, whoever knows of it: this run, or only the store")
    func goingOn() async throws {
        try await Self.run { fixture in
            var machine = Self.kiosk()
            try await fixture.take(machine)
            machine.add("later")
            let later = Array(machine.records.suffix(1))
            #expect(try await fixture.take(machine, records: later, sessions: []).taken == 1)
            try await fixture.restart()
            machine.add("ended", kind: .event)
            machine.add("", kind: .sessionEnded, at: 1_700_000_900_000)
            #expect(try await fixture.take(machine, records: Array(machine.records.suffix(2)), sessions: []).taken == 2)
            let sessions = try fixture.daemon.ledger.lookUp { reader throws(StoreError) in
                try reader.sessions(SessionQuery(limit: 9)).sessions
            }
            #expect(sessions.count == 1 && sessions[0].events == 5)
            #expect(sessions[0].session.endedAt == Timestamp(milliseconds: 1_700_000_900_000))
        }
    }

    @Test("a session that is not known and not given has its records refused")
    func unknown() async throws {
        try await Self.run { fixture in
            let taken = try await fixture.take(Self.kiosk(), sessions: [])
            #expect(taken.taken == 0 && taken.refused.map(\.origin) == [1, 2, 3, 4])
            #expect(try fixture.storedRecords().isEmpty)
        }
    }

    @Test("a session whose id is the hub's own, or another machine's, is not touched: the records lie in one beside")
    func derived() async throws {
        try await Self.run { fixture in
            let client = try fixture.connect()
            let own = try await client.call("session.start", #"{"userId":"bob"}"#)["session"]?["id"]?.stringValue
            let id = try #require(own.flatMap { Identifier($0) })
            var ids: Set<Identifier> = [id]
            for name in ["kiosk-1", "kiosk-2"] {
                var machine = SampleMachine(name)
                machine.session(id: id)
                machine.add("tap")
                try await fixture.take(machine)
                machine.add("tap")
                try await fixture.take(machine, records: Array(machine.records.suffix(1)), sessions: [])
                let last = try #require(try fixture.storedRecords().last).session
                #expect(last.machine?.name == name && last.userId == "ada")
                #expect(last.id == last.machine?.derivedId(for: id))
                ids.insert(last.id)
                // The same after a restart.
                try await fixture.restart()
                machine.add("tap")
                try await fixture.take(machine, records: Array(machine.records.suffix(1)), sessions: [])
                #expect(try fixture.storedRecords().last?.session.id == last.id)
            }
            #expect(ids.count == 3)
            let events = try fixture.storedRecords().count { $0.session.id == id && $0.kind == .event }
            #expect(events == 0)
        }
    }

    @Test("a machine that changes its group goes on with its sessions under the new one")
    func moved() async throws {
        try await Self.run { fixture in
            var machine = Self.kiosk(group: "north")
            try await fixture.take(machine)
            machine.group = "south"
            machine.add("moved")
            #expect(try await fixture.take(machine, records: Array(machine.records.suffix(1)), sessions: []).taken == 1)
            let records = try fixture.storedRecords()
            #expect(records.map(\.session.machine?.group) == ["north", "north", "north", "north", "south"])
            #expect(records.last?.session.userId == "ada" && records.last?.session.machineUID == 1000)
        }
    }

    @Test("records that are here already are left out where that is asked, and only then")
    func known() async throws {
        try await Self.run { fixture in
            var machine = Self.kiosk()
            try await fixture.take(machine)
            try await fixture.restart()
            machine.add("new")
            var taken = try await fixture.take(machine, skippingKnown: true)
            #expect(taken.taken == 1 && taken.known == 4)
            // Also for records that have just come, within one request.
            taken = try await fixture.take(machine, records: machine.records + machine.records, skippingKnown: true)
            #expect(taken.taken == 0 && taken.known == 10)
            #expect(try fixture.storedRecords().count == 5)
            machine.add("newer")
            taken = try await fixture.take(machine, records: Array(machine.records.suffix(1)))
            taken = try await fixture.take(machine, records: Array(machine.records.suffix(1)), skippingKnown: true)
            #expect(taken.known == 1)
            try await fixture.take(machine, records: Array(machine.records.suffix(1)))
            #expect(try fixture.storedRecords().count == 7)
        }
    }

    @Test("a session that was removed is waited for, and made again where it is given")
    func removed() async throws {
        try await Self.run { fixture in
            let client = try fixture.connect()
            var machine = Self.kiosk()
            try await fixture.take(machine)
            // Decided, not on disk yet.
            let hold = fixture.holdWriter()
            try client.send(#"{"id":1,"method":"event.clear","params":{"all":true}}"# + "\n")
            try await eventually("the clear is decided") { fixture.daemon.ledger.isRemoving }
            machine.add("after")
            let last = Array(machine.records.suffix(1))
            DaemonActor.post { hold.end() }
            let taken = try await fixture.take(machine, records: last)
            #expect(taken.taken == 1)
            #expect(try await client.reply()["result"]?["sessions"] == 1)
            #expect(try fixture.storedRecords().map(\.id) == last.map(\.id))
            try await client.call("event.clear", #"{"all":true}"#)
            #expect(try await fixture.take(machine, records: last, sessions: []).refused.map(\.origin) == [5])
        }
    }

    @Test("rows that are given are stored exactly if the records are")
    func rowsBeside() async throws {
        try await Self.run { fixture in
            let machine = Self.kiosk()
            let identity = try await fixture.machines.machine(named: "kiosk-1", group: nil, log: machine.log)
            let other = MachineIdentity(row: 9, name: "beside", group: nil, log: machine.log)
            try fixture.refuse("INSERT ON block")
            await #expect(throws: WireError.self) {
                try await fixture.machines.take(
                    machine.sessions, machine.records, of: identity, skippingKnown: true,
                    with: { [MachineRow.insert(other)] }
                ).stored()
            }
            try await fixture.recover()
            #expect(try fixture.storedRecords().isEmpty)
            let count = {
                try fixture.daemon.ledger.lookUp { reader throws(StoreError) in try reader.machines().count }
            }
            #expect(try count() == 1)
            // The refusal has discarded the cache: the session is made now, and nothing counts as known.
            let taken = try await fixture.machines.take(
                machine.sessions, machine.records, of: identity, skippingKnown: true,
                with: { [MachineRow.insert(other)] }
            ).stored().value
            #expect(taken.taken == 4 && taken.known == 0)
            #expect(try count() == 2)
        }
    }

    @Test("whatever commit is refused, a machine that sends again until it is told has everything here once")
    func refusedCommits() async throws {
        for number in 1...6 {
            let commit = NthCommit(number)
            try await Self.run { fixture in
                commit.install(in: fixture.daemon.ledger.store)
                var machine = SampleMachine("kiosk-1")
                for round in 0..<3 {
                    machine.session()
                    machine.add("tap\(round)")
                    let sent = Array(machine.records.suffix(2))
                    var isTold = false
                    while !isTold {
                        do {
                            try await fixture.take(machine, records: sent, skippingKnown: true)
                            isTold = true
                        } catch {
                            try await eventually("the store takes commits") { fixture.daemon.ledger.trouble == nil }
                        }
                    }
                }
                #expect(try fixture.storedRecords().map(\.id) == machine.records.map(\.id), "refused: \(number)")
            }
            if number <= 4 { #expect(commit.isRefused) }
        }
    }

    @Test("a session that is imported while it comes from a machine is made once")
    func beside() async throws {
        try await Self.run { fixture in
            let client = try fixture.connect()
            let machine = Self.kiosk()
            let id = machine.sessions[0].id
            try client.send(
                """
                {"id":1,"method":"session.import","params":{"session":{\
                "id":"\(id)","startedAt":"2026-01-02T03:04:05.678Z"}}}\n
                """)
            let taken = try await fixture.take(machine)
            #expect(taken.taken == 4)
            #expect(try await client.reply()["result"]?["session"] != nil)
            let sessions = Set(try fixture.storedRecords().map(\.session.id))
            #expect(sessions.count == 2 || sessions == [id])
        }
    }

    @Test("nothing of the hub's own is triggered: no survey, counter, execution or watch")
    func untriggered() async throws {
        try await DaemonFixture.run(
            configuration: #"{"archive":false,"notify":null,"counters":{"taps":{"event":"tap0"}}}"#,
            surveys:
                #"{"surveys":[{"id":"a","title":"A","message":"?","options":["A"],"trigger":{"event":{"name":"tap0"}}}]}"#
        ) { fixture in
            let client = try fixture.connect()
            try await client.call("watch.add", #"{"id":"w","event":"tap0","everySeconds":60}"#)
            try await fixture.take(Self.kiosk())
            #expect(try await client.call("survey.history")["presentations"] == [])
            #expect(try fixture.storedRecords().count { $0.origin == 0 } == 0)
        }
    }

    @Test("of each user of each machine so many sessions are kept as of the hub's own")
    func retention() async throws {
        try await Self.run(configuration: #"{"archive":false,"notify":null,"retention":{"maxSessionsPerUser":5}}"#) {
            fixture in
            let client = try fixture.connect()
            for name in ["kiosk-1", "kiosk-2"] {
                var machine = SampleMachine(name)
                for place in 0..<8 {
                    machine.session(startedAt: 1_600_000_000_000 + Int64(place) * 1_000)
                    machine.add("", kind: .sessionEnded, at: 1_600_000_000_500 + Int64(place) * 1_000)
                }
                try await fixture.take(machine)
            }
            for _ in 0..<8 { try await client.call("session.start", #"{"userId":"ada"}"#) }
            try await eventually("the old ones are gone") {
                let sessions = try fixture.daemon.ledger.lookUp { reader throws(StoreError) in
                    try reader.sessions(SessionQuery(limit: 99)).sessions
                }
                let counts = Dictionary(grouping: sessions) { $0.session.identity.machine?.name }.mapValues(\.count)
                return counts == [nil: 5, "kiosk-1": 5, "kiosk-2": 5] || counts == [nil: 6, "kiosk-1": 5, "kiosk-2": 5]
            }
        }
    }
}
