internal import HarkCore
internal import HarkWire

/// Writes cursors of destinations, and dead letters. Belongs to the `StoreWriter`. Dead letters are rare, so their
/// statements are not kept prepared.
final class DeliveryWriter: FamilyWriter {
    private let database: Database
    private lazy var setDestination = DeferredStatement(
        database, "INSERT OR REPLACE INTO destination(name, cursor, state) VALUES (?, ?, ?)")

    init(_ database: Database) { self.database = database }

    func write(_ row: DeliveryRow) throws(StoreError) {
        switch row {
        case .setDestination(let name, let cursor, let state):
            try setDestination().bind(1, name).bind(2, Int64(cursor)).bind(3, state.bytes).run()
        case .putDeadLetters(let letters): for letter in letters { try put(letter) }
        case .trimDeadLetters(let destination, let keep): try trim(destination, keep: keep)
        case .removeDeadLetters(let destination, let sequences): try remove(destination, sequences)
        case .replayDeadLetters(let destination, let sequences): try replay(destination, sequences)
        }
    }

    /// Writes a dead letter; if it was retried without success, replaces its row.
    private func put(_ letter: DeadLetter) throws(StoreError) {
        try DeadLetterTable.bind(letter, to: database.prepare(DeadLetterTable.upsert)).run()
    }

    private func trim(_ destination: String, keep: Int) throws(StoreError) {
        try database.prepare(
            """
            DELETE FROM deadLetter WHERE destination = ?1 AND sequence NOT IN
                (SELECT sequence FROM deadLetter WHERE destination = ?1 ORDER BY at DESC, sequence DESC LIMIT ?2)
            """
        ).bind(1, destination).bind(2, Int64(keep)).run()
    }

    private func remove(_ destination: String, _ sequences: [UInt64]?) throws(StoreError) {
        try run("DELETE FROM deadLetter WHERE destination = ?1", destination, sequences)
    }

    /// Marks letters for a retry by a negative count of replays.
    private func replay(_ destination: String, _ sequences: [UInt64]?) throws(StoreError) {
        try run(
            "UPDATE deadLetter SET replays = -replays - 1 WHERE replays >= 0 AND destination = ?1", destination,
            sequences)
    }

    private func run(_ sql: String, _ destination: String, _ sequences: [UInt64]?) throws(StoreError) {
        guard let sequences else {
            try database.prepare(sql).bind(1, destination).run()
            return
        }
        let statement = try database.prepare(sql + " AND sequence = ?2")
        for sequence in sequences { try statement.bind(1, destination).bind(2, Int64(sequence)).run() }
    }

    /// Deletes the dead letters of a session with it.
    func sweep(sessionRow row: Int64) throws(StoreError) {
        try database.prepare("DELETE FROM deadLetter WHERE session = ?").bind(1, row).run()
    }
}
