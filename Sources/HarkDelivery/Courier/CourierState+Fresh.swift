internal import HarkCore

/// Newly committed records, kept so that they need not be read back.
extension CourierState {
    /// Keeps committed records in memory, as far as there is room, for a lane that will soon need them.
    mutating func keepFresh(_ arrivals: Arrivals, wanted: Int, upTo sequence: UInt64, _ mayPass: Bool) {
        guard isOn, !isStopped, mayPass else { return forgetFresh() }
        guard wanted > 0 else {
            fresh?.pass(upTo: sequence)
            return
        }
        if fresh == nil, let pending, pending < terms.batch.page { fresh = FreshRecords(after: newest) }
        fresh?.append(arrivals, upTo: sequence)
        fresh?.drop(beyond: terms.mostFresh)
    }

    /// Drops them, so that the next records are read from the store.
    mutating func forgetFresh() { fresh = nil }

    /// Drops the records that the lane has passed.
    mutating func trimFresh() { fresh?.drop(upTo: progress.cursor) }

    /// Whether a whole page is pending: waiting for more would save no pass, and might exceed the memory.
    var isCrowded: Bool {
        guard case .resting(.timer) = phase, fault == nil, fresh != nil, let pending else { return false }
        return pending >= terms.batch.page
    }
}
