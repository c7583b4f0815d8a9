import HarkClient
import HarkWire

/// The reply of the daemon, as read by tables and charts.
struct Statistics {
    /// The statistics of a set of events.
    struct Cell {
        let count: Int64
        let numbers: Int64
        let sum: JSONText?
        let mean: Double?
        let min: JSONText?
        let max: JSONText?
        let percentiles: [JSONText]
        let distinct: Int64?
        let isDistinctExact: Bool

        init(_ json: JSONText) {
            count = json.member("count")?.int ?? 0
            numbers = json.member("numbers")?.int ?? 0
            sum = json.member("sum")
            mean = json.member("mean")?.double
            min = json.member("min")
            max = json.member("max")
            percentiles = json.member("percentiles")?.elements ?? []
            distinct = json.member("distinct")?.int
            isDistinctExact = json.member("distinctError")?.double == 0
        }
    }

    struct Group {
        /// The values that its events share; nil for events without one.
        let by: [JSONText?]
        let all: Cell
        let buckets: [Int: Cell]

        init(_ json: JSONText, by: [JSONText?]) {
            self.by = by
            all = Cell(json)
            var buckets: [Int: Cell] = [:]
            for bucket in json.member("buckets")?.elements ?? [] {
                if let place = bucket.member("bucket")?.int { buckets[Int(place)] = Cell(bucket) }
            }
            self.buckets = buckets
        }
    }

    let json: JSONText
    let request: StatisticsRequest
    /// Empty if the statistics are not by time.
    let boundaries: [Timestamp]
    /// The groups with most events first, up to the requested number.
    let groups: [Group]
    /// The total number of groups.
    let groupCount: Int64
    let total: Group
    /// The events of the groups left out.
    let rest: Group?

    init(_ json: JSONText, _ request: StatisticsRequest, _ boundaries: [Timestamp]) {
        self.json = json
        self.request = request
        self.boundaries = boundaries
        groups = (json.member("groups")?.elements ?? []).map { group in
            Group(group, by: (group.member("by")?.elements ?? []).map { $0.isNull ? nil : $0 })
        }
        groupCount = json.member("groupCount")?.int ?? 0
        total = Group(json.member("total") ?? JSONText("{}"), by: [])
        rest = json.member("rest").flatMap { $0.isNull ? nil : Group($0, by: []) }
    }

    /// A hint for a puzzling result: built-in fields are written with an @.
    var hint: String? {
        for (place, name) in request.by.enumerated() {
            let known = ["name", "user", "app", "session", "uid", "pid"]
            guard known.contains(name), !groups.isEmpty, groups.allSatisfy({ $0.by[place] == nil }) else { continue }
            return "hark: no event has a property '\(name)'; what every event has is called '@\(name)'"
        }
        guard let value = request.value, total.all.count > 0, total.all.numbers == 0 else { return nil }
        let name = VisibleText.make(value)
        return "hark: none of these events has a number as '\(name)'; \(name)=5 records a text, \(name):=5 a number"
    }
}
