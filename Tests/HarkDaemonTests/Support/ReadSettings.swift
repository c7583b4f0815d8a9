import HarkCore

@testable import HarkDaemon
@testable import HarkSettings

/// The settings and issues that were read from a text of `harkd.json`.
struct ReadSettings {
    let configuration: Configuration
    let errors: [DocumentIssue]
    let warnings: [DocumentIssue]

    init(_ text: [UInt8]) {
        let (configuration, issues) = DocumentKind.settings(with: Family.sections).read(text)
        self.configuration = configuration ?? Configuration()
        errors = issues.errors
        warnings = issues.warnings
    }
}
