package import HarkWire

/// Changes that commands have decided and the store does not hold yet: the content of one transaction.
///
/// The store applies `rows` first and in order, then `producers`, then appends `records`, then runs `upkeep` on the
/// result. Only the engine adds to them.
package struct Changes: Sendable {
    package internal(set) var rows: [Row] = []
    /// The progress of producers with these records; filled in when the changes go to the store.
    package internal(set) var producers: [ProducerRow] = []
    package internal(set) var records: [Record] = []
    package internal(set) var upkeep: [Upkeep] = []
    /// Notices to report; nothing to store.
    package internal(set) var passedOver: [PassedOver] = []
    /// The outcome for each survey that listens to the event or counters; nothing to store. nil: no client asks (`tellVerdicts`).
    package internal(set) var verdicts: [SurveyVerdict]?
    /// The number of rows that a power cut (not a crash) may undo, because that only repeats some work.
    package private(set) var repeatableRows = 0

    package init(reservingRecords count: Int = 0) {
        if count > 0 { records.reserveCapacity(min(count, 4_096)) }
    }

    /// Adds a row that must survive a crash but is not worth a sync of the disk.
    mutating func appendRepeatable(_ row: Row) {
        rows.append(row)
        repeatableRows += 1
    }

    /// Whether anything must be on disk before the client gets its reply.
    package var needsSync: Bool { !records.isEmpty || !upkeep.isEmpty || rows.count > repeatableRows }

    /// Whether the changes remove data that a user asked to remove.
    package var makesRoom: Bool {
        upkeep.contains { piece in
            if case .retire = piece { false } else { true }
        }
    }

    /// A position in the changes, from which `weight(after:_:)` measures.
    package struct Mark {
        let records: Int
        let rows: Int
    }

    // Mutating although they change nothing: a non-mutating read through a class would copy first, and both run per
    // record.

    package mutating func mark() -> Mark { Mark(records: records.count, rows: rows.count) }

    /// The cost for the store of the records and rows after a mark, in bytes of records.
    ///
    /// - Parameter session: the session row of the record before; updated.
    package mutating func weight(after mark: Mark, _ session: inout Int64) -> Int {
        var weight = 0
        for place in mark.records..<max(mark.records, self.records.count) {
            weight += Changes.recordWeight + self.records[place].properties.byteCount
            // Another session needs another block.
            if self.records[place].session.row != session {
                session = self.records[place].session.row
                weight += Row.baseWeight
            }
        }
        for place in mark.rows..<max(mark.rows, self.rows.count) { weight += self.rows[place].weight }
        return weight
    }

    /// The cost of a record in addition to its properties.
    private static let recordWeight = 128

    package var isEmpty: Bool { rows.isEmpty && records.isEmpty && upkeep.isEmpty }

    /// Sets the time for every removal by age. The engine knows only the machine's clock, which may have jumped.
    package mutating func setAges(to now: Timestamp) {
        for index in upkeep.indices {
            if case .retire(let policy, let scope, _) = upkeep[index] {
                upkeep[index] = .retire(policy, of: scope, now: now)
            }
        }
    }

    /// A row that a family of commands stores or removes; each family defines its own in its folder. Rows that occur by the
    /// thousand in a commit have a case here, which saves an allocation and a cast each.
    package enum Row: Sendable {
        case session(SessionRow)
        case survey(SurveyRow)
        /// A change of counters or executions.
        case counters(CounterRow)
        /// A row of a family whose rows do not occur by the thousand.
        case other(any FamilyRow)
        /// Stores a text of the daemon's own.
        case setMeta(key: String, value: String)
    }

    /// Removal of old or unwanted data. Sessions are first marked as removed, which hides them from every reader at once, and
    /// then deleted in batches.
    package enum Upkeep: Sendable {
        /// Marks the sessions of a selection. Of a large selection only some are marked; the caller marks the others by
        /// row.
        case remove(Selection)
        /// Marks sessions that a policy no longer keeps, or some of them.
        case retire(RetentionPolicy, of: RetentionScope, now: Timestamp)
        /// Marks the sessions in these rows, with the retention rule that removes them; nil if there is none.
        case mark([Int64], RetentionRule?)
        /// Deletes the closed showings of surveys in these rows, with the retention rule that removes them; nil if there is none.
        case removeShowings([Int64], RetentionRule?)
        /// Replaces the free texts of the closed showings in these rows by marks.
        case redactTexts([Int64])
        /// Notes that no file holds those texts any more.
        case noteRedacted([Int64])
        /// Deletes at most `maxBlocks` blocks of a marked session, and the session with the last of them.
        case sweep(sessionRow: Int64, maxBlocks: Int)
        /// Returns at most `maxPages` free pages to the file system.
        case shrink(maxPages: Int)
    }
}

extension Changes.Row {
    /// The least cost of a row for the store, in bytes of records.
    package static let baseWeight = 2_048

    /// The cost of writing the row, as the number of bytes of records that take as long.
    package var weight: Int {
        switch self {
        case .counters(let row): row.weight
        case .other(let row): row.weight
        case .session, .survey, .setMeta: Changes.Row.baseWeight
        }
    }
}

/// A row that a family stores or removes. The family's writer in the store recognises it by its type.
package protocol FamilyRow: Sendable {
    /// The cost of writing the row (`Changes.Row.weight`).
    var weight: Int { get }
}

extension FamilyRow {
    package var weight: Int { Changes.Row.baseWeight }
}
