/// A fault or an oddity of a document, and where it is.
package struct DocumentIssue: Sendable, Equatable {
    /// The JSON path of the member (`$.surveys[0].title`).
    package let path: String
    /// What is wrong with it and what would be right.
    package let message: String

    package init(path: String, message: String) {
        self.path = path
        self.message = message
    }
}

/// All that was noticed while a document was read.
///
/// With one error the document is refused as a whole; warnings only tell what was said in vain.
package struct DocumentIssues: Sendable, Equatable {
    package internal(set) var errors: [DocumentIssue] = []
    package internal(set) var warnings: [DocumentIssue] = []

    package init() {}

    package init(error: DocumentIssue) {
        errors = [error]
    }
}

/// Gathers issues while readers of nested objects come and go.
final class IssueCollector {
    private(set) var issues = DocumentIssues()

    func error(_ path: String, _ message: String) {
        issues.errors.append(DocumentIssue(path: path, message: message))
    }

    func warning(_ path: String, _ message: String) {
        issues.warnings.append(DocumentIssue(path: path, message: message))
    }
}
