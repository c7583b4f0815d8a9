import Glibc
import HarkDelivery
import HarkLedger
import HarkServer
import HarkSettings
import HarkStore
import HarkSystem
import HarkWire

/// How the daemon is doing, gathered at one moment.
@DaemonActor
struct StatusReport {
    private let call: Call
    let totals: StoreReader.Totals
    let storeBytes: Int64
    let walBytes: Int64
    let freeBytes: UInt64?
    let memoryBytes: UInt64?
    let uptimeSeconds: Int

    init(_ call: Call) async throws(WireError) {
        self.call = call
        totals = try await call.desk(StatusDesk.self).totals.read()
        await call.desk(ArchiveDesk.self).recount()
        let store = call.ledger.store.path
        storeBytes = StatusReport.size(of: store)
        walBytes = StatusReport.size(of: store + "-wal")
        let folder = call.desk(SettingsDesk.self).options.paths.state
        freeBytes = StatusReport.reading { () throws(SystemError) in try DiskSpace(of: folder).availableBytes }
        memoryBytes = StatusReport.reading(ProcessMemory.residentBytes)
        uptimeSeconds = call.desk(StatusDesk.self).uptimeSeconds
    }

    /// A figure that cannot be read is left out of the report.
    private static func reading<Value>(_ read: () throws(SystemError) -> Value) -> Value? {
        do throws(SystemError) { return try read() } catch { return nil }
    }

    static func size(of path: String) -> Int64 {
        var info = stat()
        return stat(path, &info) == 0 ? Int64(info.st_size) : 0
    }

    /// How many each destination has; without a store that answers, none can be told.
    var deadLetters: [String: Int] {
        do throws(WireError) { return try call.desk(DeliveryDesk.self).deadLetterCounts() } catch { return [:] }
    }

    var ledger: Ledger { call.ledger }
    var statistics: CommitStatistics { ledger.statistics }
    var server: Server { call.connection.server }
    var subscriptions: Int { call.desk(StreamHub.self).count }
    var outlets: [Outlet] { call.desk(DeliveryDesk.self).outlets }

    func rate(overSeconds seconds: UInt64) -> Double {
        statistics.rate(overSeconds: seconds, at: SystemClock.monotonicMicroseconds)
    }

    /// Writes what everybody may know of a daemon.
    static func writeOutline(_ call: Call, to json: inout JSONWriter) {
        let status = call.desk(StatusDesk.self)
        json.key("version")
        json.string(Version.current)
        json.key("pid")
        json.int(Int(status.pid))
        json.key("mode")
        json.string(call.desk(SettingsDesk.self).options.isSystem ? "system" : "user")
        json.key("uptimeSeconds")
        json.int(status.uptimeSeconds)
        json.key("state")
        json.string((call.ledger.trouble == nil ? DaemonState.running : .degraded).rawValue)
    }

    func write(to json: inout JSONWriter) {
        func member(_ name: StaticString, _ value: Int?) {
            json.key(name)
            if let value { json.int(value) } else { json.null() }
        }
        StatusReport.writeOutline(call, to: &json)
        if let trouble = ledger.trouble {
            json.key("degradedReason")
            json.string(trouble.message)
        }
        json.key("store")
        json.beginObject()
        json.key("path")
        json.string(ledger.store.path)
        member("bytes", Int(storeBytes))
        member("walBytes", Int(walBytes))
        member("freeBytes", freeBytes.map { Int(clamping: $0) })
        member("events", totals.events)
        member("sessions", totals.sessions)
        member("lastSeq", Int(ledger.committedSequence))
        member("unreadable", ledger.store.unreadable.count)
        member("lostRecords", ledger.store.unreadable.lostRecords)
        json.endObject()
        json.key("removedByRule")
        json.beginArray()
        for rule in RetentionRule.allCases {
            let removed = totals.removedByRule[rule]
            json.beginObject()
            json.key("rule")
            json.string(rule.rawValue)
            member("sessions", removed?.sessions ?? 0)
            member("events", removed?.events ?? 0)
            member("showings", removed?.showings ?? 0)
            member("texts", removed?.texts ?? 0)
            json.endObject()
        }
        json.endArray()
        json.key("rates")
        json.beginObject()
        json.key("eventsPerSecond1m")
        json.double(rate(overSeconds: 60))
        json.key("eventsPerSecond5m")
        json.double(rate(overSeconds: 300))
        json.endObject()
        json.key("commit")
        json.beginObject()
        member("count", statistics.commits)
        member("p50Microseconds", statistics.percentile(0.5))
        member("p99Microseconds", statistics.percentile(0.99))
        member("lastBatch", statistics.lastBatch)
        json.endObject()
        json.key("clients")
        json.beginObject()
        member("connections", server.connections.count)
        member("subscriptions", subscriptions)
        member("refused", server.statistics.refused)
        member("dropped", statistics.dropped)
        member("slowReaders", server.statistics.slowReaders)
        json.endObject()
        json.key("destinations")
        json.beginArray()
        for outlet in outlets { outlet.write(deadLetters: deadLetters, to: &json) }
        json.endArray()
        call.desk(JournalDesk.self).write(to: &json)
        json.key("timers")
        json.beginArray()
        for desk in call.desks.all {
            guard let dueAt = desk.dueAt else { continue }
            json.beginObject()
            json.key("name")
            json.string(desk.timerName)
            json.key("dueAt")
            json.timestamp(dueAt)
            json.endObject()
        }
        json.endArray()
        member("memoryBytes", memoryBytes.map { Int(clamping: $0) })
        DaemonMethods.writeBelievedTime(ledger, to: &json)
        json.key("problems")
        json.beginArray()
        for problem in call.desks.all.flatMap(\.troubles) {
            json.object(["about": .string(problem.about), "message": .string(problem.message)])
        }
        json.endArray()
    }
}
