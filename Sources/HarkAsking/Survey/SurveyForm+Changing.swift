package import HarkWire

/// Changing an answered survey.
extension SurveyForm {
    /// The page of thanks, from which the answers can be reopened.
    package var thanked: SurveyForm {
        var form = self
        (form.isThanks, form.isChange) = (true, false)
        form.becomeQuiet()
        form.focus = .forward
        return form
    }

    /// The answered form, from its first question.
    package var reopened: SurveyForm {
        var form = self
        (form.isThanks, form.isChange) = (false, true)
        form.becomeQuiet()
        if hasPages, let first = fields.firstIndex(where: { $0.id == route.first }) { form.show(page: first) }
        form.focus = form.firstFocus
        return form
    }

    private mutating func becomeQuiet() {
        forgetProblem()
        notice = nil
        (asksToDismiss, asksToMute, mayBeMuted) = (false, false, false)
        scroll = 0
    }

    /// Returns the request that changes the answers. All answers on the route are included, so that withdrawn ones are
    /// removed.
    ///
    /// - Parameter isTried: Whether this is only a check that changes nothing.
    package func change(of presentationId: String, isTried: Bool = false) -> SurveyChange {
        var request = SurveyChange(presentationId)
        request.answers = AnyJSON(FormField.answers(named))
        if isTried { request.isTried = true }
        return request
    }
}
