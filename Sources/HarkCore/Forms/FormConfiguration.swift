/// All forms, and what is made of the answers.
package struct FormConfiguration: Sendable, Equatable {
    package private(set) var forms: [Form]
    package let profile: ProfileRules?

    package static let none = FormConfiguration([])

    /// - Parameter forms: no two with the same id.
    package init(_ forms: [Form], profile: ProfileRules? = nil) {
        self.forms = forms
        self.profile = profile
    }

    package func form(_ id: String) -> Form? { forms.first { $0.id.hasSameBytes(as: id) } }

    /// Puts in the questions that have come for a form from its server.
    package mutating func take(_ questionnaire: Questionnaire, for id: String) {
        guard let place = forms.firstIndex(where: { $0.id.hasSameBytes(as: id) }) else { return }
        forms[place].questionnaire = questionnaire
    }
}
