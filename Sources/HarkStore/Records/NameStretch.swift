internal import HarkCore

/// An index of the names in a stretch of the log: the names, with the blocks that have records of that name. A search
/// for a rare name skips thousands of records at a time with it.
///
/// A stretch covers whole commits, bounded by sequence numbers. Blocks removed from the log are removed from it in the
/// same transaction.
struct NameStretch {
    let first: Int64
    let last: Int64
    /// The time range of its records, in milliseconds.
    let earliest: Int64
    let latest: Int64
    /// The number of each block's first record, ascending.
    private(set) var blocks: [Int64]
    private(set) var names: [Name]

    /// The total size of names that are stored as text, in bytes. If each event has its own name, texts would take as
    /// much space as the blocks themselves; further names are stored as hashes.
    private static let spelling = 8_192

    struct Name {
        /// The kinds of the records with this name; empty for blocks that may hold any record.
        let kinds: Record.Kinds
        let text: Text
        /// The indices of the blocks with this name, ascending.
        var places: [Int]
    }

    enum Text {
        case spelt([UInt8])
        case hashed(UInt32)
    }

    /// Nil if there are no blocks.
    init?(_ gathered: GatheredNames) {
        blocks = gathered.blocks.sorted()
        guard let first = blocks.first else { return nil }
        (self.first, last) = (first, gathered.last)
        (earliest, latest) = (gathered.earliest, gathered.latest)
        let places = Dictionary(uniqueKeysWithValues: zip(blocks, blocks.indices))
        var left = NameStretch.spelling
        names = gathered.names.map { key, blocks in
            let bytes = Array(key.name.text.utf8)
            left -= bytes.count
            let text = left >= 0 ? Text.spelt(bytes) : .hashed(NameStretch.hash(bytes))
            let kinds = Record.Kinds(rawValue: key.kinds)
            return Name(kinds: kinds, text: text, places: blocks.compactMap { places[$0] }.sorted())
        }
    }

    static func hash(_ name: [UInt8]) -> UInt32 {
        var hash = StableHash()
        for byte in name { hash.mix(byte) }
        return UInt32(truncatingIfNeeded: hash.value)
    }

    /// Removes blocks, and names that occur in no other block.
    mutating func remove(_ gone: Set<Int64>) {
        let kept = blocks.indices.filter { !gone.contains(blocks[$0]) }
        let places = Dictionary(uniqueKeysWithValues: zip(kept, kept.indices))
        blocks = kept.map { blocks[$0] }
        names = names.compactMap { name in
            var name = name
            name.places = name.places.compactMap { places[$0] }
            return name.places.isEmpty ? nil : name
        }
    }
}

// The stored form, with all numbers as varints. Blocks: the first number of each, as difference to the one before.
// Names: for each its kinds (a byte), its length plus one and its bytes (or 0 and four bytes of a hash), and the size
// of its block indices followed by these, as differences; none means all blocks.
extension NameStretch {
    static let columns = "first, last, earliest, latest, names, blocks"

    var packedBlocks: [UInt8] { NameStretch.pack(blocks, from: first) }

    var packedNames: [UInt8] {
        var bytes: [UInt8] = []
        for name in names {
            bytes.append(name.kinds.rawValue)
            switch name.text {
            case .spelt(let text):
                bytes.appendVarint(UInt64(text.count) + 1)
                bytes += text
            case .hashed(let hash):
                bytes.append(0)
                withUnsafeBytes(of: hash.littleEndian) { bytes += $0 }
            }
            let places = name.places.count == blocks.count ? [] : NameStretch.pack(name.places.map(Int64.init), from: 0)
            bytes.appendVarint(UInt64(places.count))
            bytes += places
        }
        return bytes
    }

    private static func pack(_ numbers: [Int64], from first: Int64) -> [UInt8] {
        var bytes: [UInt8] = []
        var last = first
        for number in numbers {
            // Wrapping, so that the difference never traps, even in a damaged store.
            bytes.appendVarint(UInt64(bitPattern: number &- last))
            last = number
        }
        return bytes
    }

    /// Nil if the bytes are damaged.
    private static func unpack(_ bytes: UnsafeBufferPointer<UInt8>, from first: Int64) -> [Int64]? {
        var cursor = ByteCursor(bytes)
        var numbers: [Int64] = []
        var last = first
        while !cursor.isAtEnd {
            let (next, overflow) = last.addingReportingOverflow(Int64(clamping: cursor.varint()))
            guard !overflow else { return nil }
            numbers.append(next)
            last = next
        }
        return cursor.isDamaged ? nil : numbers
    }

    /// A name in its stored form, read in place.
    struct PackedName {
        let kinds: Record.Kinds
        /// Nil if only the hash is known.
        let text: UnsafeBufferPointer<UInt8>?
        let hash: UInt32
        let places: UnsafeBufferPointer<UInt8>

        /// The indices of its blocks, among `count` blocks; nil if damaged.
        func places(of count: Int) -> [Int]? {
            if places.isEmpty { return Array(0..<count) }
            guard let numbers = unpack(places, from: 0), numbers.allSatisfy({ $0 < count }) else { return nil }
            return numbers.map(Int.init)
        }
    }

    /// Calls `body` for each name; returns false if the bytes are damaged or empty.
    private static func forEachName(
        in bytes: UnsafeBufferPointer<UInt8>, _ body: (PackedName) -> Void
    ) -> Bool {
        var cursor = ByteCursor(bytes)
        while !cursor.isAtEnd {
            let kinds = Record.Kinds(rawValue: cursor.byte())
            let length = cursor.length()
            let text = length == 0 ? nil : cursor.take(length - 1)
            var hash: UInt32 = 0
            if length == 0 { for byte in cursor.take(4).reversed() { hash = hash << 8 | UInt32(byte) } }
            let places = cursor.take(cursor.length())
            guard !cursor.isDamaged else { return false }
            body(PackedName(kinds: kinds, text: text, hash: hash, places: places))
        }
        return !bytes.isEmpty
    }

    /// Reads the columns of a row; nil if it is damaged.
    init?(in row: Statement) {
        (first, last, earliest, latest) = (row.integer(0), row.integer(1), row.integer(2), row.integer(3))
        guard let blocks = row.withBytes(5, { [first] in NameStretch.unpack($0, from: first) }) else { return nil }
        self.blocks = blocks
        var names: [Name] = []
        var isWhole = row.withBytes(4) { bytes in
            NameStretch.forEachName(in: bytes) { name in
                let text = name.text.map { Text.spelt(Array($0)) } ?? .hashed(name.hash)
                names.append(Name(kinds: name.kinds, text: text, places: name.places(of: blocks.count) ?? []))
            }
        }
        if names.contains(where: { $0.places.isEmpty }) { isWhole = false }
        guard isWhole else { return nil }
        self.names = names
    }

    /// The ranges of a row's stretch where blocks may match a query, by the numbers of their first records; the whole
    /// stretch if the row is damaged.
    static func places(of query: RecordQuery, in row: Statement) -> [ClosedRange<Int64>] {
        let (first, last) = (row.integer(0), row.integer(1))
        guard first <= last, query.mayInclude(earliest: row.integer(2), latest: row.integer(3)) else { return [] }
        let everywhere = [first...last]
        let hash = query.name?.only.map(NameStretch.hash)
        return row.withBytes(4) { bytes in
            var found: [PackedName] = []
            let isWhole = forEachName(in: bytes) { if query.mayInclude($0, hash) { found.append($0) } }
            if isWhole, found.isEmpty { return [] }
            guard isWhole, !found.contains(where: { $0.places.isEmpty }),
                let blocks = row.withBytes(5, { unpack($0, from: first) })
            else { return everywhere }
            var isMeant = [Bool](repeating: false, count: blocks.count)
            for name in found {
                guard let places = name.places(of: blocks.count) else { return everywhere }
                for place in places { isMeant[place] = true }
            }
            var ranges: [ClosedRange<Int64>] = []
            var place = 0
            while let begin = isMeant[place...].firstIndex(of: true) {
                place = isMeant[begin...].firstIndex(of: false) ?? blocks.count
                ranges.append(blocks[begin]...max(blocks[begin], blocks[place - 1]))
            }
            return ranges
        }
    }
}

extension RecordQuery {
    /// - Parameter hash: the hash of the only name that the query accepts; nil if it accepts several.
    fileprivate func mayInclude(_ name: NameStretch.PackedName, _ hash: UInt32?) -> Bool {
        if name.kinds.isEmpty { return true }
        let isOther = name.text == nil && hash != nil && hash != name.hash
        return mayInclude(isOther ? name.kinds.subtracting(.event) : name.kinds, called: name.text)
    }
}
