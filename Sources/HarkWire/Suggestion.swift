/// Suggests corrections for a mistyped word.
package enum Suggestion {
    private static let longest = 256

    /// Returns the candidate with the fewest edits, if they are few for the length of the word. A prefix counts as one
    /// edit.
    package static func nearest(to word: String, among candidates: [String]) -> String? {
        // Input may be as long as a document, which is similar to nothing.
        guard word.utf8.count <= longest else { return nil }
        let bound = max(1, word.count / 3)
        let edits = candidates.map { name in
            (name, edits: name.hasPrefix(word) && word.count > 1 ? 1 : distance(word, name))
        }
        return edits.filter { $0.edits <= bound }.min { $0.edits < $1.edits }?.0
    }

    /// Returns the suggestion as a suffix for a message, if there is one: `; did you mean 'archive'?`.
    package static func question(for word: String, among candidates: [String]) -> String {
        nearest(to: word, among: candidates).map { "; did you mean '\($0)'?" } ?? ""
    }

    /// Returns the number of insertions, deletions, replacements and swaps of neighbours that turn one word into the
    /// other.
    package static func distance(_ left: String, _ right: String) -> Int {
        let left = Array(left)
        let right = Array(right)
        guard !left.isEmpty, !right.isEmpty else { return max(left.count, right.count) }
        var beforeLast: [Int] = []
        var last = Array(0...right.count)
        for row in 1...left.count {
            var current = [row]
            for column in 1...right.count {
                let replaced = last[column - 1] + (left[row - 1] == right[column - 1] ? 0 : 1)
                var best = min(last[column] + 1, current[column - 1] + 1, replaced)
                if row > 1, column > 1, left[row - 1] == right[column - 2], left[row - 2] == right[column - 1] {
                    best = min(best, beforeLast[column - 2] + 1)
                }
                current.append(best)
            }
            beforeLast = last
            last = current
        }
        return last[right.count]
    }
}
