/// All forms, and the rules that derive a profile from the answers.
package struct FormConfiguration: Sendable, Equatable {
    package private(set) var forms: [Form]
    package let profile: ProfileRules?

    package static let none = FormConfiguration([])

    /// - Parameter forms: forms with distinct ids.
    package init(_ forms: [Form], profile: ProfileRules? = nil) {
        self.forms = forms
        self.profile = profile
    }

    package func form(_ id: String) -> Form? { forms.first { $0.id.hasSameBytes(as: id) } }

    /// Sets the questions that a form's server has sent.
    package mutating func take(_ questionnaire: Questionnaire, for id: String) {
        guard let place = forms.firstIndex(where: { $0.id.hasSameBytes(as: id) }) else { return }
        forms[place].questionnaire = questionnaire
    }
}
