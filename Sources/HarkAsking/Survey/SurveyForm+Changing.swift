import HarkWire

/// What was answered, once more.
extension SurveyForm {
    /// Thanks, with the way back to what was answered.
    package var thanked: SurveyForm {
        var form = self
        (form.isThanks, form.isChange) = (true, false)
        form.becomeQuiet()
        form.focus = .forward
        return form
    }

    /// From the first question on, with what was answered.
    package var reopened: SurveyForm {
        var form = self
        (form.isThanks, form.isChange) = (false, true)
        form.becomeQuiet()
        if hasPages, let first = fields.firstIndex(where: { $0.id == route.first }) { form.show(page: first) }
        form.focus = .field(0)
        return form
    }

    private mutating func becomeQuiet() {
        forgetProblem()
        notice = nil
        (asksToDismiss, asksToMute, mayBeMuted) = (false, false, false)
        scroll = 0
    }

    /// The params of `survey.change`. All answers on the way are named, as what was taken back is to go.
    ///
    /// - Parameter isTried: nothing is to be changed yet.
    package func changeParams(presentationId: String, isTried: Bool = false) -> [UInt8] {
        JSONWriter.object { params in
            params.member(.presentation, presentationId)
            let named = hasPages ? fields.filter { route.contains($0.id) } : fields
            params.member(.changedAnswers, value: FormField.answers(named))
            if isTried { params.member(.isChangeTried, true) }
        }
    }
}
