internal import HarkCore
internal import HarkWire

/// Gathers the names of what is written, and stores them a stretch at a time, so that a commit of one record pays for no
/// row of its own. Lives with the `RecordWriter`.
///
/// What is not in a stretch yet is looked through block by block by who looks for a name. That is the newest of the log, and
/// in a store of an earlier version all of it, until `catchUp` has been through.
final class NameWriter {
    private let database: Database
    /// The names of what was committed since the last stretch.
    private var gathered = GatheredNames()
    /// What the transaction under way adds to it and takes out of it.
    private var added: [GatheredNames.Block] = []
    private var removed: Set<Int64> = []
    /// The transaction under way stores what was gathered before it.
    private var isStoring = false
    /// The newest block when the store was opened, beyond which names are gathered as they come.
    private var newest: Int64
    /// The transaction under way forgets all names.
    private var isForgetting = false
    /// What begins before this is in no stretch; nil until that was looked up.
    private var floor: Int64?
    private let insertion: DeferredStatement
    private let holder: DeferredStatement

    init(_ database: Database) throws(StoreError) {
        self.database = database
        // Without it, names of earlier runs are looked for in the blocks.
        let newest = try database.prepare("SELECT max(first) FROM block WHERE first < \(Int64.max)")
        self.newest = try newest.stepUnlessDamaged() ?? false ? newest.integer(0) : 0
        newest.reset()
        insertion = DeferredStatement(
            database, "INSERT OR REPLACE INTO stretch(\(NameStretch.columns)) VALUES (?, ?, ?, ?, ?, ?)")
        holder = DeferredStatement(
            database, "SELECT \(NameStretch.columns) FROM stretch WHERE first <= ? ORDER BY first DESC LIMIT 1")
    }

    /// Before the records of a commit are written: what was gathered until then is whole commits.
    func begin() throws(StoreError) {
        guard gathered.isEnough, !isStoring, !isForgetting else { return }
        if let stretch = NameStretch(gathered) { try put(stretch) }
        isStoring = true
    }

    func add(_ block: GatheredNames.Block) { added.append(block) }

    /// Blocks go back among those that are there: the names of all are gathered anew (`catchUp`).
    func forget() throws(StoreError) {
        if !isForgetting { try database.execute("DELETE FROM stretch") }
        isForgetting = true
    }

    /// Blocks were deleted.
    func remove(_ blocks: Set<Int64>) throws(StoreError) {
        removed.formUnion(blocks)
        var left = blocks
        while let block = left.popFirst() {
            let row = try holder().bind(1, block)
            // While it stood at a row, the log could not be emptied.
            defer { row.reset() }
            guard try row.step(), row.integer(0) <= row.integer(1), row.integer(1) >= block else { continue }
            let (first, last) = (row.integer(0), row.integer(1))
            var stretch = NameStretch(in: row)
            let gone = left.filter { (first...last).contains($0) }.union([block])
            left.subtract(gone)
            stretch?.remove(gone)
            if let stretch, !stretch.blocks.isEmpty {
                try put(stretch)
            } else {
                // A damaged one says nothing that anybody could go by.
                try database.prepare("DELETE FROM stretch WHERE first = ?").bind(1, first).run()
            }
        }
    }

    /// The transaction is over.
    func end(isCommitted: Bool) {
        if isCommitted {
            if isStoring || isForgetting { gathered = GatheredNames() }
            if isForgetting {
                // Those that the same transaction has brought are gathered as ever.
                let before = added.map(\.first).min() ?? SessionIndex.last
                newest = (try? database.integer("SELECT max(first) FROM block WHERE first < \(before)")) ?? nil ?? 0
                floor = nil
            }
            for block in added { gathered.add(block) }
            if !removed.isEmpty { gathered.remove(removed) }
        }
        added.removeAll(keepingCapacity: true)
        removed = []
        isStoring = false
        isForgetting = false
    }

    /// Stores the names of a piece of what earlier runs left, the newest first.
    ///
    /// - Returns: whether there may be more.
    func catchUp() throws(StoreError) -> Bool {
        if let floor {
            guard let stretch = NameStretch(try read("first < ?1", floor, isBounded: true)) else { return false }
            try put(stretch)
            self.floor = stretch.first
        } else {
            floor = try database.integer("SELECT min(first) FROM stretch") ?? newest + 1
            // An earlier run ended with what it had gathered.
            let last = try database.integer("SELECT last FROM stretch ORDER BY first DESC LIMIT 1")
            if let last, let stretch = NameStretch(try read("first > ?1", last, isBounded: false)) { try put(stretch) }
        }
        return true
    }

    private func put(_ stretch: NameStretch) throws(StoreError) {
        try insertion().bind(1, stretch.first).bind(2, stretch.last).bind(3, stretch.earliest).bind(4, stretch.latest)
            .bind(5, stretch.packedNames).bind(6, stretch.packedBlocks).run()
    }

    /// Reads the names of whole commits back out of their blocks, the newest first. Blocks with numbers that cannot be are passed
    /// over here as they are by who reads the log.
    private func read(_ condition: String, _ bound: Int64, isBounded: Bool) throws(StoreError) -> GatheredNames {
        var gathered = GatheredNames()
        let blocks = try database.prepare(
            """
            SELECT \(BlockWalk.columns) FROM block
            WHERE \(condition) AND first <= ?2 AND first > 0 AND last >= first ORDER BY first DESC
            """
        ).bind(1, bound).bind(2, newest)
        var batch: Int64?
        // What is damaged may hold anything, and what lies behind it here does without as well.
        while try blocks.stepUnlessDamaged() ?? false {
            if isBounded, gathered.isEnough, let batch, blocks.integer(0) != batch { break }
            batch = blocks.integer(0)
            var block = GatheredNames.Block(
                first: blocks.integer(4), last: blocks.integer(7), earliest: blocks.integer(5),
                latest: blocks.integer(6))
            block.read(try? StoreReader.data(in: blocks))
            gathered.add(block)
        }
        return gathered
    }
}

/// The names of a run of blocks.
struct GatheredNames {
    struct Key: Hashable {
        let name: ExactName
        let kinds: UInt8
    }

    struct Block {
        let first: Int64
        let last: Int64
        let earliest: Int64
        let latest: Int64
        var records = 0
        var names: [(name: String, kinds: Record.Kinds)] = []
    }

    private(set) var blocks: [Int64] = []
    /// The blocks in which a name stands.
    private(set) var names: [Key: [Int64]] = [:]
    private(set) var last: Int64 = 0
    private(set) var earliest = Int64.max
    private(set) var latest = Int64.min
    private var records = 0

    /// Whether it is enough for a stretch. More would be more to look through for who looks for a name before they are one;
    /// with less there would be more stretches.
    var isEnough: Bool { records >= 4_096 || blocks.count >= 256 }

    mutating func add(_ block: Block) {
        blocks.append(block.first)
        last = max(last, block.last)
        earliest = min(earliest, block.earliest)
        latest = max(latest, block.latest)
        records += block.records
        for (name, kinds) in block.names {
            names[Key(name: ExactName(name), kinds: kinds.rawValue), default: []].append(block.first)
        }
    }

    mutating func remove(_ gone: Set<Int64>) {
        guard blocks.contains(where: gone.contains) else { return }
        blocks.removeAll(where: gone.contains)
        for key in Array(names.keys) {
            names[key]?.removeAll(where: gone.contains)
            if names[key]?.isEmpty ?? true { names[key] = nil }
        }
    }
}

extension GatheredNames.Block {
    init(_ builder: BlockBuilder) {
        self.init(
            first: Int64(builder.firstSequence), last: Int64(builder.lastSequence),
            earliest: builder.earliest.milliseconds, latest: builder.latest.milliseconds, records: builder.count,
            names: builder.names)
    }

    /// Takes the names out of a block's content. One that cannot be read may hold anything.
    mutating func read(_ data: [UInt8]?) {
        let isWhole = data?.withUnsafeBufferPointer { bytes in
            guard var reader = BlockReader(bytes) else { return false }
            // Records of one name refer to the same bytes.
            var kinds: [UnsafePointer<UInt8>?: (name: UnsafeBufferPointer<UInt8>, kinds: Record.Kinds)] = [:]
            while let record = reader.next() {
                records += 1
                kinds[record.name.baseAddress, default: (record.name, [])].kinds.formUnion(.init(record.kind))
            }
            names = kinds.values.map { (String(decoding: $0.name, as: UTF8.self), $0.kinds) }
            return !reader.isDamaged
        }
        if !(isWhole ?? false) { names.append(("", [])) }
    }
}
