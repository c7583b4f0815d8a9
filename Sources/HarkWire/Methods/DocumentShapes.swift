/// What methods have in common that tell of documents.
extension Shape {
    /// What is wrong with a document.
    package static let issue = Shape.named(
        "Issue",
        .members([
            .always("path", .string, "the JSON path of the member"), .always("message", .string),
            .maybe("line", .integer(in: 1 ... .max)), .maybe("column", .integer(in: 1 ... .max)),
        ]))
    package static let issues = Shape.array(.issue)
}
