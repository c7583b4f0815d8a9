package import HarkCore
package import HarkSystem
package import HarkWire
internal import Synchronization

/// The store: a SQLite file, a thread that writes it, a thread that reads it for lists and exports in turns, and a
/// connection for the few point lookups that the event loop needs at once.
package final class Store: Sendable {
    /// The name of the file in the state folder.
    package static let fileName = "hark.db"

    package let path: String
    private let families: [StoreFamily]
    private let writerThread = WorkerThread(name: "hark-writer", isAwaited: true)
    /// Writing takes priority when processors are scarce: reading a million records takes seconds of one.
    private let readerThread = TurnThread(name: "hark-reader", niceness: 10)
    private let checkpointer: Checkpointer
    let writer: Confined<StoreWriter>
    private let reader: Confined<StoreReader>
    /// Computes totals on a thread of its own. Created on first use.
    private let summing = Mutex<Summing?>(nil)
    /// The rows that readers could not read.
    package let unreadable = UnreadableRows()
    /// Whether a removal on a full disk is using the reserve, so that nothing else may be stored.
    package var isSparing: Bool { sparing.load(ordering: .relaxed) }
    private let sparing = Atomic(false)
    /// The error returned meanwhile.
    package var full: StoreError { Database.full(path) }
    private let whenDamaged = Mutex<(@Sendable () -> Void)?>(nil)
    /// Whether all damage is detected; false for files of earlier versions.
    package let hasChecksums: Bool
    package let watermark: Engine.Watermark
    /// The last run of the daemon that changed a counter.
    package let lastRun: Int64

    /// Opens or creates the store in an existing folder.
    ///
    /// - Parameter families: the families with tables in the store; never fewer than before.
    package init(folder: String, families: [StoreFamily] = StoreFamily.all) throws(StoreError) {
        path = folder + "/" + Store.fileName
        let writer = try StoreWriter.open(path: path, families: families, unreadable: unreadable)
        hasChecksums = writer.database.hasChecksums
        watermark = try writer.watermark()
        lastRun = try writer.lastRun()
        self.writer = Confined(writer)
        self.families = families
        reader = Confined(try StoreReader(path: path, unreadable: unreadable, families: families))
        checkpointer = try Checkpointer(path: path)
        catchUp()
    }

    /// Builds indices in steps, between which the writer does its other work: names of records that earlier runs left,
    /// and tallies of showings for results.
    package func catchUp() {
        // A strong reference: a job that is added after closing never runs, and is freed with the thread.
        writerThread.perform { [self] in
            do throws(StoreError) {
                if try writer.value.catchUp() { catchUp() }
                if checkpointer.follow(writer.value.database) { writer.value.logIsCopied() }
            } catch {
                Log.warning("what speeds up searches and results was not written: \(error.message)")
            }
        }
    }

    /// A new reader for use on one thread.
    package func makeReader() throws(StoreError) -> StoreReader {
        try StoreReader(path: path, unreadable: unreadable, families: families)
    }

    /// Commits a batch as one transaction. Calls `report` on the thread that wrote it, once it is on disk or refused.
    /// - Parameter isShort: whether writing takes less time than waking the writer's thread. Such a batch is written on
    ///   the caller's thread if nothing else is being written.
    package func commit(
        _ batch: Batch, isShort: Bool = false,
        then report: @escaping @Sendable (Batch, Result<CommitReport, StoreError>) -> Void
    ) {
        let job: WorkerThread.Job = { [self] in
            let outcome = writer.value.commit(batch, isCopying: checkpointer.isCopying)
            if case .failure(let error) = outcome, error.isDamage { whenDamaged.withLock { $0 }?() }
            sparing.store(writer.value.isSparing, ordering: .relaxed)
            report(batch, outcome)
            if checkpointer.follow(writer.value.database) { writer.value.logIsCopied() }
            if case .success = outcome, writer.value.isBehind { catchUp() }
        }
        if isShort, !checkpointer.needsWriter { writerThread.performHere(job) } else { writerThread.perform(job) }
    }

    /// Runs a query on the reader's thread in its owner's turn. It should be short: read large results in pages
    /// (`RecordQuery.patience`).
    package func read<Value: Sendable>(
        for owner: TurnOwner = .daemon, _ query: @escaping @Sendable (StoreReader) throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        let outcome = await readerThread.run(for: owner) { [reader] in
            Result { () throws(StoreError) in try query(reader.value) }
        }
        guard let outcome else { throw StoreError(.abandoned, "the caller is gone") }
        return try noting(outcome)
    }

    /// Sets a callback for requests that failed because of damage; it may be called on any thread.
    package func onDamage(_ body: @escaping @Sendable () -> Void) { whenDamaged.withLock { $0 = body } }

    /// Unwraps a result, and reports damage that could not be skipped.
    package func noting<Value>(_ outcome: Result<Value, StoreError>) throws(StoreError) -> Value {
        if case .failure(let error) = outcome, error.isDamage { whenDamaged.withLock { $0 }?() }
        return try outcome.get()
    }

    /// Makes the next start rebuild the store from its readable data.
    package func wantRebuild() throws(StoreError) { try StoreSwap(path).want() }

    /// Whether a rebuild happened or failed within the last seconds.
    package func wasRebuilt(within seconds: Int) -> Bool { StoreSwap(path).age.map { $0 < seconds } ?? false }

    /// The number of queries that wait for their turn.
    package var waitingQueries: Int { readerThread.count }

    /// Drops the queries of a client that has disconnected.
    package func forget(_ owner: TurnOwner) { readerThread.forget(owner) }

    /// Sizes and totals, without waiting for other reads.
    package func totals() async throws(StoreError) -> StoreReader.Totals {
        try await readAside { reader throws(StoreError) in try reader.totals() }
    }

    /// Runs a long query of the daemon's own, so that clients' queries do not wait for it.
    package func readAside<Value: Sendable>(
        _ query: @escaping @Sendable (StoreReader) throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        // If the file was moved, only connections that are already open can read it.
        guard let summing = try? makeSumming() else { return try await read(query) }
        return try await summing.thread.run { () throws(StoreError) in try query(summing.reader.value) }
    }

    private final class Summing: Sendable {
        let thread = WorkerThread(name: "hark-totals")
        let reader: Confined<StoreReader>

        init(path: String, unreadable: UnreadableRows) throws(StoreError) {
            reader = Confined(try StoreReader(path: path, unreadable: unreadable))
        }
    }

    private func makeSumming() throws(StoreError) -> Summing {
        let result: Result<Summing, StoreError> = summing.withLock { summing in
            Result { () throws(StoreError) in
                if let summing { return summing }
                let made = try Summing(path: path, unreadable: unreadable)
                summing = made
                return made
            }
        }
        return try result.get()
    }

    /// Copies and empties the log, so that it keeps no deleted data.
    package func scrub() async throws(StoreError) {
        // Only one connection can copy the log at a time; SQLite refuses a second one at once.
        checkpointer.hold()
        defer { checkpointer.letGo() }
        // Waits for a commit that began before the hold and may have started a copy.
        await writerThread.run {}
        await checkpointer.rested()
        try await writerThread.run { [writer] () throws(StoreError) in try writer.value.scrub() }
    }

    /// Lets current work finish, then closes the file.
    package func close() {
        readerThread.close()
        if let summing = summing.withLock({ $0.take() }) {
            summing.thread.close()
            summing.reader.discard()
        }
        writerThread.close()
        checkpointer.close()
        reader.discard()
        writer.discard()
        StoreMark(path).remove()
    }
}

/// The content of one transaction.
package struct Batch: Sendable {
    package let changes: Changes
    /// The last numbers used after it.
    package let watermark: Engine.Watermark
    /// Whether a removal waits for it: on a full disk it may then use the reserve.
    package let isMakingRoom: Bool

    package init(changes: Changes, watermark: Engine.Watermark, isMakingRoom: Bool = false) {
        self.changes = changes
        self.watermark = watermark
        self.isMakingRoom = isMakingRoom
    }
}

/// The result of a commit.
package struct CommitReport: Sendable {
    /// The time from the start of the transaction until it was on disk.
    package var microseconds = 0
    /// Whether it is on disk; if not, it survives a crash, but maybe not a power cut, until the next synced commit.
    package var isSynced = true
    /// The counts that each piece of upkeep marked as removed, in order.
    package var marked: [Marked] = []
    /// The counts removed by rules of retention.
    package var removedByRule: [RetentionRule: Marked] = [:]
    /// The sessions that were deleted completely, and below the number of deleted events.
    package var sweptSessions: [Int64] = []
    package var sweptEvents = 0
    /// The number of pages returned to the file system.
    package var freedPages = 0

    package init() {}

    package struct Marked: Sendable {
        package var sessions = 0
        package var events = 0
        /// Sessions of log entries, which are never shown as sessions.
        package var logSessions = 0
        /// Closed showings of surveys, which are deleted at once.
        package var showings = 0
        /// Free texts that were replaced by a mark.
        package var texts = 0
        /// Whether more may be covered that is not marked yet.
        package var isPartial = false

        package init() {}

        package static func += (sum: inout Marked, more: Marked) {
            sum.sessions += more.sessions
            sum.events += more.events
            sum.logSessions += more.logSessions
            sum.showings += more.showings
            sum.texts += more.texts
        }

        package var isAny: Bool { sessions > 0 || logSessions > 0 || showings > 0 || texts > 0 }
    }
}
