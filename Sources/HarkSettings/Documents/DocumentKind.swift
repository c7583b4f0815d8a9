package import HarkCore
package import HarkWire

/// What a document of settings is about, and how its text is read.
package struct DocumentKind<Content: Sendable>: Sendable {
    /// As it is called in the settings and in messages: "surveys".
    package let name: String
    /// What is in force without a document.
    package let none: Content
    /// The document that says so.
    let emptyText: String
    var dialect = JSONDocument.Dialect.json5
    /// Makes the document of its JSON; no content when there are errors.
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
    /// What the server of a form's questions sends.
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
    /// What is wrong with the document as a whole.
    package init(_ message: String) {
        self.init(error: DocumentIssue(path: "$", message: message))
    }
}
