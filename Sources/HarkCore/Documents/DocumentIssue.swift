package import HarkWire

/// An error or warning about a document, with its location.
package struct DocumentIssue: Sendable, Equatable {
    /// The JSON path of the member (`$.surveys[0].title`).
    package let path: String
    /// The fault of the member, and its valid values.
    package let message: String
    /// The position in the text; nil if unknown.
    package let place: TextPlace?

    package init(path: String, message: String, place: TextPlace? = nil) {
        self.path = path
        self.message = message
        self.place = place
    }

    /// An issue for text that is not valid JSON.
    package init(_ fault: JSONFault) {
        self.init(path: "$", message: fault.message, place: fault.place)
    }

    package func write(to json: inout JSONWriter) { IssueInfo(self).write(to: &json) }
}

extension IssueInfo {
    package init(_ issue: DocumentIssue) {
        self.init()
        path = issue.path
        message = issue.message
        line = issue.place.map { Int64($0.line) }
        column = issue.place.map { Int64($0.column) }
    }
}

extension DocumentIssue: CustomStringConvertible {
    /// One line for a reader: `line 3, column 5: $.retention: must be …`.
    package var description: String { (place.map { "\($0): " } ?? "") + "\(path): \(message)" }
}

/// All issues found while reading a document.
///
/// A single error refuses the whole document; warnings only name content without effect.
package struct DocumentIssues: Sendable, Equatable {
    package internal(set) var errors: [DocumentIssue] = []
    package internal(set) var warnings: [DocumentIssue] = []

    /// The greatest number of errors, and of warnings, reported per document.
    package static let most = 100

    package init() {}

    package init(error: DocumentIssue) {
        errors = [error]
    }

    /// The issues with their positions in a text, sorted by these, plus a warning for each duplicate member.
    package func placed(in document: JSONDocument) -> DocumentIssues {
        let repetitions = document.duplicates.prefix(DocumentIssues.most).map {
            DocumentIssue(path: $0.path, message: "stands in its object already; the first one counts", place: $0.place)
        }
        var issues = self
        issues.errors = DocumentIssues.placed(errors, in: document)
        issues.warnings = DocumentIssues.placed(warnings, in: document) + repetitions
        return issues
    }

    private static func placed(_ issues: [DocumentIssue], in document: JSONDocument) -> [DocumentIssue] {
        guard !issues.isEmpty else { return [] }
        return zip(issues, document.places(of: issues.map(\.path))).sorted { $0.1 < $1.1 }.map { issue, place in
            DocumentIssue(path: issue.path, message: issue.message, place: place)
        }
    }
}

/// Collects issues across readers of nested objects; keeps the first hundred errors and the first hundred warnings.
package final class IssueCollector {
    package private(set) var issues = DocumentIssues()

    package init() {}

    /// Whether reading further is useless, because there are enough errors.
    package var isFull: Bool { isFull(ofErrors: true) }

    func isFull(ofErrors: Bool) -> Bool {
        (ofErrors ? issues.errors : issues.warnings).count >= DocumentIssues.most
    }

    package func error(_ path: String, _ message: String) {
        guard !isFull else { return }
        issues.errors.append(DocumentIssue(shortening: path, message))
    }

    package func warning(_ path: String, _ message: String) {
        guard !isFull(ofErrors: false) else { return }
        issues.warnings.append(DocumentIssue(shortening: path, message))
    }
}

extension DocumentIssue {
    /// Shortens path and message: a name in a document may be as long as the document.
    fileprivate init(shortening path: String, _ message: String) {
        self.init(path: DocumentIssue.shortened(path), message: DocumentIssue.shortened(message))
    }

    private static func shortened(_ text: String) -> String {
        text.utf8.count > 1_000 ? text.prefix(500) + "…" : text
    }
}
