import HarkServer
import HarkTesting
import HarkWire

@testable import HarkDaemon
@testable import HarkLedger

extension FixtureClient {
    func backUp(exitCode: Int) async throws {
        try await call("event.record", #"{"name":"backup","properties":{"exitCode":\#(exitCode)}}"#)
    }

    func watches() async throws -> [JSONValue] {
        try await call("watch.list")["watches"]?.arrayValue ?? []
    }

    func watch() async throws -> JSONValue { try await watches().first ?? .null }

    func ids() async throws -> [String] { try await watches().compactMap { $0["id"]?.stringValue } }
}

extension Daemon {
    var watches: WatchDesk { desks(WatchDesk.self) }
}

/// A report of a watch.
struct Told: Equatable {
    let name: String
    let app: String
    let properties: JSONValue
}

extension DaemonFixture {
    /// The reports so far, after another look at the clocks.
    func told(limit: Int = 100) async throws -> [Told] {
        daemon.watches.lookAtClock()
        await earlierJobs()
        try await eventually("what is due is told") {
            daemon.ledger.isSettled && !daemon.watches.isTelling
        }
        return try await events(limit)
    }

    func names() async throws -> [String] { try await events(100).map(\.name) }

    private func events(_ limit: Int) async throws -> [Told] {
        let client = try connect()
        var told: [Told] = []
        for app in ["default", "kiosk"] {
            let page = try await client.call("event.list", #"{"name":"watch.*","app":"\#(app)","limit":\#(limit)}"#)
            told += (page["events"]?.arrayValue ?? []).map {
                Told(name: $0["name"]?.stringValue ?? "", app: app, properties: $0["properties"] ?? .null)
            }
        }
        return told
    }

    /// The store takes commits again, and the waiting reports are recorded.
    func settleWatches() async throws {
        daemon.watches.lookAtClock()
        await earlierJobs()
        try await eventually("the store takes commits, and all is told") {
            daemon.ledger.trouble == nil && daemon.ledger.isSettled && !daemon.watches.isTelling
        }
    }
}
