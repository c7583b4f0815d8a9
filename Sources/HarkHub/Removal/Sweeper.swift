package import HarkCore
package import HarkDelivery
package import HarkLedger
import HarkServer
package import HarkStore
package import HarkSystem
package import HarkWire

/// Carries out removals: sessions that are marked as removed leave every destination that keeps them, then the store,
/// piece by piece so that recording continues, and at last the space is given back.
///
/// The marks are in the store, so an interrupted removal continues after the next start. A removal that fails, for
/// example because the archive tree is not writable, is retried.
@DaemonActor
package final class Sweeper: Desk {
    package let ledger: Ledger
    private let loop: EventLoop
    package let couriers: () async -> [Courier]?
    private var run: Task<WireError?, Never>?
    /// Whether marks were set since the current run looked.
    private var isDirty = false
    /// Whether something was deleted since the space was given back; true at the start, when it is unknown.
    private var owesSpace = true
    /// Why the last run failed.
    private var lastError: WireError?
    private var retry: TimerSource?

    private static let blocksAtOnce = 256
    private static let pagesAtOnce = 512
    private static let retryMicroseconds: UInt64 = 5_000_000
    /// The consecutive refusals after which work is given up; other changes in the same commit may be the cause.
    private static let mostRefusals = 20

    /// The servers that have received records of removed sessions and cannot delete them, each with the value of
    /// `deliveredCount` when that was last found.
    private var deliveredTo: [Server: Int] = [:]

    /// A destination that keeps what it has received.
    package struct Server: Hashable {
        package let name: String
        package let kind: String
    }

    /// How often a removed session was found to have been delivered to such a server.
    package private(set) var deliveredCount = 0
    /// `deliveredCount` before a failed removal whose servers have not been reported yet.
    private var unreportedCount: Int?

    /// The servers that have received something that was removed since `deliveredCount` had a value, or that an
    /// earlier, failed removal was about.
    package func deliveredTo(since count: Int) -> [Server] {
        defer { unreportedCount = nil }
        let first = min(count, unreportedCount ?? count)
        return deliveredTo.filter { $0.value > first }.keys.sorted { $0.name < $1.name }
    }

    /// Events deleted since the start.
    private(set) var sweptEvents = 0

    /// - Parameter couriers: Returns all couriers; nil when delivery has ended.
    package init(ledger: Ledger, loop: EventLoop, couriers: @escaping () async -> [Courier]?) {
        self.ledger = ledger
        self.loop = loop
        self.couriers = couriers
    }

    package var isRunning: Bool { run != nil }

    /// Whether removed data may still exist, though hidden.
    var isIncomplete: Bool { lastError != nil }

    package func begin() {
        wake()
        resumeClears()
    }

    package func follow(_ changes: Stored<Changes>, _ report: CommitReport) {
        if report.marked.contains(where: \.isAny) { wake() }
    }

    /// Starts removing everything marked so far.
    package func wake() {
        isDirty = true
        guard run == nil else { return }
        ledger.isMakingRoom = true
        run = DaemonActor.task { [self] in
            let count = deliveredCount
            let error = await sweepAll()
            run = nil
            ledger.isMakingRoom = false
            if error != nil { unreportedCount = unreportedCount ?? count }
            note(error)
            return error
        }
    }

    private func note(_ error: WireError?) {
        if let error, error != lastError { Log.warning("removal is not complete yet: \(error.message)") }
        lastError = error
        guard error != nil else { return }
        do {
            let timer =
                try retry
                ?? loop.timer(clock: .monotonic, accuracyMicroseconds: 500_000) { [weak self] in self?.wake() }
            retry = timer
            timer.arm(afterMicroseconds: Sweeper.retryMicroseconds)
        } catch {
            Log.warning("removal goes on with the next clear or start: \(error)")
        }
    }

    /// Waits until everything marked so far is gone, and other deleted rows are gone from the store's log.
    package func finishClear() async throws(WireError) {
        owesSpace = true
        try await finish()
    }

    /// Waits until everything marked so far is gone.
    package func finish() async throws(WireError) {
        wake()
        while let run {
            let error = await run.value
            if let error { throw error }
            if !isDirty { return }
            wake()
        }
    }

    private func sweepAll() async -> WireError? {
        do throws(WireError) {
            // Marks may be set while space is given back, which takes long.
            while isDirty || owesSpace {
                while isDirty {
                    isDirty = false
                    while let sessions = try await marked(), !sessions.isEmpty {
                        owesSpace = true
                        for session in sessions {
                            try await again { () async throws(WireError) in try await self.sweep(session) }
                        }
                    }
                }
                if owesSpace { try await again(giveBackSpace) }
            }
            return nil
        } catch {
            return error
        }
    }

    /// Runs work that can be resumed, and repeats it if a full disk has refused it.
    package func again<Value>(_ work: () async throws(WireError) -> Value) async throws(WireError) -> Value {
        var refusals = 0
        while true {
            let before = sweptEvents
            do throws(WireError) {
                return try await work()
            } catch {
                refusals = sweptEvents == before ? refusals + 1 : 0
                guard error.reason == .storeUnavailable, ledger.trouble?.code == .full, refusals < Sweeper.mostRefusals
                else { throw error }
            }
        }
    }

    private func marked() async throws(WireError) -> [SessionIdentity]? {
        do throws(StoreError) {
            return try await ledger.store.read { reader throws(StoreError) in
                try reader.removedSessions(limit: 100)
            }
        } catch {
            throw WireError(error)
        }
    }

    private func sweep(_ session: SessionIdentity) async throws(WireError) {
        let restarts = ledger.restarts
        // The mark may be in the store before the couriers know the records of its commit.
        try await ledger.settle()
        var asked: [Courier] = []
        // Queried each time: meanwhile a courier may be replaced by another that keeps the account.
        while true {
            guard let couriers = await couriers() else {
                throw WireError(
                    .shuttingDown, "harkd is ending; what was removed is hidden, and goes at the next start")
            }
            guard let courier = couriers.first(where: { courier in !asked.contains { $0 === courier } }) else { break }
            asked.append(courier)
            let forgotten = await courier.forget(session)
            if forgotten.hadReceived, !courier.destination.forgetsWhatItHas {
                deliveredCount += 1
                let server = Server(name: courier.destination.name, kind: courier.destination.kind)
                deliveredTo[server] = deliveredCount
            }
            if let reason = forgotten.reason {
                // A refusal of the store is no fault of the destination.
                let isStoreAtFault = ledger.restarts != restarts || ledger.trouble != nil
                throw WireError(
                    isStoreAtFault ? .storeUnavailable : .internalError,
                    "a removed session could not be taken out of destination '\(courier.destination.name)': \(reason)"
                        + "; it is hidden already, and removal is tried again every few seconds")
            }
        }
        while true {
            let (_, report) = try await ledger.decide { engine, changes, _ in
                engine.sweep(sessionRow: session.row, maxBlocks: Sweeper.blocksAtOnce, into: &changes)
            }.reported()
            sweptEvents += report.sweptEvents
            if report.sweptSessions.contains(session.row) { return }
        }
    }

    private func giveBackSpace() async throws(WireError) {
        // Deletions from here on may come too late for this pass.
        owesSpace = false
        do throws(WireError) {
            try await shrinkAndScrub()
        } catch {
            owesSpace = true
            throw error
        }
    }

    private func shrinkAndScrub() async throws(WireError) {
        while true {
            let (_, report) = try await ledger.decide { engine, changes, _ in
                engine.shrink(maxPages: Sweeper.pagesAtOnce, into: &changes)
            }.reported()
            if report.freedPages < Sweeper.pagesAtOnce { break }
        }
        do throws(StoreError) {
            try await ledger.store.scrub()
        } catch {
            throw WireError(error)
        }
    }
}
