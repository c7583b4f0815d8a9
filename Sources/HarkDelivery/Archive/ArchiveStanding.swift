internal import Glibc
internal import HarkCore
package import HarkStore
package import HarkWire

/// The relation between a store and its archive tree, as found at the start.
package struct ArchiveStanding: Sendable {
    /// The store's own id.
    package let log: Identifier
    /// Whether the id is new and must still be stored.
    package let isNew: Bool
    /// The mark to write into the tree.
    package var mark: ArchiveMark {
        ArchiveMark(log: log, newest: newest, strangers: strangers, isWhole: !isDoubtful)
    }
    private let newest: UInt64
    /// New records get higher numbers than this, because the tree may contain unknown records up to here.
    package let numbersBegin: UInt64
    /// Whether the tree has numbers that the store never gave, or belongs to another store.
    package let isOthers: Bool
    /// Whether an earlier finding must still be reported.
    package let isDoubtful: Bool
    package let strangers: UInt64

    package static let logKey = "log.id"

    package init(root: String, store: Store) throws(StoreError) {
        let reader = try store.makeReader()
        let known = try reader.meta(ArchiveStanding.logKey).flatMap { Identifier($0) }
        var random = BlockRandom()
        // A random UUID (version 4, RFC 9562).
        log =
            known
            ?? Identifier(
                high: random.next() & ~0xF000 | 0x4000, low: random.next() & ~(0b11 << 62) | 0b10 << 62)
        isNew = known == nil
        let last = store.watermark.lastSequence
        if let mark = ArchiveMark(of: root) {
            newest = mark.newest
            isOthers = mark.log != known || mark.newest > last
            strangers = isOthers ? max(mark.newest, mark.strangers) : mark.strangers
            isDoubtful = isOthers || !mark.isWhole
        } else {
            // Trees of earlier versions have no mark. If the store is empty, such a tree belongs to another store.
            strangers = last == 0 ? ArchiveTree.newest(in: root) : 0
            newest = strangers
            isOthers = strangers > 0
            isDoubtful = isOthers
        }
        numbersBegin = strangers
    }
}
