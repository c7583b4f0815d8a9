/// A moment of UTC in whole milliseconds.
///
/// It lies in the years 0000 to 9999, the ones ISO 8601 can write in four digits; what lies outside is brought to the
/// nearer end.
package struct Timestamp: Hashable, Sendable {
    /// Milliseconds since 1970-01-01T00:00:00Z.
    package let milliseconds: Int64

    package init(milliseconds: Int64) {
        self.milliseconds = min(max(milliseconds, -62_167_219_200_000), 253_402_300_799_999)
    }

    /// 0000-01-01T00:00:00.000Z
    package static let earliest = Timestamp(milliseconds: .min)
    /// 9999-12-31T23:59:59.999Z
    package static let latest = Timestamp(milliseconds: .max)

    /// The moment so much later (or earlier), at most `latest` and at least `earliest`.
    package func adding(milliseconds delta: Int64) -> Timestamp {
        let (sum, overflow) = milliseconds.addingReportingOverflow(delta)
        return if overflow { delta < 0 ? .earliest : .latest } else { Timestamp(milliseconds: sum) }
    }
}

extension Timestamp: Comparable {
    package static func < (left: Timestamp, right: Timestamp) -> Bool { left.milliseconds < right.milliseconds }
}
