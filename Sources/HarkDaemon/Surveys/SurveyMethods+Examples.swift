/// Shared parts of the examples of survey methods.
extension SurveyMethods {
    /// The requests before an example: prepare the example survey for a user, and do more with it.
    static func asked(_ user: String, _ more: String...) -> [String] {
        [
            #"{"id":0,"method":"session.start","params":{"userId":"\#(user)"}}"#,
            #"{"id":0,"method":"event.record","params":{"name":"checkout_success"}}"#,
        ] + more
    }

    static let shown = #"{"id":0,"method":"survey.present"}"#
    static let byId = #"{"presentationId":"0199e0f4-8c7a-7000-8000-000000000000"}"#

    /// A presentation as in replies, with optional members.
    static func example(
        _ state: String, of user: String, due: String = "2026-11-21T13:08:21.719Z", _ more: String...
    ) -> String {
        let members =
            [
                #""presentationId":"01a1fe38-dc57-7410-8561-e7be8d8178e9","surveyId":"rating","state":"\#(state)""#,
                #""userId":"\#(user)","uid":0,"app":"default""#,
                #""sessionId":"01a1fe38-dc54-7073-a0d9-615722834476","triggerAt":"\#(due)""#,
            ] + more + [exampleContent]
        return "{\(members.joined(separator: ","))}"
    }

    static let answered = example(
        "answered", of: "ada", presentedAt, closedAt, #""answers":{"option":"Great"}"#, changeableUntil)
    static let changeableUntil = #""changeableUntil":"2026-11-21T13:18:21.743Z""#
    static let presentedAt = #""presentedAt":"2026-11-21T13:08:21.740Z""#
    static let closedAt = #""closedAt":"2026-11-21T13:08:21.743Z""#

    /// The content of the example survey, as members of an object.
    static let exampleContent = """
        "title":"Quick question","message":"How was it?","responseType":"options",\
        "response":{"type":"options","options":["Great","Okay","Poor"]},"questions":[{"id":"option",\
        "type":"single","question":"","required":true,"options":[{"value":"Great","label":"Great","emoji":"😊"},\
        {"value":"Okay","label":"Okay","emoji":"😐"},{"value":"Poor","label":"Poor","emoji":"😞"}]}]
        """
}
