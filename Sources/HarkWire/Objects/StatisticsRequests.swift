package struct EventStats: WireMethod {
    package typealias Result = StatisticsResult
    package static let name = "event.stats"

    package var filter = EventFilter()
    package var since: Timestamp?
    package var until: Timestamp?
    package var by: [String]?
    package var value: String?
    package var percentiles: [Double]?
    package var distinct: String?
    package var boundaries: [Timestamp]?
    package var limit: Int64?
    package var afterSeq: Int64?
    package var machines = MachineChoice()

    package init() {}

    package init(by: [String]) { self.by = by }

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        filter.map(&m)
        m.since(&since)
        m.until(&until)
        m(
            "by", &by,
            """
            events with the same values in these fields make a group: properties by their names, or `@name`, `@user`, \
            `@app`, `@session`, `@uid`, `@pid`, `@machine`, `@group`; up to 4
            """)
        m("value", &value, "the property whose numbers are summed up")
        m("percentiles", &percentiles, .percentiles, "of `value`, such as `[50, 95]`; up to 16") { numbers in
            .array(numbers.map { .double($0) })
        }
        m("distinct", &distinct, "the field whose different values are counted: a property, or `@user` and so on")
        m.boundaries(
            &boundaries,
            """
            the times that divide buckets, ascending, each up to the next one; up to 1,001. Events outside all buckets do \
            not count
            """)
        m("limit", &limit, .integer(in: 1...10_000), "how many groups (1000)")
        m("afterSeq", &afterSeq, .count, "only those after this number: the `seq` of an earlier answer")
        machines.map(&m)
    }
}

extension MemberMap {
    /// Times at which time is cut into parts.
    @inline(__always)
    mutating func boundaries(_ times: inout [Timestamp]?, _ meaning: StaticString) {
        self("boundaries", &times, .boundaries, meaning) { .array($0.map { .string($0.description) }) }
    }
}

extension Shape {
    package static let groupKey = Shape.orNull(.primitive)
}

extension MemberType<[Double]> {
    fileprivate static var percentiles: MemberType {
        MemberType("an array of numbers from 0 to 100", .array(.numbers(0...100))) { value in
            let numbers = value.arrayValue?.compactMap(\.doubleValue).filter { (0...100).contains($0) }
            return numbers?.count == value.arrayValue?.count ? numbers : nil
        }
    }
}

extension MemberType<[Timestamp]> {
    /// Counted before they are read, because reading times takes long.
    fileprivate static var boundaries: MemberType {
        let most = 1_001
        let words = "an array of at most \(most) times such as 2026-11-21T11:08:00.123Z"
        return MemberType(words, .array(.time)) { value in
            guard let values = value.arrayValue, values.count <= most else { return nil }
            let times = values.compactMap { try? TimeReader.read($0) }
            return times.count == values.count ? times : nil
        }
    }
}
