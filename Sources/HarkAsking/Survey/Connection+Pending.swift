package import HarkClient
package import HarkWire

extension Connection {
    /// Fetches all pages of waiting surveys.
    ///
    /// - Returns: The surveys, and the reason why notifications cannot be shown, if it is known.
    package mutating func pending(
        _ request: SurveyPending
    ) throws(ClientError) -> (surveys: [JSONText], notifyProblem: String?) {
        var request = request
        request.limit = 1_000
        var surveys: [JSONText] = []
        while true {
            let page = try call(request).value
            surveys += page.surveys.json.elements
            request.after = page.next
            if page.next == nil { return (surveys, page.notifyProblem) }
        }
    }
}
