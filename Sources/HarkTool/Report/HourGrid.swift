import Glibc
import HarkClient
import HarkWire

/// How many events there were at each hour of each weekday, by local time.
struct HourGrid {
    /// 7 rows from Monday, of 24 hours.
    private(set) var counts = [[Int64]](repeating: [Int64](repeating: 0, count: 24), count: 7)

    /// The maximum number of requests. A longer time has no grid.
    private static let mostParts = 12
    private static let partLength: Int64 = 28 * 86_400_000

    init() {}

    /// Asks for the events of each hour; nil for a time that is too long, or shorter than two days.
    init?(_ request: StatisticsRequest, _ range: ClosedRange<Timestamp>, _ connection: inout Connection) throws {
        let length = range.upperBound.milliseconds - range.lowerBound.milliseconds
        guard length >= 2 * 86_400_000, length < Int64(Self.mostParts) * Self.partLength else { return nil }
        var request = request
        (request.by, request.distinct, request.step) = ([], nil, TimeStep(count: 1, unit: .hour))
        var start = range.lowerBound
        while start <= range.upperBound {
            let end = min(range.upperBound, start.adding(milliseconds: Self.partLength))
            guard let boundaries = try? TimeStep(count: 1, unit: .hour).boundaries(start...end),
                let last = boundaries.last, last > start
            else { return nil }
            let found = try request.ask(&connection, boundaries)
            for (bucket, cell) in found.total.buckets where boundaries.indices.contains(bucket) {
                add(cell.count, at: boundaries[bucket])
            }
            start = last
        }
    }

    mutating func add(_ count: Int64, at time: Timestamp) {
        let fields = LocalTime.fields(time)
        let (day, hour) = ((Int(fields.tm_wday) + 6) % 7, Int(fields.tm_hour))
        guard counts.indices.contains(day), counts[day].indices.contains(hour) else { return }
        counts[day][hour] &+= count
    }
}
