import HarkCore
import HarkLedger
import HarkStore
import HarkSystem
import HarkWire

/// Counts for the rules of audiences what the log has from before they were in force.
///
/// It reads the newest records first, a page per turn of the loop. The count of a page and the note how far it was read
/// are one commit, so that no event is lost or counted twice. Pages without an event are noted with the next one that
/// has some, or with the last.
@DaemonActor
final class PastEvents {
    private let ledger: Ledger
    private var isRunning = false
    private var isStopped = false

    /// The most events that are counted at a time: each may need its user's state.
    private static let helping = 100
    /// How long a page is read for, in microseconds.
    private static let patience = 2_000

    init(ledger: Ledger) { self.ledger = ledger }

    /// Reads what there is to read; call it at the start, when surveys have changed, and when decisions were lost.
    func look() {
        guard !isRunning, ledger.pastToRead != nil else { return }
        isRunning = true
        DaemonActor.task { [self] in
            defer { isRunning = false }
            do throws(WireError) {
                while !isStopped, let reading = ledger.pastToRead { try await read(reading) }
            } catch {
                // It is called again when the store recovers, and at the next start.
                Log.debug("events of before could not be counted for audiences: \(error.message)")
            }
        }
    }

    /// The daemon ends. What is not read yet is read after the next start.
    func stop() { isStopped = true }

    /// Reads a gap, as long as it stays one.
    private func read(_ reading: PastReading) async throws(WireError) {
        var position = reading.gap.through
        while !isStopped, ledger.pastToRead?.isSame(as: reading) ?? false {
            // Decisions that are not stored yet cannot be read, and cleared records must not be.
            if !ledger.isSettled, ledger.isRemoving || ledger.committedSequence < reading.gap.through {
                try await ledger.settle()
                continue
            }
            let page = try page(of: reading, upTo: position)
            position = page.position
            guard page.found.isEmpty, position > reading.gap.after else {
                try await ledger.decide(needing: .all(page.users)) { engine, changes, now in
                    engine.count(page.found, reading, downTo: position, now: now, into: &changes)
                }.stored()
                return
            }
            await giveWay()
        }
    }

    private struct Page {
        var found: [PastEvent] = []
        /// Up to which record the gap was not read.
        var position: UInt64

        var users: [Need] { Set(found.map(\.user)).map { .user($0) } }
    }

    private func page(of reading: PastReading, upTo position: UInt64) throws(WireError) -> Page {
        var query = RecordQuery(limit: PastEvents.helping)
        query.descending = true
        query.from = position + 1
        query.machines = .own
        query.name = .exactly(reading.name)
        query.since = reading.since
        query.until = reading.gap.before
        query.patience = PastEvents.patience
        let (condition, after) = (reading.condition, reading.gap.after)
        return try ledger.lookUp { reader throws(StoreError) in
            let clears = try reader.unfinishedClears()
            var found = Page(position: after)
            let page = try reader.forEachRecord(query) { session, record in
                guard record.sequence > after else { return false }
                guard !session.isForLogs, !clears.contains(where: { $0.contains(session) }),
                    condition.holds(Properties(bytes: Array(record.properties)))
                else { return true }
                found.found.append(PastEvent(session, at: record.at))
                return true
            }
            // All from `next` on was read.
            let next = min(page.next ?? 0, position + 1)
            found.position = max(after, next > 0 ? next - 1 : 0)
            return found
        }
    }

    /// Lets everything else have its turn.
    private func giveWay() async {
        await withCheckedContinuation { continuation in DaemonActor.post { continuation.resume() } }
    }
}
