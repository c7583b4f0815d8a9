package import HarkWire

/// A fault or an oddity of a document, and where it is.
package struct DocumentIssue: Sendable, Equatable {
    /// The JSON path of the member (`$.surveys[0].title`).
    package let path: String
    /// What is wrong with it and what would be right.
    package let message: String
    /// Where that stands in the text; nil where there is none.
    package let place: TextPlace?

    package init(path: String, message: String, place: TextPlace? = nil) {
        self.path = path
        self.message = message
        self.place = place
    }

    /// The text is no JSON.
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
    /// One line for people: `line 3, column 5: $.retention: must be …`.
    package var description: String { (place.map { "\($0): " } ?? "") + "\(path): \(message)" }
}

/// All that was noticed while a document was read.
///
/// With one error the document is refused as a whole; warnings only tell what was said in vain.
package struct DocumentIssues: Sendable, Equatable {
    package internal(set) var errors: [DocumentIssue] = []
    package internal(set) var warnings: [DocumentIssue] = []

    /// So many errors, and so many warnings, are told of one document.
    package static let most = 100

    package init() {}

    package init(error: DocumentIssue) {
        errors = [error]
    }

    /// The same with the places at which they stand in a text, in the order of these, and with what that repeats.
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

/// Gathers issues while readers of nested objects come and go; of each kind the first hundred, which are enough to begin
/// with.
package final class IssueCollector {
    package private(set) var issues = DocumentIssues()

    package init() {}

    /// Nothing more needs to be looked at.
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
    /// A name of a document may be as long as the document.
    fileprivate init(shortening path: String, _ message: String) {
        self.init(path: DocumentIssue.shortened(path), message: DocumentIssue.shortened(message))
    }

    private static func shortened(_ text: String) -> String {
        text.utf8.count > 1_000 ? text.prefix(500) + "…" : text
    }
}
