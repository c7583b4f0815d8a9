package import HarkCore
internal import HarkSystem
internal import Synchronization

/// The rows that readers have met and could not read, each told once in the log.
package final class UnreadableRows: Sendable {
    /// So many are remembered; the others are met again once these are removed.
    private static let most = 1_000

    private let rows = Mutex<Set<UnreadableRow>>([])

    package init() {}

    package var all: [UnreadableRow] { rows.withLock { Array($0) } }

    package var count: Int { rows.withLock { $0.count } }

    /// Reads a row, or notes that it cannot be read.
    /// - Throws: What the store says of itself; a row that makes no sense is no reason.
    func passOver<Value>(
        _ place: UnreadableRow.Place, _ content: [UInt8], _ read: () throws(StoreError) -> Value
    ) throws(StoreError) -> Value? {
        do throws(StoreError) {
            return try read()
        } catch {
            guard error.code == .damaged else { throw error }
            note(place, content)
            return nil
        }
    }

    func note(_ place: UnreadableRow.Place, _ content: [UInt8]) {
        let row = UnreadableRow(place, content: content)
        let isNew = rows.withLock { $0.count < UnreadableRows.most && $0.insert(row).inserted }
        guard isNew else { return }
        Log.error("\(row.kind) in the store cannot be read and is passed over; daemon.repair removes it")
    }

    /// They were removed.
    package func forget(_ removed: [UnreadableRow]) {
        rows.withLock { $0.subtract(removed) }
    }
}
