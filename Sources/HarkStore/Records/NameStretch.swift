internal import HarkCore

/// The names in a stretch of the log, and which of its blocks have records called so: by it a look for a rare name passes
/// over thousands of records at a time.
///
/// A stretch is made of whole commits and bounded by sequence numbers. What is removed from the log is removed from it in
/// the same transaction.
struct NameStretch {
    let first: Int64
    let last: Int64
    /// Between these all of its records happened, in milliseconds.
    let earliest: Int64
    let latest: Int64
    /// The number of the first record of each block, ascending.
    private(set) var blocks: [Int64]
    private(set) var names: [Name]

    /// Names are spelt out as long as they take no more bytes than this; where each event has a name of its own, they would
    /// take as much again as in the blocks. Of the others a hash is kept.
    private static let spelling = 8_192

    struct Name {
        /// Of the records called so; none for blocks that may hold anything.
        let kinds: Record.Kinds
        let text: Text
        /// The blocks that have such, by their places, ascending.
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

    /// Takes blocks out, and the names that nothing else is called by.
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

// In the store, all numbers as varints: of the blocks the first of each, less the one before; of each name its kinds (a
// byte), its length and one, its bytes (or 0 and four bytes of a hash), and the length of its places, which follow, each
// less the one before; none stand for all.
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
            // Ascending, so that the difference fits whatever somebody wrote into the store.
            bytes.appendVarint(UInt64(bitPattern: number &- last))
            last = number
        }
        return bytes
    }

    /// Nil when they are damaged.
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

    /// What stands of a name in the store, where it lies.
    struct PackedName {
        let kinds: Record.Kinds
        /// Nil where only the hash is known.
        let text: UnsafeBufferPointer<UInt8>?
        let hash: UInt32
        let places: UnsafeBufferPointer<UInt8>

        /// The blocks it stands for, of so many; nil when that is damaged.
        func places(of count: Int) -> [Int]? {
            if places.isEmpty { return Array(0..<count) }
            guard let numbers = unpack(places, from: 0), numbers.allSatisfy({ $0 < count }) else { return nil }
            return numbers.map(Int.init)
        }
    }

    /// Takes names apart one after the other; false when they are damaged, as when there are none.
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

    /// Takes the columns of a row apart; nil for one that is damaged.
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

    /// Where in a row's stretch blocks may lie that hold what a query means, by the numbers of their first records; all of it
    /// when the row is damaged, and so says nothing.
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
    /// - Parameter hash: of the one name it asks for.
    fileprivate func mayInclude(_ name: NameStretch.PackedName, _ hash: UInt32?) -> Bool {
        if name.kinds.isEmpty { return true }
        let isOther = name.text == nil && hash != nil && hash != name.hash
        return mayInclude(isOther ? name.kinds.subtracting(.event) : name.kinds, called: name.text)
    }
}
