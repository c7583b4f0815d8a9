internal import HarkWire

/// The emoji next to a rating.
package enum RatingEmoji {
    /// From the worst to the best.
    package static let faces = ["😞", "😐", "🙂", "😊", "🤩"]
    /// For a label that is not a rating.
    package static let other = "⭐"

    /// The emoji for a label.
    ///
    /// - Parameter labels: all labels of the question. A number is read on a scale to 5, or on one to 10 if it or any
    ///   of them is above 5.
    package static func emoji(for label: String, among labels: [String] = []) -> String {
        emoji(for: label, best: best(of: labels))
    }

    /// The emoji for all labels of a question.
    static func emoji(forAll labels: [String]) -> [String] {
        let best = best(of: labels)
        return labels.map { emoji(for: $0, best: best) }
    }

    private static func best(of labels: [String]) -> Int { labels.compactMap(number).max() ?? 0 }

    private static func emoji(for label: String, best: Int) -> String {
        guard let number = number(label) else { return RatingWords.face(of: label).map { faces[$0] } ?? other }
        guard (1...10).contains(number) else { return other }
        return emoji(for: number, of: max(number, best) > 5 ? 10 : 5)
    }

    /// Skips longer texts, which cannot be a rating: labels may be long and many.
    private static func number(_ label: String) -> Int? { label.utf8.count <= 64 ? Int(label.trimmed) : nil }

    /// Whether a label begins with a picture of its own, and so needs no second one.
    package static func begins(_ label: String) -> Bool {
        guard let first = label.first(where: { !$0.isWhitespace }) else { return false }
        let scalars = first.unicodeScalars
        return scalars.first?.properties.isEmojiPresentation == true
            // ❤ is drawn as a picture only with U+FE0F; digits and # are no pictures by themselves.
            || scalars.count > 1 && scalars.contains("\u{FE0F}") && scalars.first?.properties.isEmoji == true
            || scalars.first.map { $0.properties.isEmoji && $0.value >= 0x2600 } == true
    }

    /// The emoji for a rating from 1 to `scale`.
    package static func emoji(for rating: Int, of scale: Int) -> String {
        guard scale > 1 else { return other }
        let steps = (2 * 4 * (rating - 1) + scale - 1) / (2 * (scale - 1))
        return faces[min(max(steps, 0), faces.count - 1)]
    }

    /// The emoji for a rating from 1 to `scale`, in the given shape; numbers have faces, if any.
    static func emoji(for rating: Int, of scale: Int, as shape: ScaleShape) -> String {
        switch shape {
        case .faces, .numbers: emoji(for: rating, of: scale)
        case .stars: other
        case .thumbs: rating > 1 ? "👍" : "👎"
        }
    }
}
