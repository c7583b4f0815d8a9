/// The statistics of a set of events.
package struct StatisticsCounts: WireObject {
    package var count: Int64 = 0
    package var numbers: Int64?
    package var sum: AnyJSON?
    package var mean: AnyJSON?
    package var min: AnyJSON?
    package var max: AnyJSON?
    package var percentiles: AnyJSON?
    package var percentileError: Double?
    package var distinct: Int64?
    package var distinctError: Double?

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("count", &count, .count, "how many events")
        m("numbers", &numbers, .count, "with `value`: how many of them have a number there")
        m("sum", &sum, .shaped(.number), "an integer, and exact, where all of them are and it is none too large")
        m("mean", &mean, .shaped(.orNull(.number)))
        m("min", &min, .shaped(.orNull(.number)))
        m("max", &max, .shaped(.orNull(.number)))
        m("percentiles", &percentiles, .shaped(.array(.orNull(.number))), "in the order of the parameter")
        m(
            "percentileError", &percentileError, .real,
            "the error of a percentile, as a part of it")
        m("distinct", &distinct, .count, "with `distinct`: how many different values")
        m("distinctError", &distinctError, .real, "its standard error, as a part of it; 0: it is exact")
    }
}

/// The statistics of a bucket of time.
package struct StatisticsBucket: WireObject {
    package var bucket: Int64 = 0
    package var from = Timestamp.earliest
    package var counts = StatisticsCounts()

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("bucket", &bucket, .count, "which one, from 0")
        m("from", &from)
        counts.map(&m)
    }
}

/// The statistics of a set of events, and of its buckets.
package struct StatisticsSet: WireObject {
    package var counts = StatisticsCounts()
    package var buckets: [StatisticsBucket]?

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        counts.map(&m)
        m("buckets", &buckets, "with `boundaries`: those with events")
    }
}

/// The statistics of events that have something in common.
package struct StatisticsGroup: WireObject {
    package var by = AnyJSON(.null)
    package var events = StatisticsSet()

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("by", &by, .shaped(.array(.groupKey)), "its values of `by`, null for none")
        events.map(&m)
    }
}

/// The result of `event.stats`.
package struct StatisticsResult: WireObject {
    package var groups: [StatisticsGroup] = []
    package var groupCount: Int64 = 0
    package var total = StatisticsSet()
    package var earliest: Timestamp?
    package var latest: Timestamp?
    package var rest: StatisticsSet?
    package var seq: Int64 = 0

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("groups", &groups, "those with most events first")
        m("groupCount", &groupCount, .count, "how many groups there are, without the rest")
        m("total", &total, "all events that count")
        m("earliest", orNull: &earliest, "the time of the earliest of them; null: there are none")
        m("latest", orNull: &latest, "of the latest")
        m("rest", orNull: &rest, "events of groups for which there was no room; null: none")
        m("seq", &seq, .count, "the last number that was looked at")
    }
}
