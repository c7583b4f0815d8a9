import Glibc
import HarkDelivery
import HarkStore
import HarkSystem
import HarkWire

/// How the daemon is doing, gathered at one moment.
@DaemonActor
struct StatusReport {
    let daemon: Daemon
    let totals: StoreReader.Totals
    let storeBytes: Int64
    let walBytes: Int64
    let freeBytes: UInt64?
    let memoryBytes: UInt64?
    let uptimeSeconds: Int

    init(_ daemon: Daemon) async throws(WireError) {
        self.daemon = daemon
        totals = try await daemon.totals.read()
        await daemon.archive.recount()
        storeBytes = StatusReport.size(of: daemon.ledger.store.path)
        walBytes = StatusReport.size(of: daemon.ledger.store.path + "-wal")
        freeBytes = StatusReport.reading { () throws(SystemError) in
            try DiskSpace(of: daemon.options.paths.state).availableBytes
        }
        memoryBytes = StatusReport.reading(ProcessMemory.residentBytes)
        uptimeSeconds = StatusReport.uptimeSeconds(of: daemon)
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
        do throws(WireError) { return try daemon.delivery.deadLetterCounts() } catch { return [:] }
    }

    var statistics: CommitStatistics { daemon.ledger.statistics }

    func rate(overSeconds seconds: UInt64) -> Double {
        statistics.rate(overSeconds: seconds, at: SystemClock.monotonicMicroseconds)
    }

    /// Writes what everybody may know of a daemon.
    static func writeOutline(of daemon: Daemon, to json: inout JSONWriter) {
        json.key("version")
        json.string(Version.current)
        json.key("pid")
        json.int(Int(daemon.pid))
        json.key("mode")
        json.string(daemon.options.isSystem ? "system" : "user")
        json.key("uptimeSeconds")
        json.int(uptimeSeconds(of: daemon))
        json.key("state")
        json.string((daemon.ledger.trouble == nil ? DaemonState.running : .degraded).rawValue)
    }

    static func uptimeSeconds(of daemon: Daemon) -> Int {
        Int((SystemClock.monotonicMicroseconds - daemon.startedAtMicroseconds) / 1_000_000)
    }

    func write(to json: inout JSONWriter) {
        func member(_ name: StaticString, _ value: Int?) {
            json.key(name)
            if let value { json.int(value) } else { json.null() }
        }
        StatusReport.writeOutline(of: daemon, to: &json)
        if let trouble = daemon.ledger.trouble {
            json.key("degradedReason")
            json.string(trouble.message)
        }
        json.key("store")
        json.beginObject()
        json.key("path")
        json.string(daemon.ledger.store.path)
        member("bytes", Int(storeBytes))
        member("walBytes", Int(walBytes))
        member("freeBytes", freeBytes.map { Int(clamping: $0) })
        member("events", totals.events)
        member("sessions", totals.sessions)
        member("lastSeq", Int(daemon.ledger.committedSequence))
        member("unreadable", daemon.ledger.store.unreadable.count)
        member("lostRecords", daemon.ledger.store.unreadable.lostRecords)
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
        member("connections", daemon.server.connections.count)
        member("subscriptions", daemon.hub.count)
        member("refused", daemon.server.statistics.refused)
        member("dropped", statistics.dropped)
        member("slowReaders", daemon.server.statistics.slowReaders)
        json.endObject()
        json.key("destinations")
        json.beginArray()
        for outlet in daemon.delivery.outlets { outlet.write(deadLetters: deadLetters, to: &json) }
        json.endArray()
        daemon.journal.write(to: &json)
        json.key("timers")
        json.beginArray()
        for timer in daemon.timers {
            json.beginObject()
            json.key("name")
            json.string(timer.name)
            json.key("dueAt")
            json.timestamp(timer.dueAt)
            json.endObject()
        }
        json.endArray()
        member("memoryBytes", memoryBytes.map { Int(clamping: $0) })
        DaemonMethods.writeBelievedTime(daemon, to: &json)
        json.key("problems")
        json.beginArray()
        for problem in daemon.desks.flatMap(\.troubles) {
            json.object(["about": .string(problem.about), "message": .string(problem.message)])
        }
        json.endArray()
    }
}
