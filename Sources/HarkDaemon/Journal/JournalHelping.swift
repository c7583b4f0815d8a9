import HarkCore
import HarkSystem
import HarkWire

/// What is read of the journal in one go: so little that nobody waits long for it.
@DaemonActor
struct JournalHelping {
    private(set) var orders: [JournalOrder]
    /// There is no more to read for now.
    private(set) var isLast = false

    /// So many entries, so long, and so many bytes of what is recorded.
    private static let mostEntries = 512
    private static let mostMicroseconds: UInt64 = 2_000
    private static let mostBytes = 256 << 10
    /// - Parameters:
    ///   - place: is moved on.
    ///   - userId: whom log entries are about.
    ///   - orders: what is to be recorded before.
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
            // Of an entry that is passed over as well: what is stored next has it behind it.
            place.cursor = try reader.cursor()
            (place.seen, place.isNew) = (entry.microseconds, false)
            guard query.takes(entry) else { continue }
            let order = query.order(entry, userId: userId)
            bytes += order.byteCount
            self.orders.append(order)
        }
    }
}
