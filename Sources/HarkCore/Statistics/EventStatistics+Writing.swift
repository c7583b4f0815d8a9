package import HarkWire

extension EventStatistics {
    /// The reply, without the number up to which it counts: the groups with most events, the total, and the rest if
    /// there is one.
    ///
    /// - Parameter limit: the number of groups.
    package func info(limit: Int) -> StatisticsResult {
        let first = EventStatistics.fixedGroups
        let places = (0..<groups.count).map { FieldKey.order(of: groups.key($0)) }
        let order = (0..<groups.count).sorted { left, right in
            let (more, less) = (counts[(first + left) * width], counts[(first + right) * width])
            return more == less ? places[left].lexicographicallyPrecedes(places[right]) : more > less
        }
        var info = StatisticsResult()
        info.groups = order.prefix(limit).map { group in
            var told = StatisticsGroup()
            told.by = AnyJSON(.array(FieldKey.values(of: groups.key(group))))
            told.events = set((first + group) * width)
            return told
        }
        info.groupCount = Int64(groups.count)
        info.total = set(0)
        info.earliest = (span?.lowerBound).map { Timestamp(milliseconds: $0) }
        info.latest = (span?.upperBound).map { Timestamp(milliseconds: $0) }
        if counts[width] > 0 { info.rest = set(width) }
        return info
    }

    private func set(_ cell: Int) -> StatisticsSet {
        var set = StatisticsSet()
        set.counts = info(cell)
        guard width > 1 else { return set }
        set.buckets = (1..<width).filter { counts[cell + $0] > 0 }.map { place in
            var bucket = StatisticsBucket()
            bucket.bucket = Int64(place - 1)
            bucket.from = question.boundaries[place - 1]
            bucket.counts = info(cell + place)
            return bucket
        }
        return set
    }

    private func info(_ cell: Int) -> StatisticsCounts {
        var info = StatisticsCounts()
        info.count = Int64(counts[cell])
        if question.value != nil {
            let numbers = numbers[cell]
            info.numbers = Int64(numbers.count)
            info.sum = AnyJSON(numbers.sum)
            info.mean = AnyJSON(numbers.mean.map(JSONValue.double) ?? .null)
            info.min = AnyJSON(numbers.least)
            info.max = AnyJSON(numbers.most)
            if !spreads.isEmpty {
                let spread = spreads[cell]
                info.percentiles = AnyJSON(
                    .array(
                        question.percentiles.map { percent in
                            spread.percentile(percent).map { numbers.within($0, percent) } ?? .null
                        }))
                info.percentileError = spread.error
            }
        }
        if question.distinct != nil {
            info.distinct = Int64(distincts[cell].count)
            info.distinctError = distincts[cell].error
        }
        return info
    }
}

extension NumberSummary {
    /// Clamps a percentile to the least and greatest value, which are exact.
    fileprivate func within(_ value: Double, _ percent: Double) -> JSONValue {
        if percent == 0 { return least }
        if percent == 100 { return most }
        if JSONValue.double(value).order(to: least) == .less { return least }
        if JSONValue.double(value).order(to: most) == .greater { return most }
        return .double(value)
    }
}
