package import HarkClient
import HarkWire

/// All pages of `survey.pending`.
package struct PendingSurveys {
    package var app: String?
    package var user: String?
    package var survey: String?

    package init(app: String? = nil, user: String? = nil, survey: String? = nil) {
        self.app = app
        self.user = user
        self.survey = survey
    }

    /// - Returns: The surveys, and why notifications cannot be shown, if that is known.
    package func all(
        _ call: (_ params: [UInt8]) throws(ClientError) -> JSONText
    ) throws(ClientError) -> (surveys: [JSONText], notifyProblem: String?) {
        var surveys: [JSONText] = []
        var cursor: String?
        while true {
            let params = JSONWriter.object { params in
                params.member(.onlyApp, app)
                params.member(.onlyUser, user)
                params.member(.onlySurvey, survey)
                params.member(.after, cursor)
                params.member(.pendingLimit, 1_000)
            }
            let page = PresentationPage(try call(params))
            surveys += page.surveys.json.elements
            cursor = page.next
            if cursor == nil { return (surveys, page.notifyProblem) }
        }
    }
}
