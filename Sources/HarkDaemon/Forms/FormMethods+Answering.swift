import HarkCore
import HarkLedger
import HarkServer
import HarkSystem
import HarkWire

/// Answers, drafts and retries.
extension FormMethods {
    static let answer = Method(
        FormAnswerRequest.self, summary: "Answers questions of a form. Either all given answers are stored, or none.",
        details: """
            An answer is a text, an option (for `single`), an array of options (for `multiple`) or a number; texts are trimmed. \
            If an answer breaks a rule, the error names the rule and nothing is stored. If answers stay here, a later answer \
            replaces an earlier one, and null removes one that is not required.

            If answers go to a server, each is sent on its own and counts once the server has accepted it (a 2xx); then it is \
            final. `submissions` has the state of each: `queued` (until `nextAttemptAt`, or until the network is back), \
            `sending`, `submitted`, `failed` (the server refused it, for example with HTTP 400: answer again, or use \
            `form.retry`), or `unconfirmed` (it was sent, and it is not known whether it arrived, for example after a timeout or \
            a crash). The daemon never sends an unconfirmed answer again by itself. Each attempt has the same `Idempotency-Key`.
            """,
        refusals: [.init(reason: .conflict, when: "a server has accepted the answer already, or is just receiving it")],
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
        summary: "Keeps unfinished answers to a form, and the question that its user has reached.",
        details: """
            A draft appears again when any program shows the form to the same user next, also after restarts. It need not follow \
            the rules of the questions. A draft is no answer: it counts nowhere, is not recorded, and no destination gets it. An \
            answer to a question removes its draft; `form.reset` and a clear of the user remove all drafts.
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
        FormRetry.self, summary: "Sends answers again that their server has not accepted.",
        details: """
            An `unconfirmed` answer may have reached the server, so it is only sent again if `questionId` names it.
            """,
        refusals: [
            .init(reason: .conflict, when: "the server has accepted the answer, or is just receiving it"),
            .init(
                reason: .notFound, when: "there is no answer to that question to send",
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
