package import HarkWire

/// Changing an answered survey.
extension SurveyForm {
    /// The answered form, from its first question.
    package var reopened: SurveyForm {
        var form = self
        (form.isChange, form.mayBeMuted) = (true, false)
        (form.notice, form.problem) = (nil, nil)
        if questionnaire.hasPages { form.questionnaire.show(questionnaire.route.first) }
        form.focus = form.firstFocus
        return form
    }

    /// Returns the request that changes the answers. All answers on the route are included, so that withdrawn ones are
    /// removed.
    ///
    /// - Parameter isTried: Whether this is only a check that changes nothing.
    package func change(of presentationId: String, isTried: Bool = false) -> SurveyChange {
        var request = SurveyChange(presentationId)
        request.answers = AnyJSON(FormField.answers(questionnaire.named))
        if isTried { request.isTried = true }
        return request
    }
}
