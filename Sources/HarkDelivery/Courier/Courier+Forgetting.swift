package import HarkCore
internal import HarkSystem

/// Removals, which run between two passes.
extension Courier {
    /// What a removal has to know of a lane.
    package struct Forgotten: Sendable {
        /// Why it could not; it is asked again later.
        package let reason: String?
        /// Whether something of it had left the machine's care before.
        package let hadReceived: Bool
    }

    /// Removes a session between two passes. All that was written of it must have been told before.
    ///
    /// One that was stopped leaves it to whoever has its place.
    package func forget(_ session: SessionIdentity) async -> Forgotten {
        await hold()
        defer { letGo() }
        do {
            if let debt { try await pay(debt) }
            await count()
            guard pending != nil else { return Forgotten(reason: fault, hadReceived: false) }
            let (sequences, dead) = try await reader.sequences(ofRemoved: session, filter, to: destination.name)
            // Of those that were dropped only the dead letters are known one by one; the others may have left.
            let isKnown =
                progress.accepted > 0
                && sequences.contains {
                    $0 > progress.first && ($0 <= progress.cursor || progress.done.contains($0)) && !dead.contains($0)
                }
            guard !isStopped else { return Forgotten(reason: nil, hadReceived: false) }
            let counted = max(progress.cursor, progress.removed[session.row] ?? 0)
            let waiting = sequences.filter { $0 > counted && $0 <= newest && !progress.done.contains($0) }
            if let last = waiting.max() {
                var next = progress
                next.remove(session: session.row, waiting: waiting.count, upTo: last)
                var outcomes = Outcomes(settled: waiting.count)
                outcomes.results = sequences.map { ($0, Courier.gone) }
                try await pay(next, outcomes)
            }
            return Forgotten(reason: await destination.forget(session), hadReceived: isKnown)
        } catch {
            return Forgotten(reason: (error as? DeliveryFailure)?.reason ?? "\(error)", hadReceived: false)
        }
    }
}
