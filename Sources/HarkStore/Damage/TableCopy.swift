internal import CSQLite

/// Copies the readable rows of a table into the table of the same name and columns in another file.
struct TableCopy {
    private let source: Database
    private let table: String
    private let columns: [String]
    private let key: [String]
    private let insertion: Statement
    /// Called for each row.
    private let progress: () -> Void
    private(set) var rows = 0

    /// The columns of the table of blocks, those of `BlockWalk` first.
    private static let blockColumns = BlockWalk.columns + ", events"

    init(_ table: String, from source: Database, to target: Database, progress: @escaping () -> Void) throws(StoreError)
    {
        self.source = source
        self.table = table
        self.progress = progress
        columns = table == "block" ? TableCopy.blockColumns.components(", ") : try target.columns(of: table)
        key = try target.key(of: table)
        let places = columns.map { _ in "?" }.joined(separator: ", ")
        insertion = try target.prepare(
            "INSERT OR IGNORE INTO \(table)(\(columns.joined(separator: ", "))) VALUES (\(places))")
    }

    /// - Parameter notes: collects the records that cannot be read, if the table is that of blocks.
    /// - Returns: whether all rows could be read.
    mutating func run(_ notes: DamageNotes) throws(StoreError) -> Bool {
        if table == "block" { return try copyBlocks(notes) }
        let isKeyed = try isWithoutRowid
        return key.count == 1 && !isKeyed ? try copyByNumber() : try copyFromBothEnds()
    }

    private var isWithoutRowid: Bool {
        get throws(StoreError) {
            try source.integer("SELECT wr FROM pragma_table_list WHERE schema = 'main' AND name = '\(table)'") == 1
        }
    }

    private mutating func copyBlocks(_ notes: DamageNotes) throws(StoreError) -> Bool {
        var blocks = try BlockWalk(source, notes, columns: TableCopy.blockColumns)
        blocks.begin(0...Int64.max)
        while try blocks.step() { try insert(blocks.row, from: 0) }
        return notes.take() == nil
    }

    /// Copies a table with integer keys, and finds further rows after unreadable ones.
    private mutating func copyByNumber() throws(StoreError) -> Bool {
        var (start, isWhole) = (Int64.min, true)
        let gap = try KeyGap(source, table: table, key: key[0])
        let all = try source.prepare("\(selection) WHERE \(key[0]) >= ?1 ORDER BY \(key[0])")
        while true {
            all.reset()
            all.bind(1, start)
            var isAtEnd = false
            while let isThere = try all.stepUnlessDamaged() {
                isAtEnd = !isThere
                if !isThere { break }
                let place = all.integer(0)
                // A damaged page may lead back to an earlier row.
                guard place >= start else { continue }
                try insert(all, from: 1)
                guard place < .max else { return isWhole }
                start = place + 1
            }
            all.reset()
            if isAtEnd { return isWhole }
            isWhole = false
            // Row numbers start at 1.
            let from = max(start, 0)
            guard let found = gap.nearest(to: from, within: from...Int64.max), let next = found.key, next < .max else {
                return false
            }
            start = found.isBehindGap ? next : next + 1
        }
    }

    /// Copies a table with other keys: the rows before the damage, and those after it.
    private mutating func copyFromBothEnds() throws(StoreError) -> Bool {
        for order in ["", " DESC"] {
            guard
                let all = try? source.prepare(
                    selection + " ORDER BY " + key.map { $0 + order }.joined(separator: ", "))
            else { return false }
            while let isThere = try all.stepUnlessDamaged() {
                if !isThere { return order.isEmpty }
                try insert(all, from: 1)
            }
        }
        return false
    }

    private var selection: String {
        "SELECT \(key[0]), \(columns.joined(separator: ", ")) FROM \(table) NOT INDEXED"
    }

    private mutating func insert(_ row: Statement, from first: Int32) throws(StoreError) {
        for column in 0..<Int32(columns.count) {
            sqlite3_bind_value(insertion.handle, column + 1, sqlite3_column_value(row.handle, first + column))
        }
        progress()
        try insertion.run()
        rows += 1
    }
}

extension String {
    fileprivate func components(_ separator: String) -> [String] { split(separator: separator).map(String.init) }
}
