import HarkCore
import HarkSystem
import HarkTesting
import HarkWire
import Testing

@testable import HarkDaemon
@testable import HarkLedger

/// Automatic retention.
@Suite(.timeLimit(.minutes(45))) struct RetentionClockTests {
    @Test("retention looks at the size of the store again when it has grown while it was being applied")
    func growth() async throws {
        let configuration = #"{"archive":false,"retention":{"maxStoreBytes":1}}"#
        try await DaemonFixture.run(configuration: configuration) { fixture in
            let daemon = fixture.daemon
            try await eventually("that of the start is over") { !daemon.retention.isApplying }
            var applied = 0
            daemon.ledger.alsoOnCommit { changes, _ in
                // The state of the clock is stored each time.
                applied += changes.rows.count {
                    if case .setMeta(AgeClock.remembered, _) = $0 { true } else { false }
                }
            }
            let hold = fixture.holdWriter()
            defer { hold.end() }
            for _ in 0..<2 { daemon.retention.notice(records: 5_000) }
            hold.end()
            try await eventually("it was applied twice") { applied > 1 && daemon.ledger.isSettled }
            await earlierJobs()
            try await eventually("nothing is under way") { daemon.ledger.isSettled }
            #expect(applied == 2)
        }
    }

    @Test("retention that the store refused is applied once it takes commits again")
    func refused() async throws {
        let configuration = #"{"archive":false,"retention":{"maxAgeDays":1,"maxStoreBytes":1}}"#
        try await DaemonFixture.run(configuration: configuration) { fixture in
            let client = try fixture.connect()
            try await client.call(
                "session.import",
                """
                {"session":{"id":"0199e0f4-8c7a-7000-8000-00000000abcd","startedAt":"2026-01-02T03:04:05.678Z",\
                "endedAt":"2026-01-02T04:00:00.000Z"}}
                """)
            try fixture.refuse("UPDATE OF removed ON session")
            fixture.daemon.retention.notice(records: 5_000)
            try await fixture.refusal()
            try await fixture.recover()
            try await client.wait(for: "session.list") { $0["sessions"] == [] }
        }
    }
}
