/// A day of the proleptic Gregorian calendar.
///
/// The year is taken to begin in March, so that a leap day is the last of its year. The formulas are Howard Hinnant's
/// ("chrono-Compatible Low-Level Date Algorithms", days_from_civil), and the other way, which each time that is written goes, those of
/// Cassio Neri and Lorenz Schneider ("Euclidean affine functions and their application to calendar algorithms"), which divide less.
package struct CivilDate: Sendable, Hashable {
    package var year: Int64
    package var month: Int64
    package var day: Int64

    package init(year: Int64, month: Int64, day: Int64) {
        self.year = year
        self.month = month
        self.day = day
    }

    /// - Parameter days: in the years from -400 on, up to far beyond 9999.
    package init(daysSince1970 days: Int64) {
        // From 1 March of the year -400 on, so that none is below zero.
        let quarters = 4 &* UInt32(truncatingIfNeeded: days + 865_565) &+ 3
        let (century, ofCentury) = quarters.quotientAndRemainder(dividingBy: 146_097)
        // The year, and the fraction of it that has passed.
        let product = 2_939_745 &* UInt64(ofCentury | 3)
        let dayOfYear = UInt32(truncatingIfNeeded: product) / 2_939_745 / 4
        let months = 2_141 &* dayOfYear &+ 197_913
        let isNextYear = dayOfYear >= 306
        year = 100 * Int64(century) + Int64(product >> 32) + (isNextYear ? 1 : 0) - 400
        month = Int64(months >> 16) - (isNextYear ? 12 : 0)
        day = Int64((months & 0xFFFF) / 2_141) + 1
    }

    package var daysSince1970: Int64 {
        let year = month <= 2 ? self.year - 1 : self.year
        let era = (year >= 0 ? year : year - 399) / 400
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    /// Whether the calendar has this day.
    package var exists: Bool {
        (1...12).contains(month) && day >= 1 && CivilDate(daysSince1970: daysSince1970) == self
    }
}
