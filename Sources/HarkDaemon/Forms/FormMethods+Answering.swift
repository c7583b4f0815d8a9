import HarkCore
import HarkLedger
import HarkServer
import HarkSystem
import HarkWire

/// Answers, drafts and retries.
extension FormMethods {
    static let answer = Method(
        FormAnswerRequest.self, summary: "Answers questions of a form: all that are given, or none.",
        details: """
            An answer is a text, an option (for `single`), an array of options (for `multiple`) or a number; texts are \
            trimmed. The error says which rule it breaks, and nothing is stored then. Where answers stay here, a later \
            one replaces an earlier one, and null takes one back that is not required.

            Where answers go to a server, each is sent on its own and counts once the server has taken it (a 2xx); then it \
            is final. `submissions` tells how it stands: `queued` (until `nextAttemptAt`, or the network is back), \
            `sending`, `submitted`, `failed` (the server refused it, as with HTTP 400: answer anew, or `form.retry`), or \
            `unconfirmed`: it went out and nobody knows whether it arrived, as after a timeout or a crash. Such an answer \
            is never sent again by itself. Each attempt bears the same `Idempotency-Key`.
            """,
        refusals: [.init(reason: .conflict, when: "a server has taken the answer already, or is just being sent it")],
        examples: [
            .init(
                params: #"{"formId":"start","questionId":"goal","answer":"Sleep","userId":"ada"}"#,
                result: """
                    {"form":{"formId":"start","userId":"ada","title":"Before you begin",\
                    "progress":{"answered":1,"total":2,"text":"1 of 2 Questions Answered","next":"tried"},\
                    "completed":false,"completedAt":null,"route":["goal","tried"],"answers":{"goal":"Sleep"}}}
                    """)
        ],
        handler: .lasting { call, request throws(WireError) in
            let id = request.formId
            let confirms = request.confirm ?? false
            let given = try givenAnswers(request)
            let answered = try act(call, request) { participant, engine, changes, now throws(WireError) in
                _ = try engine.answerForm(
                    id, given.answers, path: given.path, by: participant, now: now, into: &changes)
            }.map { standing in
                (standing, waits(for: confirms ? given.answers.map(\.id) : [], of: id, by: standing.user, call))
            }
            return { json throws(WireError) in
                let (standing, waits) = try await answered.stored().value
                // The state of that moment, unless a confirmation was requested.
                guard confirms else { return standing.write(to: &json) }
                for wait in waits { await wait.value() }
                try await act(call, request, standing.user).stored().value.write(to: &json)
            }
        })

    static let draft = Method(
        FormDraftRequest.self,
        summary: "Keeps what is begun of a form and not given as an answer yet, and where its user is.",
        details: """
            It is there again when the form is shown to the same user next, by whatever program, over restarts. It need \
            not keep the rules of the questions. It is no answer: it counts nowhere, nothing is recorded of it, and no \
            destination gets it. An answer to a question ends its draft; `form.reset` and a clear of the user end all.
            """,
        examples: [
            .init(
                params: #"{"formId":"start","page":"goal","answers":{"goal":"Sleep"},"userId":"ada"}"#,
                result: """
                    {"form":{"formId":"start","userId":"ada","title":"Before you begin",\
                    "progress":{"answered":0,"total":2,"text":"0 of 2 Questions Answered","next":"goal"},\
                    "completed":false,"completedAt":null,"route":["goal","tried"],"answers":{},\
                    "draft":{"page":"goal","answers":{"goal":"Sleep"}}}}
                    """)
        ],
        handler: .write { call, request, reply throws(WireError) in
            let given = (request.answers?.object ?? JSONObject()).map { (id: $0.key, value: $0.value) }
            try act(call, request) { participant, engine, changes, now throws(WireError) in
                try engine.draftForm(
                    request.formId, page: request.page, given, by: participant, now: now, into: &changes)
            }.tell(in: &reply) { standing, json in standing.write(to: &json) }
        })

    static let retry = Method(
        FormRetry.self, summary: "Has answers sent again that their server has not taken.",
        details: """
            An answer that is `unconfirmed` may have reached the server: it is only sent again if it is named.
            """,
        refusals: [
            .init(reason: .conflict, when: "the server has taken the answer, or is just being sent it"),
            .init(
                reason: .notFound, when: "there is no answer of that question to send",
                params: #"{"formId":"start","questionId":"goal"}"#),
        ],
        examples: [
            .init(
                params: #"{"formId":"start","userId":"ada"}"#,
                result: """
                    {"retried":0,"form":{"formId":"start","userId":"ada","title":"Before you begin",\
                    "progress":{"answered":0,"total":2,"text":"0 of 2 Questions Answered","next":"goal"},\
                    "completed":false,"completedAt":null,"route":["goal","tried"],"answers":{}}}
                    """)
        ],
        handler: .lasting { call, request throws(WireError) in
            let id = request.formId
            let confirms = request.confirm ?? false
            let decided = try call.decideForms(of: request.owner, form: id) {
                participant, engine, changes, now throws(WireError) in
                let retried = try engine.retrySubmissions(
                    id, question: request.questionId, by: participant, now: now, into: &changes)
                return (retried, try Standing(of: id, participant.user, in: engine))
            }.map { retried, standing in
                (retried, standing, waits(for: confirms ? retried : [], of: id, by: standing.user, call))
            }
            return { json throws(WireError) in
                let (retried, standing, waits) = try await decided.stored().value
                for wait in waits { await wait.value() }
                json.key("retried")
                json.int(retried.count)
                guard confirms else { return standing.write(to: &json) }
                try await act(call, request, standing.user).stored().value.write(to: &json)
            }
        })

    /// Waits for the outcome of the answers to these questions that are sent.
    @DaemonActor
    private static func waits(
        for questions: [String], of id: String, by user: UserKey, _ call: Call
    ) -> [ClientWait] {
        guard let server = call.ledger.settings.forms.form(id)?.submission else { return [] }
        return questions.map { question in
            call.desk(FormDesk.self).submissions.wait(
                for: SubmissionPlace(user: user, form: id, question: question), seconds: server.timeoutSeconds + 5,
                on: call.connection)
        }
    }

    private static func givenAnswers(
        _ request: FormAnswerRequest
    ) throws(WireError) -> (answers: [(id: String, value: JSONValue)], path: (String) -> String) {
        let answer = request.answer?.value
        switch (request.questionId, request.answers?.object) {
        case (let question?, nil): return ([(question, answer ?? .null)], { _ in "answer" })
        case (nil, let answers?) where answer?.isNull ?? true:
            return (answers.map { ($0.key, $0.value) }, { "answers.\($0)" })
        default:
            throw WireError(
                .invalidParams, "give either 'questionId' with 'answer', or 'answers'", path: Params.path("answers"))
        }
    }
}
