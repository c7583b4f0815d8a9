internal import HarkCore

/// What was committed last, and need not be read back.
extension CourierState {
    /// What is at hand of the log is kept, as far as there is room for it, for a lane that soon comes to it.
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

    /// What comes next is read from the store.
    mutating func forgetFresh() { fresh = nil }

    /// What the lane is done with makes room.
    mutating func trimFresh() { fresh?.drop(upTo: progress.cursor) }

    /// A whole page has gathered: to wait for more would save no pass, and there may be no room left for it.
    var isCrowded: Bool {
        guard case .resting(.timer) = course, fault == nil, fresh != nil, let pending else { return false }
        return pending >= terms.batch.page
    }
}
