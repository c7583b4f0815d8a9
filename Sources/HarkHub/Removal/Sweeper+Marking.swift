package import HarkCore
import HarkDelivery
import HarkLedger
package import HarkStore
import HarkSystem
package import HarkWire

/// Removes many sessions, which are marked in batches, because all clients wait for the transaction that marks them.
extension Sweeper {
    /// The number of sessions searched at a time.
    private nonisolated static let foundAtOnce = 20_000
    private nonisolated static let markedAtOnce = 500

    /// Marks the sessions that a policy no longer keeps, and lets them be removed; a dry run only counts them.
    package func applyRetention(
        _ policy: RetentionPolicy, to scope: RetentionScope, dryRun: Bool
    ) async throws(WireError) -> CommitReport.Marked {
        let ageClock = ledger.ageClock
        // No caller passes `.user`, so the showings of a single user need no filter.
        var uid: UInt32?
        if case .uid(let one) = scope { uid = one }
        // Earlier decisions are in the store then.
        var showings = try await ledger.decide { [uid] engine, changes, _ in
            engine.remember(ageClock.packed, as: AgeClock.remembered, into: &changes)
            return engine.showingRetention(policy, uid: uid, now: ageClock.now)
        }.stored().value
        let now = ageClock.now
        let sessions = try await readAside { reader throws(StoreError) in
            try reader.sessions(beyond: policy, of: scope, now: now)
        }
        showings.excess = sessions.excess
        if dryRun {
            return try await readAside { [showings] reader throws(StoreError) in
                var marked = try reader.preview(sessions.rows.values.flatMap { $0 })
                marked.showings = try reader.showings(beyond: showings, limit: .max).values.reduce(0) { $0 + $1.count }
                marked.texts = try reader.texts(beyond: showings, limit: .max).texts
                return marked
            }
        }
        var marked = CommitReport.Marked()
        for (rule, rows) in sessions.rows { marked += try await mark(rows, by: rule) }
        marked.showings = try await removeShowings(showings)
        marked.texts = try await redactTexts(showings)
        if marked.texts > 0 { try await finishClear() } else if marked.isAny { try await finish() }
        return marked
    }

    /// Replaces expired free texts by marks: in the store, and then in the archive tree.
    ///
    /// - Returns: The number of replaced texts.
    private func redactTexts(_ retention: ShowingRetention) async throws(WireError) -> Int {
        var redacted = 0
        while true {
            let rows = try await readAside { reader throws(StoreError) in
                try reader.texts(beyond: retention, limit: Sweeper.foundAtOnce).rows
            }
            redacted += try await inPieces(rows) { rows, engine, changes in
                engine.redactTexts(rows, into: &changes)
            }.texts
            if rows.count < Sweeper.foundAtOnce { break }
        }
        // Includes the texts of a run that was interrupted.
        while true {
            let (rows, sessions) = try await readAside { reader throws(StoreError) in
                try reader.redacted(limit: Sweeper.markedAtOnce)
            }
            guard !rows.isEmpty, await rewriteFiles(of: sessions) else { return redacted }
            _ = try await inPieces(rows) { rows, engine, changes in engine.noteRedacted(rows, into: &changes) }
        }
    }

    /// - Returns: Whether all files are free of the texts.
    private func rewriteFiles(of sessions: [SessionIdentity]) async -> Bool {
        guard let couriers = await couriers() else { return false }
        for courier in couriers {
            guard let archive = courier.destination as? ArchiveDestination else { continue }
            guard await archive.rewrite(sessions) else { return false }
        }
        return true
    }

    /// Deletes the closed showings that are no longer kept, in batches.
    ///
    /// - Returns: The number of deleted showings.
    private func removeShowings(_ retention: ShowingRetention) async throws(WireError) -> Int {
        var retention = retention
        var removed = 0
        while true {
            let found = try await readAside { [retention] reader throws(StoreError) in
                try reader.showings(beyond: retention, limit: Sweeper.foundAtOnce)
            }
            let before = removed
            for (rule, rows) in found {
                removed += try await inPieces(rows) { rows, engine, changes in
                    engine.removeShowings(rows, by: rule, into: &changes)
                }.showings
            }
            // The next pass computes again how much the store exceeds its size.
            retention.excess = 0
            // Otherwise a row that cannot be deleted would be found for ever.
            if (found[.age]?.count ?? 0) < Sweeper.foundAtOnce || removed == before { return removed }
        }
    }

    /// Marks the remaining sessions of a removal whose own commit has marked only a part.
    ///
    /// - Returns: The total of marked sessions.
    package func markRest(
        of selection: Selection, _ first: CommitReport.Marked
    ) async throws(WireError) -> CommitReport.Marked {
        var marked = first
        var isMore = first.isPartial
        while isMore {
            let rows = try await readAside { reader throws(StoreError) in
                try reader.sessions(of: selection, limit: Sweeper.foundAtOnce)
            }
            marked += try await mark(rows)
            isMore = rows.count == Sweeper.foundAtOnce
        }
        // With none left to mark, the store forgets that there was more.
        if first.isPartial {
            try await ledger.decide { engine, changes, _ in engine.remove(selection, into: &changes) }.stored()
        }
        return marked
    }

    /// Continues clears that were interrupted by the daemon's end or by a refusal of the store.
    func resumeClears() {
        DaemonActor.task { [self] in
            do throws(WireError) {
                var partly = CommitReport.Marked()
                partly.isPartial = true
                for selection in try ledger.lookUp({ reader throws(StoreError) in try reader.unfinishedClears() }) {
                    _ = try await markRest(of: selection, partly)
                }
            } catch {
                Log.warning("a clear that had not come to its end goes on with the next start: \(error.message)")
            }
        }
    }

    /// Deletes closed showings that were cleared, in batches.
    ///
    /// - Parameter find: Returns rows of some remaining showings.
    func removeShowings(
        _ find: @escaping @Sendable (StoreReader) throws(StoreError) -> [Int64]
    ) async throws(WireError) {
        while true {
            let rows = try await readAside(find)
            let removed = try await inPieces(rows) { rows, engine, changes in
                engine.removeShowings(rows, by: nil, into: &changes)
            }.showings
            // Otherwise a row that cannot be deleted would be found for ever.
            guard removed > 0 else { return }
        }
    }

    /// Removes the sessions in these rows.
    ///
    /// - Returns: The number of removed sessions.
    package func remove(_ rows: [Int64]) async throws(WireError) -> Int {
        let marked = try await mark(rows)
        if marked.isAny { try await finishClear() }
        return marked.sessions
    }

    private func mark(_ rows: [Int64], by rule: RetentionRule? = nil) async throws(WireError) -> CommitReport.Marked {
        let marked = try await inPieces(rows) { rows, engine, changes in engine.mark(rows, by: rule, into: &changes) }
        if marked.isAny { ledger.adjust { $0.recordsWereRemoved() } }
        return marked
    }

    /// Marks or deletes rows in batches, because all clients wait for the transaction.
    private func inPieces(
        _ rows: [Int64], _ decide: ([Int64], Engine, inout Changes) -> Int
    ) async throws(WireError) -> CommitReport.Marked {
        var marked = CommitReport.Marked()
        for start in stride(from: 0, to: rows.count, by: Sweeper.markedAtOnce) {
            let (place, report) = try await ledger.decide { engine, changes, _ in
                decide(Array(rows[start...].prefix(Sweeper.markedAtOnce)), engine, &changes)
            }.reported()
            marked += report.marked[place.value]
        }
        return marked
    }

    private func readAside<Value: Sendable>(
        _ query: @escaping @Sendable (StoreReader) throws(StoreError) -> Value
    ) async throws(WireError) -> Value {
        do throws(StoreError) {
            return try await ledger.store.readAside(query)
        } catch {
            throw WireError(error)
        }
    }
}
