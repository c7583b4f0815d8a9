internal import HarkCore

/// What is told of these records.
typealias ParcelResult = (sequences: [UInt64], result: Result<Void, DeliveryFailure>)

/// What became of parcels, as far as the store does not know it yet.
struct Outcomes {
    /// So many records wait no longer.
    var settled = 0
    /// What to tell those who watch a record, once it is stored.
    var results: [ParcelResult] = []
    var deadLetters: [DeadLetter] = []
    /// Dead letters that were accepted on another try.
    var accepted: [UInt64] = []
    /// Dead letters whose record is gone.
    var gone: [UInt64] = []
    /// Of what was accepted, so many were not taken after all; nobody knows which.
    var refused = 0

    init(settled: Int = 0) {
        self.settled = settled
    }

    /// Whether there is nothing to be stored.
    var isEmpty: Bool { settled == 0 && deadLetters.isEmpty && accepted.isEmpty && gone.isEmpty && refused == 0 }

    /// What comes after this.
    mutating func append(_ later: Outcomes) {
        settled += later.settled
        results += later.results
        deadLetters += later.deadLetters
        accepted += later.accepted
        gone += later.gone
        refused += later.refused
    }
}

/// What became of records, and how far the lane has come with it: stored together, or not at all.
struct Account {
    var progress: LaneProgress
    var outcomes: Outcomes

    init(_ progress: LaneProgress, _ outcomes: Outcomes = Outcomes()) {
        self.progress = progress
        self.outcomes = outcomes
    }
}
