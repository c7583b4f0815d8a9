import HarkWire

/// An object that can be named on a command line.
struct NamedThing: Sendable, Equatable {
    let id: String
    /// Its title; for a presentation, also its survey.
    var titles: [String] = []
}

/// The result of matching a text against objects.
enum NameMatch: Equatable {
    /// The text is a complete id or title.
    case whole(NamedThing)
    /// The text is the beginning of the id or title of this object only.
    case beginning(NamedThing)
    case several([NamedThing])
    /// No match, with similar names, the nearest first.
    case none(nearest: [String])

    /// Which names may be given by their beginning.
    enum Beginnings {
        case ofAll, ofIDs, none
    }

    /// The longest text to look for. A name has at most 256 bytes, and a title is not much longer.
    private static let longest = 1_024
    private static let mostNearest = 3

    /// Matches complete ids first, then complete titles, then beginnings of ids, then beginnings of titles. Case
    /// matters only for complete ids.
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

    /// Returns the names that begin with the word, or are a few edits away from it.
    private static func nearest(to word: String, among things: [NamedThing]) -> [String] {
        let bound = max(1, word.count / 3)
        let like = things.flatMap { [$0.id] + $0.titles }.compactMap { name -> (name: String, edits: Int)? in
            let folded = name.lowercased()
            if folded.hasPrefix(word) { return (name, 0) }
            // Names of a very different length are not similar, and comparing them would be slow.
            guard word.count <= 256, abs(folded.count - word.count) <= bound else { return nil }
            let edits = Suggestion.distance(word, folded)
            return edits <= bound ? (name, edits) : nil
        }.sorted { ($0.edits, $0.name) < ($1.edits, $1.name) }
        var nearest: [String] = []
        for (name, _) in like where nearest.count < mostNearest && !nearest.contains(name) { nearest.append(name) }
        return nearest
    }
}
