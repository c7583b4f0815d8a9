import HarkWire

/// A thing that can be named on a command line.
struct NamedThing: Sendable, Equatable {
    let id: String
    /// What else it is called: its title, and of a presentation its survey.
    var titles: [String] = []
}

/// Which of the things there are a text means.
enum NameMatch: Equatable {
    /// The text is the id, or all of a title.
    case whole(NamedThing)
    /// The text is the beginning of this one's id or title, and of no other's.
    case beginning(NamedThing)
    case several([NamedThing])
    /// With names that are like it, the nearest first.
    case none(nearest: [String])

    /// What the beginning of stands for all of it.
    enum Beginnings {
        case ofAll, ofIDs, none
    }

    /// The longest text that is looked for; a name is 256 bytes at most, a title not much longer.
    private static let longest = 1_024
    private static let mostNearest = 3

    /// A whole id comes before a whole title, that before the beginning of an id, and that before the beginning of a title.
    /// Small and capital letters are the same but in a whole id.
    init(_ text: String, among things: [NamedThing], beginnings: Beginnings = .ofAll) {
        guard !text.isEmpty, text.utf8.count <= Self.longest else {
            self = .none(nearest: [])
            return
        }
        if let thing = things.first(where: { $0.id == text }) {
            self = .whole(thing)
            return
        }
        let folded = text.lowercased()
        let folds = things.map { thing in
            (thing, id: thing.id.lowercased(), titles: thing.titles.map { $0.lowercased() })
        }
        let whole = folds.filter { $0.id == folded || $0.titles.contains(folded) }.map(\.0)
        if let first = whole.first {
            self = whole.count == 1 ? .whole(first) : .several(whole)
            return
        }
        var begun = beginnings == .none ? [] : folds.filter { $0.id.hasPrefix(folded) }.map(\.0)
        if begun.isEmpty, beginnings == .ofAll {
            begun = folds.filter { $0.titles.contains { $0.hasPrefix(folded) } }.map(\.0)
        }
        switch (begun.first, begun.count) {
        case (let thing?, 1): self = .beginning(thing)
        case (nil, _): self = .none(nearest: Self.nearest(to: folded, among: things))
        default: self = .several(begun)
        }
    }

    /// Those that begin with the word, or are a few edits away from it.
    private static func nearest(to word: String, among things: [NamedThing]) -> [String] {
        let bound = max(1, word.count / 3)
        let like = things.flatMap { [$0.id] + $0.titles }.compactMap { name -> (name: String, edits: Int)? in
            let folded = name.lowercased()
            if folded.hasPrefix(word) { return (name, 0) }
            // Names much longer or shorter than the word are not like it, and to compare them would take long.
            guard word.count <= 256, abs(folded.count - word.count) <= bound else { return nil }
            let edits = Suggestion.distance(word, folded)
            return edits <= bound ? (name, edits) : nil
        }.sorted { ($0.edits, $0.name) < ($1.edits, $1.name) }
        var nearest: [String] = []
        for (name, _) in like where nearest.count < mostNearest && !nearest.contains(name) { nearest.append(name) }
        return nearest
    }
}
