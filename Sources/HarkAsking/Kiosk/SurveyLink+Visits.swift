package import HarkClient
import HarkWire

/// News for the daemon between two visitors of a kiosk.
package struct VisitNews: Sendable {
    /// The survey that the last visitor left unanswered.
    package var abandoned: ShownSurvey?
    /// Whether a session for a new visitor begins.
    package var beginsSession = false
    /// The survey that was answered, and the number of ignored presses after that.
    package var ignored: (survey: String, presses: Int)?

    package init() {}
}

/// The calls of a kiosk between two visitors.
extension SurveyLink {
    /// - Parameter news: Each item is removed when it has been sent, so that a retry after an error continues there.
    package func tell(_ news: inout VisitNews) throws(ClientError) {
        if let left = news.abandoned {
            do throws(ClientError) {
                try dismiss(left, for: .abandoned)
            } catch {
                // It may have ended meanwhile, which has the same result.
                guard case .refused = error.code else { throw error }
            }
            news.abandoned = nil
        }
        if news.beginsSession {
            var request = SessionStart()
            request.app = app
            try call(request)
            news.beginsSession = false
        }
        if let (survey, presses) = news.ignored {
            let told: JSONObject = ["id": .string(survey), "presses": .int(Int64(presses))]
            try call(EventRecord("survey_ignored", AnyJSON(told), app: app))
            news.ignored = nil
        }
    }

    /// Records that the screen is free: the event that triggers the kiosk's survey.
    package func tellRest(for survey: String) throws(ClientError) {
        try call(EventRecord("kiosk_rest", AnyJSON(["id": .string(survey)] as JSONObject), app: app))
    }

    /// Presents the next survey for the current visitor; nil if none is ready, or another program shows one.
    package func takeNext() throws(ClientError) -> ShownSurvey? {
        do throws(ClientError) {
            return try present(nil)
        } catch {
            guard error.reason == .notFound || error.reason == .conflict else { throw error }
            return nil
        }
    }
}
