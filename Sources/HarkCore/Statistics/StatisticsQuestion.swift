package import HarkWire

/// What is asked of many events together.
package struct StatisticsQuestion: Sendable {
    /// Events that are the same in these make a group.
    package var by: [EventField] = []
    /// The property whose numbers are summed up.
    package var value: EventField?
    /// Which percentiles of these numbers, from 0 to 100.
    package var percentiles: [Double] = []
    /// Of what the different values are counted.
    package var distinct: EventField?
    /// Where time is cut, ascending: each two neighbours bound a bucket, the later one being outside of it. Without any, time
    /// plays no part; with some, events outside of all buckets do not count.
    package var boundaries: [Timestamp] = []

    package init() {}

    package var buckets: Int { max(0, boundaries.count - 1) }
}

extension StatisticsQuestion {
    package static let mostFields = 4
    package static let mostPercentiles = 16
    package static let mostBuckets = 1_000
    package static let mostGroups = 10_000
    /// Of the texts that groups are made of.
    static let mostKeyBytes = 1 << 20

    /// Groups, times the buckets of each, that there is memory for.
    private var mostCells: Int { percentiles.isEmpty && distinct == nil ? 20_000 : 3_000 }

    /// How many groups are told apart.
    package var groupLimit: Int {
        min(StatisticsQuestion.mostGroups, max(1, mostCells / (buckets + 1) - 2))
    }

    /// What bins and hashes may take, of each kind, beside the little that every group has.
    static let sketchBytes = 3 << 19
}
