/// Questions that people answer at their own pace, one after the other; the answers stay with them.
package struct Form: Sendable, Equatable {
    package let id: String
    package var title: String
    /// An introduction before the questions; may be empty.
    package var message = ""
    /// Empty until the questions have come from their server.
    package var questionnaire: Questionnaire
    /// The server of the questions; nil when the document holds them.
    package var questions: FormServer?
    package var refreshSeconds = Form.usualRefreshSeconds
    /// The server that each answer is sent to on its own; nil when answers stay here.
    package var submission: FormServer?
    /// The labels of the button that begins the form, and of the one that closes it when everything is answered.
    package var startLabel: String?
    package var completionLabel: String?
    /// The text shown when everything is answered.
    package var completionMessage: String?

    package static let usualRefreshSeconds = 300.0

    package init(id: String, title: String, questionnaire: Questionnaire) {
        self.id = id
        self.title = title
        self.questionnaire = questionnaire
    }

    /// Whether an answer can be changed later; one that was sent to a server cannot.
    package var isEditable: Bool { submission == nil }

    package func question(_ id: String) -> Question? { questionnaire.question(id) }
}

/// A server that a form uses.
package struct FormServer: Sendable, Equatable {
    package let url: String
    package var headers: [ServerHeader] = []
    package var timeoutSeconds = 30.0

    package init(_ url: String) {
        self.url = url
    }
}
