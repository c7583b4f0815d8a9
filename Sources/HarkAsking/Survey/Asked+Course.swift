import HarkClient

/// How it goes on, whoever shows it.
extension Asked {
    /// Does what came of a key or a button, and what follows from it; how it ended, if it did.
    ///
    /// - Parameter isLost: becomes true when the daemon went away.
    package func carryOut(
        _ action: SurveyForm.Action, _ form: inout SurveyForm, isLost: inout Bool
    ) -> AskEnding? {
        var next: SurveyForm.Action? = action
        while let due = next {
            next = nil
            switch perform(due, &form) {
            case .ended(let ending): return ending
            case .kept(let route): next = form.advance(along: route)
            case .refused(let why):
                form.refuse(why)
                if isAway { isLost = true }
            case .told: break
            }
        }
        return nil
    }

    /// Hears the daemon, or looks for it after it went away; how it ended, if it did.
    ///
    /// - Parameter isLost: whether the daemon was lost and is not back yet.
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
