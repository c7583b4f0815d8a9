internal import CSQLite
internal import HarkWire

/// Numbers of rows, each checked for its range: SQLite stores any 64-bit number, and other programs may have written
/// it.
extension Statement {
    /// The largest number accepted, far enough below the maximum that counting on from it never overflows.
    static let largest: Int64 = 1 << 62

    /// A number within bounds.
    /// - Throws: `damaged`, with the column and the number, when it is out of bounds.
    func number(_ column: Int32, in range: ClosedRange<Int64>) throws(StoreError) -> Int64 {
        let number = integer(column)
        guard range.contains(number) else { throw StoreError.outOfRange(name(of: column), number, in: range) }
        return number
    }

    /// A count.
    func count(_ column: Int32) throws(StoreError) -> Int { Int(try number(column, in: 0...Statement.largest)) }

    /// A count for display, clamped to the possible range.
    func tally(_ column: Int32) -> Int { Int(min(max(integer(column), 0), 1 << 53)) }

    /// A record's sequence number.
    func sequence(_ column: Int32) throws(StoreError) -> UInt64 {
        UInt64(try number(column, in: 0...Statement.largest))
    }

    /// A uid of the machine.
    func uid(_ column: Int32) throws(StoreError) -> UInt32 {
        UInt32(try number(column, in: 0...Int64(UInt32.max)))
    }

    /// A case of an enumeration, such as a state.
    func choice<Choice: RawRepresentable<Int>>(_ column: Int32) -> Choice? { Choice(rawValue: Int(integer(column))) }

    /// A time in milliseconds, clamped to the range of the calendar.
    func timestamp(_ column: Int32) -> Timestamp { Timestamp(milliseconds: integer(column)) }

    /// A time in milliseconds; nil for NULL.
    func time(_ column: Int32) -> Timestamp? { isNull(column) ? nil : timestamp(column) }
}

extension StoreError {
    static func outOfRange(_ name: String, _ number: Int64, in range: ClosedRange<Int64>) -> StoreError {
        StoreError(
            .damaged,
            "the store holds the number \(number) as '\(name)', which can only be \(range.lowerBound) to "
                + "\(range.upperBound); something has changed hark.db. Stop harkd, then replace the file by a "
                + "backup, correct the number with sqlite3, or move hark.db aside to start with an empty store "
                + "('hark import' reads the archive tree back in)")
    }
}
