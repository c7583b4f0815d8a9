import HarkDaemon
import HarkServer

/// Ids that the daemon gave, to be used in later requests.
///
/// A text made in advance has places for them, `@@s3` for the session last but three; this fills them in. So the same
/// steps make sense with a daemon that gives other ids.
struct LearnedIDs {
    /// The kinds of ids: sessions, presentations, events, and all other members called `id`.
    enum Kind: Character, CaseIterable {
        case session = "s"
        case presentation = "p"
        case event = "e"
    }

    static let none = "0199e0f4-8c7a-7000-8000-000000000000"

    private var known: [Kind: [String]] = [:]

    static func place(_ kind: Kind, _ index: Int) -> String { "@@\(kind.rawValue)\(index)" }

    private mutating func learn(_ id: String?, _ kind: Kind) {
        guard let id, id.utf8.count == 36 else { return }
        known[kind, default: []].append(id)
        if known[kind, default: []].count > 8 { known[kind]?.removeFirst() }
    }

    /// Learns from the result of a request.
    mutating func learn(from result: JSONNode) {
        if let session = result.member("sessionId")?.string {
            learn(session, .session)
            learn(result.member("id")?.string, .event)
        }
        learn(result.member("session")?.member("id")?.string, .session)
        learn(result.member("presentationId")?.string, .presentation)
        learn(result.member("presentation")?.member("presentationId")?.string, .presentation)
        for survey in result.member("surveys")?.elements.map(Array.init) ?? [] {
            learn(survey.member("presentationId")?.string, .presentation)
        }
    }

    func fill(_ text: [UInt8]) -> [UInt8] {
        let mark = UInt8(ascii: "@")
        guard let first = text.firstIndex(of: mark) else { return text }
        var filled = Array(text[..<first])
        var index = first
        while index < text.count {
            if index + 3 < text.count, text[index] == mark, text[index + 1] == mark,
                let kind = Kind(rawValue: Character(UnicodeScalar(text[index + 2]))), text[index + 3] & 0xF0 == 0x30
            {
                let ids = known[kind] ?? []
                let back = Int(text[index + 3] & 0xF)
                filled += (back < ids.count ? ids[ids.count - 1 - back] : LearnedIDs.none).utf8
                index += 4
            } else {
                filled.append(text[index])
                index += 1
            }
        }
        return filled
    }
}
