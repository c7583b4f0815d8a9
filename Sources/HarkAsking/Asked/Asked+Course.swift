package import HarkClient

/// Steps shared by every way to show a survey or form.
extension Asked {
    /// Carries out an action and the actions that follow from it. Returns the ending, if it ended.
    ///
    /// - Parameter course: Notes when the daemon went away.
    package func carryOut(
        _ action: SurveyForm.Action, _ form: inout SurveyForm, _ course: inout Reconnection
    ) -> AskEnding? {
        var next: SurveyForm.Action? = action
        while let due = next {
            next = nil
            switch perform(due, &form) {
            case .ended(let ending): return ending
            case .kept(let route, let questions): next = form.advance(along: route, questions)
            case .refused(let why):
                form.problem = why
                if isAway { course.failed(at: MonotonicClock.now) }
            case .told: break
            }
        }
        return nil
    }

    /// Handles notifications, or reconnects after the daemon went away. Returns the ending, if it ended.
    ///
    package func attend(_ form: inout SurveyForm, _ course: inout Reconnection) -> AskEnding? {
        do throws(ClientError) {
            if course.isAway {
                if let ending = try resume(&form) { return ending }
                course.succeeded()
                form.notice = nil
                form.problem = nil
            } else if let ending = try listen(&form) {
                return ending
            }
        } catch {
            course.failed(at: MonotonicClock.now)
            form.notice = Words.say("The daemon is away; your text stays here.")
        }
        return nil
    }
}
