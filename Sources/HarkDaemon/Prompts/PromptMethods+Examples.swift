/// Shared parts of the examples of `prompt.*`.
extension PromptMethods {
    private static let id = "0199e0f4-8c7a-7000-8000-000000000001"

    static let byId = #"{"promptId":"\#(id)"}"#

    /// The request before an example: asks the prompt of the examples, which waits for an answer.
    static let asked = """
        {"id":0,"method":"prompt.ask","params":{"question":"Deploy now?","options":["Yes","No"],"promptId":"\(id)"}}
        """

    static let answered = """
        {"id":0,"method":"survey.answer","params":{"presentationId":"0199e0f4-8c7a-7000-8000-000000000000","option":"Yes"}}
        """

    /// - Parameters:
    ///   - state: The state as a member value.
    ///   - more: Members between the times and the content.
    static func example(
        _ state: String, presentation: String, keep: Bool = false, closed: String = "", _ more: String = ""
    ) -> String {
        """
        {"promptId":"\(id)","name":"prompt","state":"\(state)","askedBy":0,"keep":\(keep),\
        "askedAt":"2026-11-21T13:08:21.719Z","expiresAt":"2026-11-28T13:08:21.719Z",\(closed)\(more)\
        "title":"Deploy now?","message":"","responseType":"options",\
        "response":{"type":"options","options":["Yes","No"]},"questions":[{"id":"option","type":"single",\
        "question":"","required":true,"options":[{"value":"Yes","label":"Yes"},{"value":"No","label":"No"}]}],\
        "presentations":[{"presentationId":"01a1fe38-dc57-7410-8561-e7be8d8178e9","uid":0,"state":"\(presentation)"}]}
        """
    }

    static let closedAt = #""closedAt":"2026-11-21T13:08:24.719Z","#
}
