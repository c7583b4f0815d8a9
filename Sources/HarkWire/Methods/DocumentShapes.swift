/// Shapes shared by methods about documents.
extension Shape {
    /// A problem of a document.
    package static let issue = IssueInfo.shape
    package static let issues = Shape.array(.issue)
}
