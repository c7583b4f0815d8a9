package import HarkWire

/// A query for statistics over many events.
package struct StatisticsQuestion: Sendable {
    /// The fields to group by.
    package var by: [EventField] = []
    /// The property whose numbers are summarised.
    package var value: EventField?
    /// The percentiles to compute, from 0 to 100.
    package var percentiles: [Double] = []
    /// The field whose distinct values are counted.
    package var distinct: EventField?
    /// The boundaries of time buckets, ascending: a bucket includes its first boundary and excludes the next. Without
    /// any, time is not considered; with some, events outside of all buckets do not count.
    package var boundaries: [Timestamp] = []

    package init() {}

    package var buckets: Int { max(0, boundaries.count - 1) }
}

extension StatisticsQuestion {
    package static let mostFields = 4
    package static let mostPercentiles = 16
    package static let mostGroups = 10_000
    /// The greatest total size of group keys, in bytes.
    static let mostKeyBytes = 1 << 20

    /// The greatest number of groups times buckets that fits into memory.
    private var mostCells: Int { percentiles.isEmpty && distinct == nil ? 20_000 : 3_000 }

    /// The greatest number of groups.
    package var groupLimit: Int {
        min(StatisticsQuestion.mostGroups, max(1, mostCells / (buckets + 1) - 2))
    }

    /// The bytes for bins, and the same for hashes, in addition to the few of every group.
    static let sketchBytes = 3 << 19
}
