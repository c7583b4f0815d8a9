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
    ) { database throws(StoreError) in try NoteWriter(database) }
}

private final class NoteWriter: FamilyWriter {
    private let database: Database
    private let put: Statement

    init(_ database: Database) throws(StoreError) {
        self.database = database
        put = try database.prepare("INSERT INTO note(id, uid, user, text) VALUES (?, ?, ?, ?)")
    }

    func write(_ row: NoteRow) throws(StoreError) {
        switch row {
        case .put(let note):
            try put.bind(1, note.id.rawBytes).bind(2, Int64(note.user.uid)).bind(3, note.user.column)
                .bind(4, note.text).run()
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
        let statement = try database.prepare("SELECT id, text FROM note WHERE uid = ? AND user = ? ORDER BY row")
            .bind(1, Int64(user.uid)).bind(2, user.column)
        var notes: [Note] = []
        while try statement.step() {
            guard let id = statement.withBytes(0, { Identifier(raw: $0) }) else {
                unreadable.note(.notes, [.bytes(statement.bytes(0))])
                continue
            }
            notes.append(Note(id: id, user: user, text: statement.text(1) ?? ""))
        }
        return notes
    }

    /// How many notes the user has who has most.
    func mostNotes() throws(StoreError) -> Int {
        Int(try database.integer("SELECT max(c) FROM (SELECT count(*) AS c FROM note GROUP BY uid, user)") ?? 0)
    }
}

extension ReadTable {
    fileprivate static let notes = ReadTable(kind: "a note", deletion: "DELETE FROM note WHERE id = ?")
}
