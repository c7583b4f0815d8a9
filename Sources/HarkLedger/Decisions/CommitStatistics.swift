package import HarkStore
package import HarkSystem

/// The speed of commits.
@DaemonActor
package final class CommitStatistics {
    package private(set) var commits = 0
    package private(set) var records = 0
    package private(set) var lastBatch = 0
    private var microseconds = 0
    /// The total duration of all commits.
    package var seconds: Double { Double(microseconds) / 1e6 }
    /// Fire-and-forget requests whose commit failed.
    package var dropped = 0
    /// Commits by duration: bucket n counts those from 2^(n/4) µs on, so its error is a fifth at most.
    private var durations = [Int](repeating: 0, count: 100)
    private var recent: [(second: UInt64, records: Int)] = []

    /// Counts a commit; those that were not synced are left out.
    package func add(_ report: CommitReport, records count: Int, at microseconds: UInt64) {
        guard report.isSynced else { return }
        commits += 1
        records += count
        lastBatch = count
        self.microseconds += report.microseconds
        durations[CommitStatistics.bucket(report.microseconds)] += 1
        let second = microseconds / 1_000_000
        if recent.last?.second == second {
            recent[recent.count - 1].records += count
        } else {
            recent.append((second, count))
            if recent.count > 300 { recent.removeFirst(recent.count - 300) }
        }
    }

    /// The records per second over the last given seconds.
    package func rate(overSeconds seconds: UInt64, at microseconds: UInt64) -> Double {
        let now = microseconds / 1_000_000
        let from = now < seconds ? 0 : now - seconds
        let sum = recent.reduce(0) { $1.second > from ? $0 + $1.records : $0 }
        return Double(sum) / Double(seconds)
    }

    /// The duration in microseconds below which a share of all commits stayed; nil before the first commit.
    package func percentile(_ share: Double) -> Int? {
        let total = durations.reduce(0, +)
        guard total > 0 else { return nil }
        var seen = 0
        for (bucket, count) in durations.enumerated() {
            seen += count
            if Double(seen) >= Double(total) * share { return CommitStatistics.upperEdge(bucket) }
        }
        return nil
    }

    /// The histogram for metrics: bucket edges in microseconds, and the number of commits up to each.
    package var histogram: [(edge: Int, count: Int)] {
        var seen = 0
        return stride(from: 3, to: durations.count, by: 4).map { bucket in
            seen += durations[bucket - 3...bucket].reduce(0, +)
            return (CommitStatistics.upperEdge(bucket), seen)
        }
    }

    private static func bucket(_ microseconds: Int) -> Int {
        guard microseconds > 1 else { return 0 }
        let octave = Int.bitWidth - 1 - microseconds.leadingZeroBitCount
        let quarter = octave >= 2 ? (microseconds >> (octave - 2)) & 3 : 0
        return min(octave * 4 + quarter, 99)
    }

    private static func upperEdge(_ bucket: Int) -> Int {
        let (octave, quarter) = (bucket / 4, bucket % 4)
        return (1 << octave) + (quarter + 1) * (1 << octave) / 4
    }
}
