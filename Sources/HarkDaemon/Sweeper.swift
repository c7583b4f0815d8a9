import HarkCore
import HarkDelivery
import HarkStore
import HarkSystem
import HarkWire

/// Carries removals through: what is marked as removed leaves every destination that keeps it, then the store, piece
/// by piece so that recording goes on meanwhile, and at last the space is given back.
///
/// The marks are in the store, so a removal that was interrupted goes on after the next start.
@DaemonActor
final class Sweeper {
    private let ledger: Ledger
    private let couriers: () -> [Courier]
    private var run: Task<WireError?, Never>?
    /// Marks were set since the run under way looked.
    private var isDirty = false

    private static let blocksAtOnce = 256
    private static let pagesAtOnce = 512

    /// Events deleted since the start.
    private(set) var sweptEvents = 0

    init(ledger: Ledger, couriers: @escaping () -> [Courier]) {
        self.ledger = ledger
        self.couriers = couriers
    }

    var isRunning: Bool { run != nil }

    /// Sees that everything marked so far will be removed.
    func wake() {
        isDirty = true
        guard run == nil else { return }
        run = DaemonActor.task { [self] in
            let error = await sweepAll()
            run = nil
            if let error { Log.warning("removal is not complete yet: \(error.message)") }
            return error
        }
    }

    /// Waits until everything marked so far is gone.
    func finish() async throws(WireError) {
        wake()
        while let run {
            let error = await run.value
            if let error { throw error }
            if !isDirty { return }
            wake()
        }
    }

    private func sweepAll() async -> WireError? {
        var removedAny = false
        do throws(WireError) {
            while isDirty {
                isDirty = false
                while let sessions = try await marked(), !sessions.isEmpty {
                    for session in sessions { try await sweep(session) }
                    removedAny = true
                }
            }
            if removedAny { try await giveBackSpace() }
            return nil
        } catch {
            return error
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
        for courier in couriers() {
            if let reason = await courier.forget(session) {
                throw WireError(
                    .internalError,
                    "a removed session could not be taken out of destination '\(courier.destination.name)': \(reason)"
                        + "; it is hidden already, and removal goes on with the next clear or start")
            }
        }
        while true {
            try ledger.decide { _, changes, _ in
                changes.upkeep.append(.sweep(sessionRow: session.row, maxBlocks: Sweeper.blocksAtOnce))
            }
            let report = try await ledger.commitment().report()
            sweptEvents += report.sweptEvents
            if report.sweptSessions.contains(session.row) { return }
        }
    }

    private func giveBackSpace() async throws(WireError) {
        while true {
            try ledger.decide { _, changes, _ in changes.upkeep.append(.shrink(maxPages: Sweeper.pagesAtOnce)) }
            if try await ledger.commitment().report().freedPages < Sweeper.pagesAtOnce { break }
        }
        do throws(StoreError) {
            try await ledger.store.scrub()
        } catch {
            throw WireError(error)
        }
    }
}
