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

        init(_ told: StatisticsCounts) {
            count = told.count
            numbers = told.numbers ?? 0
            sum = told.sum?.json
            mean = told.mean?.json.double
            min = told.min?.json
            max = told.max?.json
            percentiles = told.percentiles?.json.elements ?? []
            distinct = told.distinct
            isDistinctExact = told.distinctError == 0
        }
    }

    struct Group {
        /// The values that its events share; nil for events without one.
        let by: [JSONText?]
        let all: Cell
        let buckets: [Int: Cell]

        init(_ told: StatisticsSet, by: [JSONText?] = []) {
            self.by = by
            all = Cell(told.counts)
            buckets = Dictionary(
                (told.buckets ?? []).map { (Int($0.bucket), Cell($0.counts)) }, uniquingKeysWith: { $1 })
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
        let told = StatisticsResult(json)
        groups = told.groups.map { group in
            Group(group.events, by: group.by.json.elements.map { $0.isNull ? nil : $0 })
        }
        groupCount = told.groupCount
        total = Group(told.total)
        rest = told.rest.map { Group($0) }
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
