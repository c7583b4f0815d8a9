internal import HarkWire

/// Notices about the losses of a rebuilt store, kept in the store until a repair.
enum StoreNotices {
    private static let (table, records) = ("mended:", "lost:")

    static func keep(_ name: String, _ notice: String, in database: Database) throws(StoreError) {
        try put(table + name, notice, in: database)
    }

    static func keep(_ lost: [LostRecords], in database: Database) throws(StoreError) {
        for part in lost {
            let numbers = [Int64(clamping: part.first), Int64(clamping: part.last), Int64(part.most)]
            let times = [part.earliest, part.latest].map { $0.map { "\($0.milliseconds)" } ?? "-" }
            try put(records + "\(part.first)", (numbers.map(String.init) + times).joined(separator: " "), in: database)
        }
    }

    private static func put(_ key: String, _ text: String, in database: Database) throws(StoreError) {
        try database.prepare("INSERT OR REPLACE INTO meta(key, value) VALUES (?, ?)").bind(1, key).bind(2, text).run()
    }

    /// Notes the kept losses again.
    static func recall(_ database: Database, _ notes: UnreadableRows) throws(StoreError) {
        let known = try database.prepare(
            "SELECT key, value FROM meta WHERE key GLOB '\(table)*' OR key GLOB '\(records)*' ORDER BY key")
        while try known.step() {
            let (key, text) = (known.text(0) ?? "", known.text(1) ?? "")
            if key.hasPrefix(table) {
                notes.note(table: String(key.dropFirst(table.count)), text)
            } else if let lost = lost(text) {
                notes.note(lost)
            }
        }
    }

    private static func lost(_ text: String) -> LostRecords? {
        let parts = text.split(separator: " ").map { Int64($0) }
        guard parts.count == 5, let first = parts[0], let last = parts[1], let most = parts[2], first <= last else {
            return nil
        }
        return LostRecords(first...last, most: Int(most), earliest: parts[3], latest: parts[4], cause: .earlier)
    }

    /// Deletes the notices, after a repair.
    static func forget(_ database: Database) throws(StoreError) {
        try database.prepare("DELETE FROM meta WHERE key GLOB '\(table)*' OR key GLOB '\(records)*'").run()
    }
}
