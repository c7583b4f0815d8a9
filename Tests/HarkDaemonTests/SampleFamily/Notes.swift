import HarkStore
import HarkWire

@testable import HarkCore
@testable import HarkDaemon
@testable import HarkLedger

/// A family that only the tests have: what a user wants to be remembered, in a few words each.
///
/// It is here to show, and to have checked, what a family is made of. All it takes outside this folder is its place in the
/// list that a daemon is made with.
extension Family {
    static let notes = Family(
        methods: NoteMethods.all, settings: NoteSettings.self, book: NoteBook.self, store: .notes,
        desks: { [NoteDesk(ledger: $0.ledger)] })
}

struct Note: Sendable, Equatable {
    let id: Identifier
    let user: UserKey
    let text: String
}

enum NoteRow: FamilyRow {
    case put(Note)
    /// Deletes the notes of users whose data is cleared.
    case remove(Selection)
}

/// The notes of the users heard of lately, each user's in the order in which they came.
struct NoteBook: Book {
    private var cache = Cache<UserKey, [Note]>(capacity: 64)

    subscript(user: UserKey) -> [Note] { cache[user] ?? [] }

    mutating func use(_ user: UserKey) -> Bool { cache.use(user) }

    mutating func admit(_ user: UserKey, _ notes: [Note]) { cache.admit(user, notes) }

    mutating func put(_ note: Note) { cache.change(note.user) { $0.append(note) } }

    mutating func clear(_ selection: Selection) -> [any FamilyRow] {
        for user in cache.keys where selection.containsEverything(of: user) { cache.change(user) { $0 = [] } }
        return [NoteRow.remove(selection)]
    }

    mutating func handOver() { cache.handOver() }

    mutating func settle() { cache.settle() }
}

extension Need {
    /// The number of a user's notes, and the notes themselves.
    static func notes(of user: UserKey) -> Need {
        .all([.holdings([.notes], of: user.uid), .other(NotesOfUser(user: user))])
    }
}

struct NotesOfUser: FamilyNeed {
    let user: UserKey

    func isMet(in engine: inout Engine) -> Bool { engine[NoteBook.self].use(user) }
}

struct NoteSupply: FamilySupply {
    let user: UserKey
    let notes: [Note]

    func admit(to engine: inout Engine) {
        engine[NoteBook.self].admit(user, engine.isClearing(user) ? [] : notes)
    }
}

extension Holding {
    static let notes = Holding(Note.self)
}

extension HoldingBound {
    /// Few bytes, so that a test can fill them.
    static let notes = HoldingBound(
        of: .notes, most: Amount(count: 1_000, bytes: 100), things: "notes", whenMany: "clear some (event.clear)",
        whenLarge: "clear some (event.clear)")
}

extension Engine {
    /// Keeps a note of a user that was admitted.
    ///
    /// - Parameter limit: how many a user may have.
    mutating func addNote(
        _ text: String, of user: UserKey, limit: Int, now: Timestamp, into changes: inout Changes
    ) throws(WireError) -> Note {
        let count = self[NoteBook.self][user].count
        guard count < limit else {
            throw WireError(
                .tooLarge, "this user has \(count) notes, and may have \(limit) (notes.limit)", path: "$.params.text")
        }
        let size = Amount(count: 1, bytes: text.utf8.count)
        try checkRoom(for: size, .notes, of: user.uid, paths: ("$.params.text", "$.params.text"))
        hold(size, .notes, of: user.uid)
        let note = Note(id: makeIdentifier(at: now), user: user, text: text)
        self[NoteBook.self].put(note)
        keep(NoteRow.put(note), into: &changes)
        return note
    }
}
