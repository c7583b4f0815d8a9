/// Shapes shared by methods about documents.
extension Shape {
    /// A problem of a document.
    package static let issue = IssueInfo.shape
    package static let issues = Shape.array(.issue)
}

extension Shape.Member {
    package static let next = always("next", .orNull(.string), "the cursor of the next page; null on the last")

    /// The source of a list, and its problems.
    ///
    /// - Parameter what: The listed objects, as in "surveys".
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
