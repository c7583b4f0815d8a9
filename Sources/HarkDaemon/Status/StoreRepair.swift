import HarkCore
import HarkDelivery
import HarkHub
import HarkLedger
import HarkServer
import HarkStore
import HarkSystem
import HarkWire

/// Repairs a damaged store: a store with damaged pages is rebuilt by a restart of the daemon, unreadable rows are
/// removed, and what the archive tree has is restored.
@DaemonActor
final class StoreRepair {
    private let ledger: Ledger
    private let scrub: StoreScrub
    private let archive: ArchiveDesk
    private let importer: Importer
    /// Whether the daemon restarts to rebuild the store; another request then does the rest.
    private(set) var restarts = false
    private(set) var removed = 0
    private(set) var sessions = 0
    private(set) var events = 0
    /// Sessions in the tree that cannot be restored.
    private(set) var hopeless = 0
    /// Whether the tree could not be read completely.
    private(set) var isPartial = false
    /// The unreadable records, with the number of records restored.
    private var lost: [(records: LostRecords, found: Int)] = []

    init(_ call: Call) {
        ledger = call.ledger
        scrub = call.desk(StoreScrub.self)
        archive = call.desk(ArchiveDesk.self)
        importer = call.desk(Importer.self)
    }

    /// The ranges that were not restored, in log order, with the maximum number of records.
    var gone: [(records: LostRecords, most: Int)] {
        lost.compactMap { $0.found < $0.records.most ? ($0.records, $0.records.most - $0.found) : nil }
    }

    func run() async throws(WireError) {
        let unreadable = ledger.store.unreadable
        await scrub.lookThrough()
        if unreadable.hasDamagedPages || !ledger.store.hasChecksums {
            restarts = true
            return try scrub.rebuild()
        }
        let rows = unreadable.all
        removed = rows.count
        lost = unreadable.lost.map { ($0, 0) }
        try await remove(rows)
        try await bringBack()
        unreadable.forget(rows)
        unreadable.forgetPages()
        ledger.store.catchUp()
        importer.forget()
        await scrub.lookThrough()
        // Records whose session came back are readable again.
        let stillLost = Set(unreadable.lost)
        lost.removeAll { $0.records.haveNoSession && !stillLost.contains($0.records) }
        await archive.recount(always: true)
        for part in gone {
            Log.warning(
                "\(part.records.text): up to \(part.most) of them could not be brought back by a repair of the store")
        }
    }

    private func remove(_ rows: [UnreadableRow]) async throws(WireError) {
        try await ledger.decide { engine, changes, _ in
            engine.removeUnreadable(rows, into: &changes)
        }.stored()
    }

    private func bringBack() async throws(WireError) {
        let tree = archive.tree
        guard let newest = await tree.newest() else {
            isPartial = true
            return
        }
        try ledger.decide { engine, _, _ in engine.passNumbers(upTo: newest) }
        try await ledger.settle()
        let hopeless = try await tree.forEachFind { finds throws(WireError) in
            for found in finds.sessions {
                try await ledger.decide { engine, changes, _ in engine.restore(found, into: &changes) }.stored()
                if found.isLost { sessions += 1 }
                events += found.events.count
                for event in found.events { note(event.sequence) }
            }
        }
        if let hopeless { self.hopeless = hopeless } else { isPartial = true }
    }

    private func note(_ sequence: UInt64) {
        // The last range that begins before it; ranges overlap only if damage makes it look so.
        var (low, high) = (0, lost.count)
        while low < high {
            let middle = (low + high) / 2
            if lost[middle].records.first <= sequence { low = middle + 1 } else { high = middle }
        }
        if low > 0, sequence <= lost[low - 1].records.last { lost[low - 1].found += 1 }
    }

    var report: RepairReport {
        var report = RepairReport()
        report.restarts = restarts
        report.removed = Int64(removed)
        report.restoredSessions = Int64(sessions)
        report.restoredEvents = Int64(events)
        report.notRestored = Int64(hopeless)
        report.isPartial = isPartial
        report.gone = gone.prefix(100).map { records, most in
            var span = LostSpan()
            span.records = Int64(most)
            span.firstSeq = Int64(clamping: records.first)
            span.lastSeq = Int64(clamping: records.last)
            span.earliest = records.earliest
            span.latest = records.latest
            return span
        }
        return report
    }
}
