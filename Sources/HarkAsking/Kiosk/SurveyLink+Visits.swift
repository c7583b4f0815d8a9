package import HarkClient
import HarkWire

/// What the daemon is still to be told between two visitors of a kiosk.
package struct VisitNews: Sendable {
    /// What the last one has left without an answer.
    package var abandoned: ShownSurvey?
    /// Another one may be there from now on.
    package var beginsSession = false
    /// The survey that was answered, and how many presses after that did not count.
    package var ignored: (survey: String, presses: Int)?

    package init() {}
}

/// What a kiosk does between two visitors.
extension SurveyLink {
    /// - Parameter news: what has been told is taken out, so that after an error it goes on from there.
    package func tell(_ news: inout VisitNews) throws(ClientError) {
        if let left = news.abandoned {
            do throws(ClientError) {
                try dismiss(left, for: .abandoned)
            } catch {
                // It may have ended meanwhile, which is as good.
                guard case .refused = error.code else { throw error }
            }
            news.abandoned = nil
        }
        if news.beginsSession {
            try call(.sessionStart) { $0.member(.app, app) }
            news.beginsSession = false
        }
        if let (survey, presses) = news.ignored {
            try call(.eventRecord) { params in
                params.member(.newEvent, "survey_ignored")
                params.member(.app, app)
                let told: [(String, JSONValue)] = [("id", .string(survey)), ("presses", .int(Int64(presses)))]
                params.member(.properties, value: .object(JSONObject(told)))
            }
            news.ignored = nil
        }
    }

    /// Takes the next survey for whoever is there; nil if none is ready, or something of another program's is shown.
    package func takeNext() throws(ClientError) -> ShownSurvey? {
        do throws(ClientError) {
            return try present(nil)
        } catch {
            guard error.reason == "notFound" || error.reason == "conflict" else { throw error }
            return nil
        }
    }
}
