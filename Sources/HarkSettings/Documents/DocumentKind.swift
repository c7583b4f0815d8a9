package import HarkCore
package import HarkWire

/// The kind of a document of settings, and how its text is read.
package struct DocumentKind<Content: Sendable>: Sendable {
    /// Its name in settings and messages, such as "surveys".
    package let name: String
    /// The content in force without a document.
    package let none: Content
    /// The document with that content.
    let emptyText: String
    var dialect = JSONDocument.Dialect.json5
    /// Parses the document; there is no content if it has errors.
    package let content: @Sendable (JSONValue) -> (Content?, DocumentIssues)

    package func read(_ bytes: [UInt8]) -> (Content?, DocumentIssues) {
        do throws(JSONFault) {
            let document = try JSONDocument(bytes, dialect)
            let (content, issues) = content(document.value)
            return (content, issues.placed(in: document))
        } catch {
            return (nil, DocumentIssues(error: DocumentIssue(error)))
        }
    }
}

extension DocumentKind<SurveyConfiguration> {
    package static let surveys = DocumentKind(name: "surveys", none: .none, emptyText: #"{"surveys": []}"#) {
        document in
        let (configuration, issues) = SurveyConfiguration.read(document, hasZone: { ZoneFolder.zone($0) != nil })
        return (configuration, issues)
    }
}

extension DocumentKind<FormConfiguration> {
    package static let forms = DocumentKind(name: "forms", none: .none, emptyText: #"{"forms": []}"#) { document in
        let (configuration, issues) = FormConfiguration.read(document)
        return (configuration, issues)
    }
}

extension DocumentKind<FlagSet> {
    package static let flags = DocumentKind(name: "flags", none: .none, emptyText: "{}") { FlagSet.read($0) }
}

extension DocumentKind<Questionnaire> {
    /// The questions from a form's server.
    package static let questions = DocumentKind(
        name: "questions", none: Questionnaire([]), emptyText: "[]", dialect: .json
    ) { document in
        let (questionnaire, issues) = Questionnaire.read(document)
        return (questionnaire, issues)
    }
}

extension DocumentKind<Configuration> {
    /// The settings of a daemon whose families have these sections.
    package static func settings(with sections: [any SettingsSection.Type]) -> DocumentKind {
        DocumentKind(name: "settings", none: Configuration(), emptyText: "{}") { document in
            let (configuration, issues) = Configuration.read(document, sections)
            return (configuration, issues)
        }
    }
}

extension DocumentIssues {
    /// The faults of the document as a whole.
    package init(_ message: String) {
        self.init(error: DocumentIssue(path: "$", message: message))
    }
}
