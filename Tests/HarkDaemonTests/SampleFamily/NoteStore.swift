import HarkCore
import HarkWire

@testable import HarkStore

extension StoreFamily {
    static let notes = StoreFamily(
        migrations: [
            Schema.migrations(of: StoreFamily.all).count + 1: """
            CREATE TABLE note(
                row INTEGER PRIMARY KEY,
                id BLOB NOT NULL UNIQUE,
                uid INTEGER NOT NULL,
                user TEXT NOT NULL,
                text TEXT NOT NULL);
            CREATE INDEX note_by_user ON note(uid, user);
            """
        ],
        holdings: [.notes: ["count(*), sum(length(CAST(text AS BLOB))) FROM note WHERE uid = ?"]]
    ) { NoteWriter($0) }
}

private enum NoteTable: NumberedTable {
    static let name = "note"
    static let kind = "a note"

    static func map(_ column: inout Columns<Note>) -> Note {
        Note(id: column("id", .key) { $0.id }, user: column.user(.fixed) { $0.user }, text: column("text") { $0.text })
    }
}

private final class NoteWriter: FamilyWriter {
    private let database: Database
    private lazy var put = DeferredStatement(database, NoteTable.insertion)

    init(_ database: Database) { self.database = database }

    func write(_ row: NoteRow) throws(StoreError) {
        switch row {
        case .put(let note): try NoteTable.bind(note, to: put()).run()
        case .remove(let selection): try database.clear(["note"], of: selection)
        }
    }
}

extension NotesOfUser: StoredNeed {
    func read(by reader: StoreReader) throws(StoreError) -> any FamilySupply {
        NoteSupply(user: user, notes: try reader.notes(of: user))
    }
}

extension StoreReader {
    fileprivate func notes(of user: UserKey) throws(StoreError) -> [Note] {
        let statement = try database.prepare("\(NoteTable.selection) WHERE uid = ? AND user = ? ORDER BY row")
        return try NoteTable.all(statement.bind(1, Int64(user.uid)).bind(2, user.column), unreadable)
    }

    /// How many notes the user has who has most.
    func mostNotes() throws(StoreError) -> Int {
        Int(try database.integer("SELECT max(c) FROM (SELECT count(*) AS c FROM note GROUP BY uid, user)") ?? 0)
    }
}
