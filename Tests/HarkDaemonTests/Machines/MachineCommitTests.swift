import HarkCore
import HarkStore
import HarkSystem
import HarkTesting
import HarkWire
import Testing

@testable import HarkDaemon
@testable import HarkHub
@testable import HarkLedger

/// The data that a hub continues with before it is on disk.
@Suite(.timeLimit(.minutes(45))) struct MachineCommitTests {
    private static let settings = #"{"archive":false,"notify":null,"retention":"none"}"#

    private static func kiosk(_ number: Int) -> SampleMachine {
        var machine = SampleMachine("kiosk-\(number)")
        machine.session()
        machine.add("tap")
        return machine
    }

    @DaemonActor
    private static func decide(
        _ machine: SampleMachine, _ records: [MachineRecord], _ fixture: DaemonFixture
    ) async throws -> Decided<Taken> {
        let identity = try await fixture.machines.machine(named: machine.name, group: nil, log: machine.log)
        return try await fixture.machines.take(
            machine.sessions, records, of: identity, skippingKnown: false)
    }

    @Test("many new machines and their sessions are in few commits, and later records find what is not on disk yet")
    func together() async throws {
        try await DaemonFixture.run(configuration: Self.settings) { fixture in
            try await fixture.take(Self.kiosk(0))
            let before = fixture.daemon.ledger.statistics.commits
            var decided: [Decided<Taken>] = []
            var machines = (1...30).map(Self.kiosk)
            for index in machines.indices {
                decided.append(try await Self.decide(machines[index], machines[index].records, fixture))
                machines[index].add("later")
                // Nobody has it at hand any more.
                fixture.machines.forget()
                decided.append(
                    try await Self.decide(machines[index], Array(machines[index].records.suffix(1)), fixture))
            }
            #expect(fixture.machines.hasUnsettledSessions)
            for one in decided { #expect(try await one.stored().value.refused.isEmpty) }
            #expect(!fixture.machines.hasUnsettledSessions)
            #expect(fixture.daemon.ledger.statistics.commits - before <= 5)
            let records = try fixture.storedRecords()
            #expect(records.count == 2 + 30 * 3)
            for machine in machines {
                let own = records.filter { $0.session.machine?.name == machine.name }
                #expect(own.map(\.id) == machine.records.map(\.id))
                #expect(Set(own.map(\.session.row)).count == 1)
            }
            #expect(Set(records.map(\.session.scope.uid)).count == 31)
        }
    }

    @Test("a session that another machine has, which is not on disk yet, is not touched either")
    func anothers() async throws {
        try await DaemonFixture.run(configuration: Self.settings) { fixture in
            let first = Self.kiosk(1)
            var second = SampleMachine("kiosk-2")
            second.session(id: first.sessions[0].id)
            second.add("mine")
            let decided = [
                try await Self.decide(first, first.records, fixture),
                try await Self.decide(second, second.records, fixture),
            ]
            for one in decided { #expect(try await one.stored().value.taken == 2) }
            let records = try fixture.storedRecords()
            #expect(records.prefix(2).allSatisfy { $0.session.id == first.sessions[0].id })
            #expect(records.suffix(2).allSatisfy { $0.session.id != first.sessions[0].id })
            #expect(records.suffix(2).allSatisfy { $0.session.machine?.name == "kiosk-2" })
        }
    }

    @Test("a machine whose registration was refused is none, though another has its row by now")
    func refused() async throws {
        let commit = NthCommit(1)
        try await DaemonFixture.run(configuration: Self.settings) { fixture in
            let (first, second) = (Self.kiosk(1), Self.kiosk(2))
            let ledger = fixture.daemon.ledger
            try await ledger.settle()
            commit.install(in: ledger.store)
            let stale = try await fixture.machines.machine(named: first.name, group: nil, log: first.log)
            await #expect(throws: WireError.self) { try await ledger.settle() }
            try await eventually("the store takes commits") { ledger.trouble == nil }
            #expect(try await fixture.take(second).taken == 2)
            #expect(try fixture.storedRecords().last?.session.scope.uid == stale.uid)
            await #expect(throws: WireError.self) {
                try await fixture.machines.take(first.sessions, first.records, of: stale, skippingKnown: false)
            }
            #expect(try await fixture.take(first).taken == 2)
            #expect(
                try fixture.storedRecords().map { $0.session.machine?.name } == [
                    "kiosk-2", "kiosk-2", "kiosk-1", "kiosk-1",
                ])
        }
        #expect(commit.isRefused)
    }
}
