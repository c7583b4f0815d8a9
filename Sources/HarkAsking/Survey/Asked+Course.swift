import HarkClient

/// Steps shared by every way to show a survey or form.
extension Asked {
    /// Carries out an action and what follows from it. Returns the ending, if it ended.
    ///
    /// - Parameter isLost: Set to true when the daemon went away.
    package func carryOut(
        _ action: SurveyForm.Action, _ form: inout SurveyForm, isLost: inout Bool
    ) -> AskEnding? {
        var next: SurveyForm.Action? = action
        while let due = next {
            next = nil
            switch perform(due, &form) {
            case .ended(let ending): return ending
            case .kept(let route, let questions): next = form.advance(along: route, questions)
            case .refused(let why):
                form.refuse(why)
                if isAway { isLost = true }
            case .told: break
            }
        }
        return nil
    }

    /// Handles notifications, or reconnects after the daemon went away. Returns the ending, if it ended.
    ///
    /// - Parameter isLost: Whether the daemon was lost and is not back yet.
    package func attend(_ form: inout SurveyForm, isLost: inout Bool) -> AskEnding? {
        do throws(ClientError) {
            if isLost {
                if let ending = try resume(&form) { return ending }
                isLost = false
                form.notice = nil
                form.forgetProblem()
            } else if let ending = try listen(&form) {
                return ending
            }
        } catch {
            isLost = true
            form.notice = Words.say("The daemon is away; what you write stays here.")
        }
        return nil
    }
}
