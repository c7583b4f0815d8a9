@testable import HarkWire

struct NoteAdd: WireMethod {
    static let name = "note.add"

    var text = ""
    var userId: String?

    mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("text", &text, "what is noted")
        m("userId", &userId, "whose; without it, anonymous")
    }

    struct Result: WireObject {
        var id = ""

        mutating func map<Map: MemberMap>(_ m: inout Map) {
            m("id", &id, "of the note")
        }
    }
}

struct NoteList: WireMethod {
    static let name = "note.list"

    var userId: String?

    mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("userId", &userId, "whose; without it, anonymous")
    }

    struct Result: WireObject {
        var notes: [String] = []

        mutating func map<Map: MemberMap>(_ m: inout Map) {
            m("notes", &notes, "in the order in which they came")
        }
    }
}
