package import HarkWire

/// Records that cannot be read, because the file is damaged there.
package struct LostRecords: Hashable, Sendable {
    /// The range of their numbers.
    package let first: UInt64
    package let last: UInt64
    /// The greatest possible number of records.
    package let most: Int
    /// The range of their times, if known.
    package let earliest: Timestamp?
    package let latest: Timestamp?
    let cause: Cause

    enum Cause: Hashable, Sendable {
        /// Pages of the file have wrong content, or cannot be read.
        case page
        /// The pages are intact but a row is not; it counts among the unreadable rows.
        case row
        /// Their session is unknown.
        case session
        /// They were lost when the store was rebuilt.
        case earlier
    }

    init(_ numbers: ClosedRange<Int64>, most: Int, earliest: Int64?, latest: Int64?, cause: Cause = .page) {
        self.cause = cause
        first = UInt64(max(0, numbers.lowerBound))
        last = UInt64(max(0, numbers.upperBound))
        self.most = most
        self.earliest = earliest.map(Timestamp.init(milliseconds:))
        self.latest = latest.map(Timestamp.init(milliseconds:))
    }

    /// The range that covers several; nil if there are none.
    fileprivate init?(covering all: [LostRecords]) {
        guard let first = all.map(\.first).min(), let last = all.map(\.last).max() else { return nil }
        // Places may overlap.
        let most = Int(clamping: min(last - first, 1 << 61)) + 1
        self.init(
            Int64(clamping: first)...Int64(clamping: last),
            most: all.reduce(0) { min($0 + min($1.most, most), most) },
            earliest: all.compactMap { $0.earliest?.milliseconds }.min(),
            latest: all.compactMap { $0.latest?.milliseconds }.max())
    }

    /// Whether they are intact, and only their session is unknown.
    package var haveNoSession: Bool { cause == .session }

    /// A message about the loss, without recorded data.
    package var text: String {
        let times = [earliest.map { "from \($0)" }, latest.map { "to \($0)" }].compactMap { $0 }
        let span = times.isEmpty ? "" : ", \(times.joined(separator: " "))"
        return "up to \(most) record\(most == 1 ? "" : "s") with the numbers \(first) to \(last)\(span)"
    }
}

/// The damage that one reader meets: noted for all readers, and collected for the current query.
final class DamageNotes {
    private let shared: UnreadableRows
    /// The damage met since the last `take`.
    private var met = MetDamage()

    init(_ shared: UnreadableRows) { self.shared = shared }

    var all: [UnreadableRow] { shared.all }

    func noteDamage(of table: String) { shared.noteDamage(of: table) }

    var lost: [LostRecords] { shared.lost }

    func passOver<Value>(
        _ table: @autoclosure () -> ReadTable, _ key: @autoclosure () -> [UnreadableRow.Column],
        _ read: () throws(StoreError) -> Value
    ) throws(StoreError) -> Value? {
        do throws(StoreError) {
            return try read()
        } catch {
            guard error.code == .damaged else { throw error }
            note(table(), key())
            return nil
        }
    }

    func note(_ table: ReadTable, _ key: [UnreadableRow.Column]) {
        met.rows += 1
        shared.note(table, key)
    }

    func note(_ lost: LostRecords) {
        met.add(lost)
        shared.note(lost)
    }

    /// Notes a block with readable numbers and unreadable records.
    /// - Parameter block: a row with the columns of `BlockWalk`.
    /// - Parameter isPage: whether the block's pages cannot be read.
    func note(block: Statement, isPage: Bool = false) {
        let (first, last) = (block.integer(4), block.integer(7))
        guard first > 0, last >= first, last - first < 1 << 32 else {
            return note(.blocks, [.number(first), .number(block.integer(3))])
        }
        let lost = LostRecords(
            first...last, most: min(Int(last - first) + 1, BlockWalk.mostRecords), earliest: block.integer(5),
            latest: block.integer(6), cause: isPage ? .page : .row)
        met.add(lost)
        shared.note(lost, isTold: isPage)
        if isPage { return }
        shared.note(.blocks, [.number(first), .number(block.integer(3))])
    }

    func take() -> MetDamage? {
        defer { met = MetDamage() }
        return met.isAny ? met : nil
    }
}

/// The damage met by a query.
package struct MetDamage: Sendable {
    package fileprivate(set) var rows = 0
    /// The places of lost records. A reader may meet the same place several times.
    private var places: Set<LostRecords> = []
    /// The range that covers all beyond `mostPlaces`.
    private var rest: LostRecords?

    private static let mostPlaces = 1_000

    /// The range that covers all lost records.
    package var lost: LostRecords? { LostRecords(covering: Array(places) + (rest.map { [$0] } ?? [])) }

    package static func += (sum: inout MetDamage, more: MetDamage) {
        sum.rows += more.rows
        for place in more.places { sum.add(place) }
        if let rest = more.rest { sum.addToRest(rest) }
    }

    package init() {}

    fileprivate mutating func add(_ place: LostRecords) {
        if places.contains(place) { return }
        if places.count < Self.mostPlaces { places.insert(place) } else { addToRest(place) }
    }

    private mutating func addToRest(_ more: LostRecords) {
        rest = LostRecords(covering: (rest.map { [$0] } ?? []) + [more])
    }

    package var isAny: Bool { rows > 0 || !places.isEmpty }

    /// The warning in the reply.
    package var text: String {
        let what = lost?.text ?? "\(rows) row\(rows == 1 ? "" : "s")"
        return
            "\(DamageWarning.prefix)\(what) cannot be read and are left out here; 'hark repair' restores what the archive tree has"
    }
}

extension StoreError {
    /// Whether part of the file cannot be read or has wrong content; other parts may be intact.
    package var isDamage: Bool { code == .corrupt }
}

extension ReadTable {
    static let blocks = ReadTable(
        kind: "a block of records", deletion: "DELETE FROM block WHERE first = ? AND checksum = ?",
        alsoDeletes: "DELETE FROM session_block WHERE first = ?", isWhole: BlockWalk.isWhole)
}
