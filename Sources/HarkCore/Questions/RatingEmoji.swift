/// The face beside a rating.
package enum RatingEmoji {
    /// From the worst to the best.
    package static let faces = ["😞", "😐", "🙂", "😊", "🤩"]
    /// For a label that is no rating.
    package static let other = "⭐"

    /// In this order: "Very Good" is more than "Good".
    private static let words: [(words: [String], face: Int)] = [
        (["poor", "bad"], 0), (["fair", "okay"], 1), (["great", "very good"], 3),
        (["excellent", "amazing", "outstanding"], 4), (["good"], 2),
    ]

    /// The face for a label.
    ///
    /// - Parameter labels: all labels it stands among. A number is taken on a scale to 5, and on one to 10 when it or
    ///   any of them is above 5.
    package static func emoji(for label: String, among labels: [String] = []) -> String {
        let label = label.trimmed.lowercased()
        if let number = Int(label) {
            guard (1...10).contains(number) else { return other }
            let best = labels.compactMap { Int($0.trimmed) }.max() ?? 0
            return emoji(for: number, of: max(number, best) > 5 ? 10 : 5)
        }
        let padded = " " + label.split { !$0.isLetter }.joined(separator: " ") + " "
        let match = words.first { $0.words.contains { padded.contains(" \($0) ") } }
        return match.map { faces[$0.face] } ?? other
    }

    /// Whether a label has a picture of its own before its words, beside which a face would be one too many.
    package static func begins(_ label: String) -> Bool {
        guard let first = label.first(where: { !$0.isWhitespace }) else { return false }
        let scalars = first.unicodeScalars
        return scalars.first?.properties.isEmojiPresentation == true
            // ❤ is drawn as a picture only if it is asked to be; digits and # are no pictures by themselves.
            || scalars.count > 1 && scalars.contains("\u{FE0F}") && scalars.first?.properties.isEmoji == true
            || scalars.first.map { $0.properties.isEmoji && $0.value >= 0x2600 } == true
    }

    /// The face for a rating from 1 to `scale`.
    package static func emoji(for rating: Int, of scale: Int) -> String {
        guard scale > 1 else { return other }
        let steps = (2 * 4 * (rating - 1) + scale - 1) / (2 * (scale - 1))
        return faces[min(max(steps, 0), faces.count - 1)]
    }
}
