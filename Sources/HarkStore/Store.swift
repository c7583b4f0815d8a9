package import HarkCore
package import HarkSystem
package import HarkWire
internal import Synchronization

/// The store: one SQLite file, one thread that writes it, one that reads it for lists and exports in turns, and a
/// connection for the few point look-ups the loop needs at once.
package final class Store: Sendable {
    /// The name of the file in its folder.
    package static let fileName = "hark.db"

    package let path: String
    private let families: [StoreFamily]
    private let writerThread = WorkerThread(name: "hark-writer", isAwaited: true)
    /// Who records comes first where there are not enough processors for all: reading a million records takes seconds of one.
    private let readerThread = TurnThread(name: "hark-reader", niceness: 10)
    private let checkpointer: Checkpointer
    let writer: Confined<StoreWriter>
    private let reader: Confined<StoreReader>
    /// Sums the store up, beside what others read. Made when it is first asked for.
    private let summing = Mutex<Summing?>(nil)
    /// What readers could not read.
    package let unreadable = UnreadableRows()
    /// A removal on a full disk uses the room that is kept for it, and nothing else gets any.
    package var isSparing: Bool { sparing.load(ordering: .relaxed) }
    private let sparing = Atomic(false)
    /// What is said while it does.
    package var full: StoreError { Database.full(path) }
    private let whenDamaged = Mutex<(@Sendable () -> Void)?>(nil)
    /// Whether damage is recognised wherever it is; not so in files of earlier versions.
    package let hasChecksums: Bool
    package let watermark: Engine.Watermark
    /// The newest run of the daemon that has counted something.
    package let lastRun: Int64

    /// Opens or creates the store in a folder that exists.
    ///
    /// - Parameter families: whose tables it has; never fewer than at an earlier time.
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

    /// Gathers what is found faster so, in pieces between which the writer does what else there is to do: the names that earlier
    /// runs have not, and what results need of showings.
    package func catchUp() {
        // No weak reference: a job given when the store has closed is never done, and goes with the thread.
        writerThread.perform { [self] in
            do throws(StoreError) {
                if try writer.value.catchUp() { catchUp() }
                if checkpointer.follow(writer.value.database) { writer.value.logIsCopied() }
            } catch {
                Log.warning("what speeds up searches and results was not written: \(error.message)")
            }
        }
    }

    /// A reader of one's own, for use on one thread.
    package func makeReader() throws(StoreError) -> StoreReader {
        try StoreReader(path: path, unreadable: unreadable, families: families)
    }

    /// Writes a batch as one transaction and reports, on the thread that wrote it, once it is on disk or refused.
    /// - Parameter isShort: It takes less time than waking the writer's thread and being told by it: it is written on the
    ///   caller's, if nothing else is being written.
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

    /// Runs a query on the reader's thread when it is its owner's turn. It should be short: who has much to read asks for
    /// it in pieces (`RecordQuery.patience`).
    package func read<Value: Sendable>(
        for owner: TurnOwner = .daemon, _ query: @escaping @Sendable (StoreReader) throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        let outcome = await readerThread.run(for: owner) { [reader] in
            Result { () throws(StoreError) in try query(reader.value) }
        }
        guard let outcome else { throw StoreError(.abandoned, "whoever asked is gone") }
        return try noting(outcome)
    }

    /// Called, on any thread, when the store could not do what it was asked as its file is damaged.
    package func onDamage(_ body: @escaping @Sendable () -> Void) { whenDamaged.withLock { $0 = body } }

    /// Tells of damage that could not be passed over.
    package func noting<Value>(_ outcome: Result<Value, StoreError>) throws(StoreError) -> Value {
        if case .failure(let error) = outcome, error.isDamage { whenDamaged.withLock { $0 }?() }
        return try outcome.get()
    }

    /// Has the next start make the store anew of what can be read of it.
    package func wantRebuild() throws(StoreError) { try StoreSwap(path).want() }

    /// Whether the store was made anew, or was to be, within the last seconds.
    package func wasRebuilt(within seconds: Int) -> Bool { StoreSwap(path).age.map { $0 < seconds } ?? false }

    /// How many queries wait for their turn.
    package var waitingQueries: Int { readerThread.count }

    /// Drops the queries of a client who is gone.
    package func forget(_ owner: TurnOwner) { readerThread.forget(owner) }

    /// Sizes and totals, whatever else is being read.
    package func totals() async throws(StoreError) -> StoreReader.Totals {
        try await readAside { reader throws(StoreError) in try reader.totals() }
    }

    /// Runs a query of the daemon's own that goes through much, so that nobody else's waits for it.
    package func readAside<Value: Sendable>(
        _ query: @escaping @Sendable (StoreReader) throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        // Where the file is no longer at its name, those who have it open can read it.
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

    /// Copies and empties the log, so that nothing deleted lingers in it.
    package func scrub() async throws(StoreError) {
        // Two cannot copy the log at a time; SQLite refuses the second without waiting.
        checkpointer.hold()
        defer { checkpointer.letGo() }
        // A commit that did not know of the hold yet is over then, and has begun its copy if it was to.
        await writerThread.run {}
        await checkpointer.rested()
        try await writerThread.run { [writer] () throws(StoreError) in try writer.value.scrub() }
    }

    /// Lets running work finish and closes the file.
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

/// What one transaction consists of.
package struct Batch: Sendable {
    package let changes: Changes
    /// Where the numbers stand after it.
    package let watermark: Engine.Watermark
    /// A removal waits for it: on a full disk it may use what is kept for that.
    package let isMakingRoom: Bool

    package init(changes: Changes, watermark: Engine.Watermark, isMakingRoom: Bool = false) {
        self.changes = changes
        self.watermark = watermark
        self.isMakingRoom = isMakingRoom
    }
}

/// What a commit did.
package struct CommitReport: Sendable {
    /// From the begin of the transaction until it was on disk.
    package var microseconds = 0
    /// Whether it is on disk; else it outlasts a crash, but perhaps no power cut, until the next that is.
    package var isSynced = true
    /// What each piece of upkeep marked as removed, in the order it was asked for.
    package var marked: [Marked] = []
    /// What of it a rule of retention had removed.
    package var removedByRule: [RetentionRule: Marked] = [:]
    /// Sessions that were swept away to the last block, and the events deleted.
    package var sweptSessions: [Int64] = []
    package var sweptEvents = 0
    /// Pages given back to the file system.
    package var freedPages = 0

    package init() {}

    package struct Marked: Sendable {
        package var sessions = 0
        package var events = 0
        /// Sessions of log entries, which nobody sees as sessions.
        package var logSessions = 0
        /// Closed showings of surveys, which are deleted at once.
        package var showings = 0
        /// Free texts in whose place a mark is.
        package var texts = 0
        /// There may be more that it means and that are not marked yet.
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
