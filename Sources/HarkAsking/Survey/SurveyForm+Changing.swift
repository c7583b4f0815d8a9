import HarkWire

/// Changing an answered survey.
extension SurveyForm {
    /// The answered form, from its first question.
    package var reopened: SurveyForm {
        var form = self
        (form.isChange, form.mayBeMuted) = (true, false)
        form.forgetProblem()
        form.notice = nil
        if hasPages, let first = fields.firstIndex(where: { $0.id == route.first }) { form.show(page: first) }
        form.focus = form.firstFocus
        return form
    }

    /// Returns the params of `survey.change`. All answers on the route are included, so that withdrawn ones are
    /// removed.
    ///
    /// - Parameter isTried: Whether this is only a check that changes nothing.
    package func changeParams(presentationId: String, isTried: Bool = false) -> [UInt8] {
        JSONWriter.object { params in
            params.member(.presentation, presentationId)
            params.member(.changedAnswers, value: FormField.answers(named))
            if isTried { params.member(.isChangeTried, true) }
        }
    }
}
