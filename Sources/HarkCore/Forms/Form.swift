/// Questions that people fill in when they want to, one after the other; the answers stay theirs.
package struct Form: Sendable, Equatable {
    package let id: String
    package var title: String
    /// A word before the questions; empty for none.
    package var message = ""
    /// Empty as long as they have not come from their server.
    package var questionnaire: Questionnaire
    /// Where the questions come from; nil when they stand in the document.
    package var questions: FormServer?
    package var refreshSeconds = Form.usualRefreshSeconds
    /// Where each answer goes, on its own; nil when answers stay here.
    package var submission: FormServer?
    /// What the button says that begins it, and the one that closes it when everything is answered.
    package var startLabel: String?
    package var completionLabel: String?
    /// What is said when everything is answered.
    package var completionMessage: String?

    package static let usualRefreshSeconds = 300.0

    package init(id: String, title: String, questionnaire: Questionnaire) {
        self.id = id
        self.title = title
        self.questionnaire = questionnaire
    }

    /// Whether an answer can be changed later; what a server has taken cannot.
    package var isEditable: Bool { submission == nil }

    package func question(_ id: String) -> Question? { questionnaire.question(id) }
}

/// A server that a form talks to.
package struct FormServer: Sendable, Equatable {
    package let url: String
    package var headers: [ServerHeader] = []
    package var timeoutSeconds = 30.0

    package init(_ url: String) {
        self.url = url
    }
}
