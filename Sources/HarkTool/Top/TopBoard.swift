/// Recent events by name. Pure: its input is counts and the time they took.
struct TopBoard {
    struct Row: Equatable {
        let name: String
        /// The number of events since the start.
        var total: Int64 = 0
        /// Events per second for each tick, newest last.
        var rates: [Double] = []

        var now: Double { rates.last ?? 0 }
    }

    enum Order: CaseIterable {
        case rate, total, name
    }

    /// The number of ticks to keep.
    static let ticks = 120
    /// The number of names to keep. Names with the lowest recent peak rate, then with the lowest total, are dropped
    /// first.
    static let names = 2_000

    private(set) var rows: [String: Row] = [:]
    /// All events per second for each tick.
    private(set) var sums: [Double] = []
    /// The number of all events since the start.
    private(set) var total: Int64 = 0
    var order = Order.rate

    /// Adds a tick.
    mutating func take(_ counts: [(name: String, count: Int64)], seconds: Double) {
        let seconds = max(seconds, 0.001)
        for (name, count) in counts {
            rows[name, default: Row(name: name, rates: sums.map { _ in 0 })].total += count
            total &+= count
        }
        let came = Dictionary(counts.map { ($0.name, Double($0.count) / seconds) }) { $0 + $1 }
        for name in Array(rows.keys) {
            TopBoard.append(came[name] ?? 0, to: &rows[name, default: Row(name: name)].rates)
        }
        TopBoard.append(came.values.reduce(0, +), to: &sums)
        guard rows.count > TopBoard.names else { return }
        let quiet = rows.values.sorted { ($0.rates.max() ?? 0, $0.total) < ($1.rates.max() ?? 0, $1.total) }
        for row in quiet.prefix(rows.count - TopBoard.names) { rows[row.name] = nil }
    }

    private static func append(_ rate: Double, to rates: inout [Double]) {
        rates.append(rate)
        if rates.count > ticks { rates.removeFirst(rates.count - ticks) }
    }

    /// Returns the name that many places below another one, in the chosen order; the first or last one if it is beyond.
    func name(_ places: Int, below name: String?) -> String? {
        let rows = ordered
        guard let place = rows.firstIndex(where: { $0.name == name }) else {
            return rows.first?.name
        }
        return rows[min(max(place + places, 0), rows.count - 1)].name
    }

    /// The rows in the chosen order.
    var ordered: [Row] {
        rows.values.sorted { left, right in
            switch order {
            case .rate where left.now != right.now: left.now > right.now
            case .rate, .total: left.total == right.total ? left.name < right.name : left.total > right.total
            case .name: left.name < right.name
            }
        }
    }
}
