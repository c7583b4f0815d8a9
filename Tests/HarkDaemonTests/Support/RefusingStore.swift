import HarkTesting
import HarkWire

@testable import HarkDaemon
@testable import HarkLedger
@testable import HarkStore

extension DaemonFixture {
    /// Makes the store refuse every commit with this change, such as `INSERT ON block`.
    func refuse(_ change: String) throws {
        try Database(path: daemon.ledger.store.path, access: .write)
            .execute("CREATE TRIGGER refusal BEFORE \(change) BEGIN SELECT RAISE(ABORT, 'not now'); END")
    }

    /// Makes the store take everything again.
    func accept() throws {
        try Database(path: daemon.ledger.store.path, access: .write).execute("DROP TRIGGER refusal")
    }

    /// Waits until the store has refused a commit.
    func refusal() async throws {
        try await eventually("the store refuses") { self.daemon.ledger.trouble != nil }
    }

    /// Makes the store take everything again, and waits until the daemon has noticed.
    func recover() async throws {
        try accept()
        try await eventually("the store takes commits") { self.daemon.ledger.trouble == nil }
    }
}

extension FixtureClient {
    /// Asks until the result is as it should be.
    func wait(for method: String, _ params: String = "{}", toTell isSo: (JSONValue) -> Bool) async throws {
        try await eventually("\(method) tells it") { isSo(try await call(method, params)) }
    }
}
