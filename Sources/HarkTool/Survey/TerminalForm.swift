import HarkAsking

/// A form on a terminal: how large that is, which part of the form is shown, and what a person is asked to confirm.
@dynamicMemberLookup
struct TerminalForm {
    var form: SurveyForm {
        didSet {
            let isSamePage = form.page.first == oldValue.page.first
            if !isSamePage || form.filling?.isAtEnd != oldValue.filling?.isAtEnd { scroll = 0 }
        }
    }
    /// Whether only the thanks for its answer are shown, which can still be changed.
    let isThanks: Bool
    var size = TerminalSize(rows: 24, columns: 80)
    /// The manual scroll position; nil if it follows the focus.
    var scroll: Int? = 0
    /// The action to confirm; nil if there is none.
    var asks: SurveyForm.Action?
    /// The digits typed so far, by field.
    var typed: [Int: TypedNumber] = [:]

    init(_ form: SurveyForm, isThanks: Bool = false) {
        self.form = form
        self.isThanks = isThanks
    }

    subscript<Value>(dynamicMember path: KeyPath<SurveyForm, Value>) -> Value { form[keyPath: path] }

    subscript<Value>(dynamicMember path: WritableKeyPath<SurveyForm, Value>) -> Value {
        get { form[keyPath: path] }
        set { form[keyPath: path] = newValue }
    }
}
