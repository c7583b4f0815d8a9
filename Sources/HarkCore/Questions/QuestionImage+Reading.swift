internal import HarkWire

extension Question.Image {
    /// Reads `image` and `alt`, which are both there or both absent.
    static func read(_ reader: inout ObjectReader) -> Question.Image? {
        let (hasFile, hasText) = (reader.has("image"), reader.has("alt"))
        guard hasFile || hasText else { return nil }
        let (file, alternative) = (reader.name("image"), reader.name("alt"))
        if !hasText {
            reader.issues.error(
                reader.path("alt"), "is missing: write what the image shows, for people who do not see it")
        } else if !hasFile {
            reader.issues.error(reader.path("alt"), "says what an image shows, but there is no 'image'")
        }
        if let file, file.contains("://") {
            reader.issues.error(reader.path("image"), "must be the path of a file; images are not fetched")
        }
        guard let file, let alternative else { return nil }
        return Question.Image(file, alternative: alternative)
    }
}
