import HarkClient
import HarkWire

/// Everything that `survey.pending` lists, page after page.
struct PendingSurveys {
    var app: String?
    var user: String?
    var survey: String?

    /// - Returns: the surveys, and why nobody can be told of them, if something is known.
    func all(
        _ call: (_ params: [UInt8]) throws(ClientError) -> JSONText
    ) throws(ClientError) -> (surveys: [JSONText], notifyProblem: String?) {
        var surveys: [JSONText] = []
        var cursor: String?
        while true {
            var params = JSONWriter()
            params.beginObject()
            if let app { params.member("app", app) }
            if let user { params.member("userId", user) }
            if let survey { params.member("surveyId", survey) }
            if let cursor { params.member("after", cursor) }
            params.member("limit", 1000)
            params.endObject()
            let result = try call(params.bytes)
            surveys += result.member("surveys")?.elements ?? []
            cursor = result.member("next")?.string
            if cursor == nil { return (surveys, result.member("notifyProblem")?.string) }
        }
    }
}
