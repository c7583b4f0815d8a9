import HarkCore
import HarkStore
import HarkSystem
import HarkWire

@testable import HarkDaemon
@testable import HarkLedger
@testable import HarkServer
@testable import HarkSettings

enum NoteMethods {
    static let all = [add, list]

    private static let add = Method(
        NoteAdd.self, summary: "Keeps a note of a user.", examples: [],
        deciding: { call, request throws(WireError) in
            let user = UserKey(uid: call.peer.uid, userId: request.userId)
            let limit = call.desk(SettingsDesk.self).configuration.sections[NoteSettings.self].limit
            return try call.decide(needing: .notes(of: user)) { engine, changes, now throws(WireError) in
                let note = try engine.addNote(request.text, of: user, limit: limit, now: now, into: &changes)
                return NoteAdd.Result(id: note.id.description)
            }
        })

    private static let list = Method(
        NoteList.self, summary: "Tells the notes of a user.", examples: [],
        deciding: { call, request throws(WireError) in
            let user = UserKey(uid: call.peer.uid, userId: request.userId)
            return try call.decide(needing: .notes(of: user)) { engine, _, _ in
                NoteList.Result(notes: engine[NoteBook.self][user].map(\.text))
            }
        })
}

/// `notes` in harkd.json.
struct NoteSettings: SettingsSection {
    /// How many notes a user may have.
    var limit = 100

    mutating func read(_ reader: inout ObjectReader) {
        guard var notes = reader.object("notes", expected: "an object with a limit") else { return }
        defer { notes.finish() }
        notes.take("limit", .integer(in: 1...1_000), into: &limit)
    }

    func write(to json: inout JSONWriter) {
        json.key("notes")
        json.object(["limit": .int(Int64(limit))])
    }
}

/// Sees when somebody has more notes than the settings allow.
@DaemonActor
final class NoteDesk: ConfiguredDesk {
    private let ledger: Ledger
    private var limit = 0
    /// How many the user has who has most, as the store has it.
    private var most = 0

    init(ledger: Ledger) { self.ledger = ledger }

    func configure(_ settings: Configuration) { limit = settings.sections[NoteSettings.self].limit }

    func begin() throws(WireError) {
        most = try ledger.lookUp { reader throws(StoreError) in try reader.mostNotes() }
    }

    func follow(_ changes: Stored<Changes>, _ report: CommitReport) {
        guard changes.value.rows.contains(where: { if case .other(is NoteRow) = $0 { true } else { false } }) else {
            return
        }
        // If this read fails, the next note tries again.
        if let most = try? ledger.lookUp({ reader throws(StoreError) in try reader.mostNotes() }) { self.most = most }
    }

    var troubles: [Trouble] {
        most > limit ? [("notes", "a user has \(most) notes, and may have \(limit); raise notes.limit")] : []
    }
}
