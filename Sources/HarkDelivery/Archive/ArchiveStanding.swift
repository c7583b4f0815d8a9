internal import Glibc
internal import HarkCore
package import HarkStore
package import HarkWire

/// How a store and the archive tree beside it stand to each other, as the start finds them.
package struct ArchiveStanding: Sendable {
    /// The store's own id.
    package let log: Identifier
    /// It has none yet, and is to keep this one.
    package let isNew: Bool
    /// What the tree is to say of its log from now on.
    package var mark: ArchiveMark {
        ArchiveMark(log: log, newest: newest, strangers: strangers, isWhole: !isDoubtful)
    }
    private let newest: UInt64
    /// Records get higher numbers than this: the tree has up to here what this store may not.
    package let numbersBegin: UInt64
    /// The tree has numbers that the store never gave, or is another store's.
    package let isOthers: Bool
    /// What was found before is still to be told.
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
            // Trees of earlier versions have no mark. Beside a store that has nothing, it is another's.
            strangers = last == 0 ? ArchiveTree.newest(in: root) : 0
            newest = strangers
            isOthers = strangers > 0
            isDoubtful = isOthers
        }
        numbersBegin = strangers
    }
}
