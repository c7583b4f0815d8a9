package import HarkWire

/// What commands have decided but the store does not hold yet: the content of one transaction.
///
/// `rows` are carried out first and in order, then `producers`, then `records` are appended, then `upkeep` runs over the
/// result. Only the engine adds to them.
package struct Changes: Sendable {
    package internal(set) var rows: [Row] = []
    /// How far producers have come with these records, filled in when they go to the store.
    package internal(set) var producers: [ProducerRow] = []
    package internal(set) var records: [Record] = []
    package internal(set) var upkeep: [Upkeep] = []
    /// Nothing to store, but to be told of.
    package internal(set) var passedOver: [PassedOver] = []
    /// So many of the rows may be taken back by a power cut (not by a crash), as it only has something done again.
    package private(set) var repeatableRows = 0

    package init(reservingRecords count: Int = 0) {
        if count > 0 { records.reserveCapacity(min(count, 4_096)) }
    }

    /// Adds a row that is to outlast a crash, but is not worth a sync of the disk.
    mutating func appendRepeatable(_ row: Row) {
        rows.append(row)
        repeatableRows += 1
    }

    /// Whether something of it must be on disk before anybody is told.
    package var needsSync: Bool { !records.isEmpty || !upkeep.isEmpty || rows.count > repeatableRows }

    /// Whether it removes something that somebody wants to be gone.
    package var makesRoom: Bool {
        upkeep.contains { piece in
            if case .retire = piece { false } else { true }
        }
    }

    /// How much there is, to weigh what comes behind it.
    package struct Mark {
        let records: Int
        let rows: Int
    }

    // These two change nothing: but what is only read where a class keeps it is copied first, and they are asked of every record.

    package mutating func mark() -> Mark { Mark(records: records.count, rows: rows.count) }

    /// What the records and rows behind a mark cost the store, in bytes of records.
    ///
    /// - Parameter session: the row of the session of the record before.
    package mutating func weight(after mark: Mark, _ session: inout Int64) -> Int {
        var weight = 0
        for place in mark.records..<max(mark.records, self.records.count) {
            weight += Changes.recordWeight + self.records[place].properties.byteCount
            // Another session is another block.
            if self.records[place].session.row != session {
                session = self.records[place].session.row
                weight += Row.baseWeight
            }
        }
        for place in mark.rows..<max(mark.rows, self.rows.count) { weight += self.rows[place].weight }
        return weight
    }

    /// What a record costs beside its properties.
    private static let recordWeight = 128

    package var isEmpty: Bool { rows.isEmpty && records.isEmpty && upkeep.isEmpty }

    /// Has everything that removes by age go by this time: the engine knows the machine's clock only, which may have jumped.
    package mutating func setAges(to now: Timestamp) {
        for index in upkeep.indices {
            if case .retire(let policy, let scope, _) = upkeep[index] {
                upkeep[index] = .retire(policy, of: scope, now: now)
            }
        }
    }

    /// What a family keeps, or forgets; each has its own in its folder. Those of which thousands come in a commit have a
    /// case here, which spares them an allocation and a cast each.
    package enum Row: Sendable {
        case session(SessionRow)
        case survey(SurveyRow)
        /// What becomes of counters and executions.
        case counters(CounterRow)
        /// Of a family whose rows do not come by the thousand.
        case other(any FamilyRow)
        /// Remembers a text of the daemon's own.
        case setMeta(key: String, value: String)
    }

    /// Removal of what is old or unwanted. Sessions are first marked as removed, which hides them from every reader at
    /// once, and then swept away piece by piece.
    package enum Upkeep: Sendable {
        /// Marks what a selection means. Of many, only some are: whoever asked has the others marked by their rows.
        case remove(Selection)
        /// Marks what a policy no longer keeps, or some of it.
        case retire(RetentionPolicy, of: RetentionScope, now: Timestamp)
        /// Marks the sessions in these rows, by the rule that has them removed; nil: by no rule of retention.
        case mark([Int64], RetentionRule?)
        /// Deletes the closed showings of surveys in these rows, by the rule that has them removed; nil: by no rule of retention.
        case removeShowings([Int64], RetentionRule?)
        /// Replaces the free texts of the closed showings in these rows by marks.
        case redactTexts([Int64])
        /// No file has those texts any more.
        case noteRedacted([Int64])
        /// Deletes up to so many blocks of a marked session, and the session itself with the last of them.
        case sweep(sessionRow: Int64, maxBlocks: Int)
        /// Gives up to so many free pages back to the file system.
        case shrink(maxPages: Int)
    }
}

extension Changes.Row {
    /// What a row costs the store however little is in it, in bytes of records.
    package static let baseWeight = 2_048

    /// What it costs the store to write, in bytes of records that take as long.
    package var weight: Int {
        switch self {
        case .counters(let row): row.weight
        case .other(let row): row.weight
        case .session, .survey, .setMeta: Changes.Row.baseWeight
        }
    }
}

/// What a family keeps, or forgets; the family's writer in the store takes it by its type.
package protocol FamilyRow: Sendable {
    /// What it costs the store to write (`Changes.Row.weight`).
    var weight: Int { get }
}

extension FamilyRow {
    package var weight: Int { Changes.Row.baseWeight }
}
