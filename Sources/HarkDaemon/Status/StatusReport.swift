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
        var outline = DaemonStatusInfo()
        outline.version = Version.current
        outline.pid = Int64(daemon.pid)
        outline.mode = (daemon.options.isSystem ? DaemonMode.system : .user).rawValue
        outline.uptimeSeconds = Int64(uptimeSeconds(of: daemon))
        outline.state = (daemon.ledger.trouble == nil ? DaemonState.running : .degraded).rawValue
        outline.writeMembers(to: &json)
    }

    static func uptimeSeconds(of daemon: Daemon) -> Int {
        Int((SystemClock.monotonicMicroseconds - daemon.startedAtMicroseconds) / 1_000_000)
    }

    func write(to json: inout JSONWriter) {
        StatusReport.writeOutline(of: daemon, to: &json)
        if let trouble = daemon.ledger.trouble {
            json.key("degradedReason")
            json.string(trouble.message)
        }
        var store = StoreStatus()
        store.path = daemon.ledger.store.path
        store.bytes = storeBytes
        store.walBytes = walBytes
        store.freeBytes = freeBytes.map { Int64(clamping: $0) }
        store.events = Int64(totals.events)
        store.sessions = Int64(totals.sessions)
        store.lastSeq = Int64(clamping: daemon.ledger.committedSequence)
        store.unreadable = Int64(daemon.ledger.store.unreadable.count)
        store.lostRecords = Int64(daemon.ledger.store.unreadable.lostRecords)
        var rates = RecordRates()
        rates.eventsPerSecond1m = rate(overSeconds: 60)
        rates.eventsPerSecond5m = rate(overSeconds: 300)
        var commit = CommitStatus()
        commit.count = Int64(statistics.commits)
        commit.p50Microseconds = statistics.percentile(0.5).map { Int64($0) }
        commit.p99Microseconds = statistics.percentile(0.99).map { Int64($0) }
        commit.lastBatch = Int64(statistics.lastBatch)
        var clients = ClientStatus()
        clients.connections = Int64(daemon.server.connections.count)
        clients.subscriptions = Int64(daemon.hub.count)
        clients.refused = Int64(daemon.server.statistics.refused)
        clients.dropped = Int64(statistics.dropped)
        clients.slowReaders = Int64(daemon.server.statistics.slowReaders)
        let removed = RetentionRule.allCases.map { RemovedByRule($0, totals.removedByRule[$0]) }
        let timers = daemon.timers.map { timer in
            var told = TimerStatus()
            (told.name, told.dueAt) = (timer.name, timer.dueAt)
            return told
        }
        // The order of replies, which is another than that of the documentation.
        json.member("store", store)
        json.member("removedByRule", removed)
        json.member("rates", rates)
        json.member("commit", commit)
        json.member("clients", clients)
        let deadLetters = deadLetters
        json.member("destinations", daemon.delivery.outlets.map { $0.info(deadLetters: deadLetters) })
        json.member("journal", daemon.journal.status)
        json.member("timers", timers)
        json.key("memoryBytes")
        if let memoryBytes { json.int(Int(clamping: memoryBytes)) } else { json.null() }
        DaemonMethods.writeBelievedTime(daemon, to: &json)
        let problems = daemon.desks.flatMap(\.troubles).map { problem in
            var told = DaemonProblem()
            (told.about, told.message) = (problem.about, problem.message)
            return told
        }
        json.member("problems", problems)
    }
}

extension RemovedByRule {
    fileprivate init(_ rule: RetentionRule, _ removed: CommitReport.Marked?) {
        self.init()
        self.rule = rule.rawValue
        sessions = Int64(removed?.sessions ?? 0)
        events = Int64(removed?.events ?? 0)
        showings = Int64(removed?.showings ?? 0)
        texts = Int64(removed?.texts ?? 0)
    }
}
