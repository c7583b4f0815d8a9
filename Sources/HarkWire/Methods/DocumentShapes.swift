/// What methods have in common that tell of documents.
extension Shape {
    /// What is wrong with a document.
    package static let issue = IssueInfo.shape
    package static let issues = Shape.array(.issue)
}

extension Shape.Member {
    package static let next = always("next", .orNull(.string), "the cursor of the next page; null on the last")

    /// Where a list was read from, and what is wrong there.
    ///
    /// - Parameter what: the things that are listed, as in "surveys".
    static func document(of what: String) -> [Shape.Member] {
        [
            .maybe(
                "file", .orNull(.string),
                "the file or URL they were read from; null without \(what). Only administrators are told"),
            .maybe(
                "problems", .issues, "what is wrong with it, with JSON paths. Only administrators are told"),
        ]
    }
}
