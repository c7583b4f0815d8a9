package import HarkWire

/// The last times at which something happened to a user, oldest first; enough times to check every limit.
package struct RecentTimes: Sendable, Equatable {
    /// The most times, and so the highest limit.
    package static let most = 100
    /// The number of times to keep even if limits ask for fewer, so that a later limit can count them.
    package static let usual = 16

    package private(set) var times: [Timestamp] = []

    package init() {}

    /// - Parameter times: ascending.
    package init(_ times: [Timestamp]) { self.times = times }

    /// Adds a time, which need not be the newest, and drops the oldest beyond a number.
    mutating func note(_ time: Timestamp, keeping count: Int) {
        let place = times.lastIndex { $0 <= time }.map { $0 + 1 } ?? 0
        times.insert(time, at: place)
        if times.count > count { times.removeFirst(times.count - count) }
    }

    /// The number of times within a span that ends now.
    ///
    /// - Parameter span: milliseconds; nil: unlimited.
    func count(within span: Int64?, at now: Timestamp) -> Int {
        guard let span else { return times.count }
        return times.count { now < $0.adding(milliseconds: span) }
    }

    /// Corrects times in the future: they count as now.
    mutating func mend(_ now: Timestamp) {
        guard let last = times.last, last > now else { return }
        times = times.map { min($0, now) }
    }
}

/// The form in the store: eight bytes per time, the lowest first.
extension RecentTimes {
    package var packed: [UInt8] {
        times.flatMap { time in
            let bits = UInt64(bitPattern: time.milliseconds)
            return stride(from: UInt64(0), to: 64, by: 8).map { UInt8(truncatingIfNeeded: bits >> $0) }
        }
    }

    /// An incomplete time is left out.
    package init(packed: [UInt8]) {
        var times: [Timestamp] = []
        for start in stride(from: 0, through: packed.count - 8, by: 8).prefix(RecentTimes.most) {
            let bits = packed[start..<start + 8].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            times.append(Timestamp(milliseconds: Int64(bitPattern: bits)))
        }
        self.times = times.sorted()
    }
}
