package import HarkWire

extension EventStatistics {
    /// Writes the members of the reply: the groups with most events, the total, and the rest if there is one.
    ///
    /// - Parameter limit: the number of groups.
    package func write(limit: Int, to json: inout JSONWriter) {
        let first = EventStatistics.fixedGroups
        let places = (0..<groups.count).map { FieldKey.order(of: groups.key($0)) }
        let order = (0..<groups.count).sorted { left, right in
            let (more, less) = (counts[(first + left) * width], counts[(first + right) * width])
            return more == less ? places[left].lexicographicallyPrecedes(places[right]) : more > less
        }
        json.key("groups")
        json.beginArray()
        for group in order.prefix(limit) {
            json.beginObject()
            json.key("by")
            json.beginArray()
            for value in FieldKey.values(of: groups.key(group)) { json.value(value) }
            json.endArray()
            writeSeries((first + group) * width, to: &json)
            json.endObject()
        }
        json.endArray()
        json.key("groupCount")
        json.int(groups.count)
        json.key("total")
        json.beginObject()
        writeSeries(0, to: &json)
        json.endObject()
        for (name, time) in [("earliest", span?.lowerBound), ("latest", span?.upperBound)] {
            json.key(name)
            if let time { json.timestamp(Timestamp(milliseconds: time)) } else { json.null() }
        }
        json.key("rest")
        if counts[width] > 0 {
            json.beginObject()
            writeSeries(width, to: &json)
            json.endObject()
        } else {
            json.null()
        }
    }

    private func writeSeries(_ cell: Int, to json: inout JSONWriter) {
        write(cell, to: &json)
        guard width > 1 else { return }
        json.key("buckets")
        json.beginArray()
        for bucket in 1..<width where counts[cell + bucket] > 0 {
            json.beginObject()
            json.key("bucket")
            json.int(bucket - 1)
            json.key("from")
            json.timestamp(question.boundaries[bucket - 1])
            write(cell + bucket, to: &json)
            json.endObject()
        }
        json.endArray()
    }

    private func write(_ cell: Int, to json: inout JSONWriter) {
        json.key("count")
        json.int(counts[cell])
        if question.value != nil { write(numbers[cell], spreads.isEmpty ? nil : spreads[cell], to: &json) }
        guard question.distinct != nil else { return }
        json.key("distinct")
        json.int(distincts[cell].count)
        json.key("distinctError")
        json.double(distincts[cell].error)
    }

    private func write(_ numbers: NumberSummary, _ spread: QuantileSketch?, to json: inout JSONWriter) {
        json.key("numbers")
        json.int(numbers.count)
        json.key("sum")
        json.value(numbers.sum)
        json.key("mean")
        if let mean = numbers.mean { json.double(mean) } else { json.null() }
        json.key("min")
        json.value(numbers.least)
        json.key("max")
        json.value(numbers.most)
        guard let spread else { return }
        json.key("percentiles")
        json.beginArray()
        for percent in question.percentiles {
            if let value = spread.percentile(percent) {
                json.value(numbers.within(value, percent))
            } else {
                json.null()
            }
        }
        json.endArray()
        json.key("percentileError")
        json.double(spread.error)
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
