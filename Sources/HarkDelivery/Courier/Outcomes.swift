internal import HarkCore

/// The result of records, for their watchers.
typealias ParcelResult = (sequences: [UInt64], result: Result<Void, DeliveryFailure>)

/// The results of parcels that are not stored yet.
struct Outcomes {
    /// The number of records that are no longer pending.
    var settled = 0
    /// The results for watchers, reported once they are stored.
    var results: [ParcelResult] = []
    var deadLetters: [DeadLetter] = []
    /// Dead letters that were accepted on a retry.
    var accepted: [UInt64] = []
    /// Dead letters whose record is gone.
    var gone: [UInt64] = []
    /// The number of accepted records that were rejected after all; it is unknown which.
    var refused = 0

    init(settled: Int = 0) {
        self.settled = settled
    }

    /// Whether there is nothing to store.
    var isEmpty: Bool { settled == 0 && deadLetters.isEmpty && accepted.isEmpty && gone.isEmpty && refused == 0 }

    /// Appends later results.
    mutating func append(_ later: Outcomes) {
        settled += later.settled
        results += later.results
        deadLetters += later.deadLetters
        accepted += later.accepted
        gone += later.gone
        refused += later.refused
    }
}

/// The results of records and the lane's progress, which are stored together or not at all.
struct Account {
    var progress: LaneProgress
    var outcomes: Outcomes

    init(_ progress: LaneProgress, _ outcomes: Outcomes = Outcomes()) {
        self.progress = progress
        self.outcomes = outcomes
    }
}
