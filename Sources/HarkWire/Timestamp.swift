/// A time in UTC with millisecond precision.
///
/// It lies in the years 0000 to 9999, which ISO 8601 writes with four digits. Other times are clamped to that range.
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

    /// Returns the time later by `delta`, clamped to `earliest` and `latest`.
    package func adding(milliseconds delta: Int64) -> Timestamp {
        let (sum, overflow) = milliseconds.addingReportingOverflow(delta)
        return if overflow { delta < 0 ? .earliest : .latest } else { Timestamp(milliseconds: sum) }
    }
}

extension Timestamp: Comparable {
    package static func < (left: Timestamp, right: Timestamp) -> Bool { left.milliseconds < right.milliseconds }
}
