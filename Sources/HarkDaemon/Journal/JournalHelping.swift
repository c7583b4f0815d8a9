import HarkCore
import HarkSystem
import HarkWire

/// A part of the journal that is read in one go. It is small, so that nobody waits long for it.
@DaemonActor
struct JournalHelping {
    private(set) var orders: [JournalOrder]
    /// There is no more to read for now.
    private(set) var isLast = false

    /// The limits of entries, time and bytes of records.
    private static let mostEntries = 512
    private static let mostMicroseconds: UInt64 = 2_000
    private static let mostBytes = 256 << 10
    /// - Parameters:
    ///   - place: is moved on.
    ///   - userId: The user of log entries.
    ///   - orders: The changes to commit before.
    init(
        _ reader: JournalReader, _ query: JournalQuery, _ place: inout JournalPlace, userId: String,
        begin orders: [JournalOrder]
    ) throws(SystemError) {
        self.orders = orders
        let start = SystemClock.monotonicMicroseconds
        var bytes = 0
        for _ in 0..<Self.mostEntries
        where bytes < Self.mostBytes && SystemClock.monotonicMicroseconds &- start < Self.mostMicroseconds {
            guard try reader.next() else {
                isLast = true
                place.hasAll()
                return
            }
            let entry = try JournalEntry(reader, query.fields)
            // Also for an entry that is passed over, as the next stored position is behind it.
            place.cursor = try reader.cursor()
            (place.seen, place.isNew) = (entry.microseconds, false)
            guard query.takes(entry) else { continue }
            let order = query.order(entry, userId: userId)
            bytes += order.byteCount
            self.orders.append(order)
        }
    }
}
