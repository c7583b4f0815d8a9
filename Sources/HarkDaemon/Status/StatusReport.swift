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

    /// How many each destination has; without a store that answers, the numbers are not known.
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

    /// The part of the status that every user may see.
    static func outline(_ call: Call) -> DaemonStatusInfo {
        let status = call.desk(StatusDesk.self)
        var outline = DaemonStatusInfo()
        outline.version = Version.current
        outline.pid = Int64(status.pid)
        outline.mode = (call.desk(SettingsDesk.self).options.isSystem ? DaemonMode.system : .user).rawValue
        outline.uptimeSeconds = Int64(status.uptimeSeconds)
        outline.state = (call.ledger.trouble == nil ? DaemonState.running : .degraded).rawValue
        return outline
    }

    var info: DaemonStatusInfo {
        var info = StatusReport.outline(call)
        info.degradedReason = ledger.trouble?.message
        var store = StoreStatus()
        store.path = ledger.store.path
        store.bytes = storeBytes
        store.walBytes = walBytes
        store.freeBytes = freeBytes.map { Int64(clamping: $0) }
        store.events = Int64(totals.events)
        store.sessions = Int64(totals.sessions)
        store.lastSeq = Int64(clamping: ledger.committedSequence)
        store.unreadable = Int64(ledger.store.unreadable.count)
        store.lostRecords = Int64(ledger.store.unreadable.lostRecords)
        var rates = RecordRates()
        rates.eventsPerSecond1m = rate(overSeconds: 60)
        rates.eventsPerSecond5m = rate(overSeconds: 300)
        var commit = CommitStatus()
        commit.count = Int64(statistics.commits)
        commit.p50Microseconds = statistics.percentile(0.5).map { Int64($0) }
        commit.p99Microseconds = statistics.percentile(0.99).map { Int64($0) }
        commit.lastBatch = Int64(statistics.lastBatch)
        var clients = ClientStatus()
        clients.connections = Int64(server.connections.count)
        clients.subscriptions = Int64(subscriptions)
        clients.refused = Int64(server.statistics.refused)
        clients.dropped = Int64(statistics.dropped)
        clients.slowReaders = Int64(server.statistics.slowReaders)
        (info.store, info.rates, info.commit, info.clients) = (store, rates, commit, clients)
        info.removedByRule = RetentionRule.allCases.map { RemovedByRule($0, totals.removedByRule[$0]) }
        let deadLetters = deadLetters
        info.destinations = outlets.map { $0.info(deadLetters: deadLetters) }
        info.journal = call.desk(JournalDesk.self).status
        info.timers = call.desks.all.compactMap { desk -> TimerStatus? in
            guard let dueAt = desk.dueAt else { return nil }
            var told = TimerStatus()
            (told.name, told.dueAt) = (desk.timerName, dueAt)
            return told
        }
        info.memoryBytes = memoryBytes.map { Int64(clamping: $0) }
        info.believedTime = ledger.ageClock.differingTime
        info.problems = call.desks.all.flatMap(\.troubles).map { problem in
            var told = DaemonProblem()
            (told.about, told.message) = (problem.about, problem.message)
            return told
        }
        return info
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
