internal import HarkWire

/// An image of a question or an option.
package struct QuestionImage: Sendable, Equatable {
    /// The path of a file.
    package let file: String
    /// A description of the image, for people who do not see it.
    package let alternative: String

    /// Nil if there is none.
    init?(_ shown: ImageInfo) {
        guard let file = shown.image else { return nil }
        self.file = file
        alternative = shown.alt ?? ""
    }

    /// A line of text in place of the image, on a screen without images.
    package var line: String { "[Image: \(alternative)]" }
}
