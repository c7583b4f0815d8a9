internal import HarkCore
internal import HarkWire

/// Collects the names of new records and stores them a stretch at a time, so that a commit of one record needs no row
/// for them. Belongs to the `RecordWriter`.
///
/// Searches read blocks outside of stretches one by one. These are the newest of the log and, in a store of an earlier
/// version, all of them until `catchUp` is done.
final class NameWriter {
    private let database: Database
    /// The names committed since the last stretch.
    private var gathered = GatheredNames()
    /// The blocks that the current transaction adds and removes.
    private var added: [GatheredNames.Block] = []
    private var removed: Set<Int64> = []
    /// Whether the current transaction stores the names collected before it.
    private var isStoring = false
    /// The newest block when the store was opened; names of later ones are collected as they come.
    private var newest: Int64
    /// Whether the current transaction forgets all names.
    private var isForgetting = false
    /// Blocks that begin before this number are in no stretch; nil until it was looked up.
    private var floor: Int64?
    private lazy var insertion = DeferredStatement(
        database, "INSERT OR REPLACE INTO stretch(\(NameStretch.columns)) VALUES (?, ?, ?, ?, ?, ?)")
    private lazy var holder = DeferredStatement(
        database, "SELECT \(NameStretch.columns) FROM stretch WHERE first <= ? ORDER BY first DESC LIMIT 1")

    init(_ database: Database) throws(StoreError) {
        self.database = database
        // If this fails, searches read the blocks of earlier runs.
        let newest = try database.prepare("SELECT max(first) FROM block WHERE first < \(Int64.max)")
        self.newest = try newest.stepUnlessDamaged() ?? false ? newest.integer(0) : 0
        newest.reset()
    }

    /// Called before the records of a commit are written, when only whole commits have been collected.
    func begin() throws(StoreError) {
        guard gathered.isEnough, !isStoring, !isForgetting else { return }
        if let stretch = NameStretch(gathered) { try put(stretch) }
        isStoring = true
    }

    func add(_ block: GatheredNames.Block) { added.append(block) }

    /// Forgets all names, as blocks are put back between existing ones; `catchUp` collects the names anew.
    func forget() throws(StoreError) {
        if !isForgetting { try database.execute("DELETE FROM stretch") }
        isForgetting = true
    }

    /// Removes deleted blocks from their stretches.
    func remove(_ blocks: Set<Int64>) throws(StoreError) {
        removed.formUnion(blocks)
        var left = blocks
        while let block = left.popFirst() {
            let row = try holder().bind(1, block)
            // An open cursor would keep the write-ahead log from being reset.
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
                // A damaged stretch is of no use.
                try database.prepare("DELETE FROM stretch WHERE first = ?").bind(1, first).run()
            }
        }
    }

    /// Called at the end of the transaction.
    func end(isCommitted: Bool) {
        if isCommitted {
            if isStoring || isForgetting { gathered = GatheredNames() }
            if isForgetting {
                // The blocks of this transaction are collected as usual.
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

    /// Stores the names of a part of the blocks that earlier runs left, newest first.
    ///
    /// - Returns: whether there may be more.
    func catchUp() throws(StoreError) -> Bool {
        if let floor {
            guard let stretch = NameStretch(try read("first < ?1", floor, isBounded: true)) else { return false }
            try put(stretch)
            self.floor = stretch.first
        } else {
            floor = try database.integer("SELECT min(first) FROM stretch") ?? newest + 1
            // The names that an earlier run had collected when it ended.
            let last = try database.integer("SELECT last FROM stretch ORDER BY first DESC LIMIT 1")
            if let last, let stretch = NameStretch(try read("first > ?1", last, isBounded: false)) { try put(stretch) }
        }
        return true
    }

    private func put(_ stretch: NameStretch) throws(StoreError) {
        try insertion().bind(1, stretch.first).bind(2, stretch.last).bind(3, stretch.earliest).bind(4, stretch.latest)
            .bind(5, stretch.packedNames).bind(6, stretch.packedBlocks).run()
    }

    /// Reads the names of whole commits from their blocks, newest first. Skips blocks with impossible numbers, as
    /// readers of the log do.
    private func read(_ condition: String, _ bound: Int64, isBounded: Bool) throws(StoreError) -> GatheredNames {
        var gathered = GatheredNames()
        let blocks = try database.prepare(
            """
            SELECT \(BlockWalk.columns) FROM block
            WHERE \(condition) AND first <= ?2 AND first > 0 AND last >= first ORDER BY first DESC
            """
        ).bind(1, bound).bind(2, newest)
        var batch: Int64?
        // Stops at damage: a part without a stretch may hold anything, and blocks before it need none either.
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

/// The names of a series of blocks.
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
    /// The blocks in which each name occurs.
    private(set) var names: [Key: [Int64]] = [:]
    private(set) var last: Int64 = 0
    private(set) var earliest = Int64.max
    private(set) var latest = Int64.min
    private var records = 0

    /// Whether there is enough for a stretch. With a higher limit, searches would read more blocks outside of
    /// stretches; with a lower one, more stretches.
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

    /// Reads the names from a block's content. A block that cannot be read counts as holding anything.
    mutating func read(_ data: [UInt8]?) {
        let isWhole = data?.withUnsafeBufferPointer { bytes in
            guard var reader = BlockReader(bytes) else { return false }
            // Records with the same name refer to the same bytes.
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
