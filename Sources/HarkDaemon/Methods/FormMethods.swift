import HarkCore
import HarkStore
import HarkSystem
import HarkWire

/// `form.*`.
enum FormMethods {
    static let all: [Method] = [list, start, answer, draft, retry, progress, reset]

    static let userParameters: [Method.Parameter] = [
        .init(name: "userId", type: .orNull(.string), meaning: "whose; without it, the current session's user"),
        .init(name: "app", type: .string, meaning: "whose current session that is; `default` without it"),
    ]
    private static let formParameter = Method.Parameter(
        name: "formId", type: .string, isRequired: true, meaning: "which form")
    private static let progressMember = Shape.Member(
        name: "form", type: .form,
        meaning: "`formId`, `userId`, `title`, `progress`, `completed`, `completedAt`, `route` (the questions on the "
            + "way that the answers lead), `answers`, `draft` where there is one (`page` and `answers`, see `form.draft`), "
            + "and `submissions` where answers go to a server")

    static let list = Method(
        name: "form.list", summary: "Lists the forms there are, and how far a user is with each.",
        details: "A page also ends at about 1 MiB.",
        parameters: userParameters + DocumentPages.parameters("forms"),
        result: [
            .init(
                name: "forms", type: .formItems,
                meaning: "each with `formId`, `title`, `questions` (how many), `progress`, `completed`, `editable`"),
            DocumentPages.next,
            .init(
                name: "file", type: .orNull(.string), isOptional: true,
                meaning: "the file or URL they were read from; null without forms. Only administrators are told"),
            .init(
                name: "problems", type: .issues, isOptional: true,
                meaning: "what is wrong with it, with JSON paths. Only administrators are told"),
        ],
        examples: [
            .init(
                params: #"{"userId":"ada"}"#,
                result: """
                    {"forms":[{"formId":"start","title":"Before you begin","questions":2,\
                    "progress":{"answered":0,"total":2,"text":"0 of 2 Questions Answered","next":"goal"},\
                    "completed":false,"editable":true}],"next":null,"file":"/home/ada/.config/hark/forms.json","problems":[]}
                    """)
        ],
        handler: .write { call, reply throws(WireError) in
            let desk = call.daemon.forms
            try call.decideForms { participant, engine, _, _ throws(WireError) in
                (participant.user, engine.forms)
            }.tell(in: &reply) { found, json throws(WireError) in
                let (user, forms) = found
                try call.writePage("forms", of: forms.configuration.forms, id: \.id, to: &json) { form, json in
                    writeItem(form, forms.state(of: user, form.id), to: &json)
                }
                call.writeSource(desk.source.status.origin, problems: desk.problems, to: &json)
            }
        })

    private static func writeItem(_ form: Form, _ state: FormState?, to json: inout JSONWriter) {
        let progress = form.progress(in: state)
        json.beginObject()
        json.key("formId")
        json.string(form.id)
        json.key("title")
        json.string(form.title)
        json.key("questions")
        json.int(form.questionnaire.questions.count)
        json.key("progress")
        progress.write(to: &json, isSubmitted: !form.isEditable)
        json.key("completed")
        json.bool(progress.isCompleted)
        json.key("editable")
        json.bool(form.isEditable)
        json.endObject()
    }

    static let start = Method(
        name: "form.start", summary: "Begins with a form, or goes on with it where the user left off.",
        details: "Questions that come from a server and are not there yet are waited for.",
        parameters: [formParameter] + userParameters,
        result: [
            .init(
                name: "form", type: .form,
                meaning: "as in `form.progress`, with all that is needed to show it: `message`, `questions`, "
                    + "`editable` (whether answers can be changed later), `startLabel`, `completionMessage`, "
                    + "`completionLabel`")
        ],
        refusals: [.init(reason: .networkError, when: "the questions have never come from their server")],
        examples: [
            .init(
                params: #"{"formId":"start","userId":"ada"}"#,
                result: """
                    {"form":{"formId":"start","userId":"ada","title":"Before you begin",\
                    "progress":{"answered":0,"total":2,"text":"0 of 2 Questions Answered","next":"goal"},\
                    "completed":false,"completedAt":null,"completionMessage":"All set!","editable":true,\
                    "questions":[{"id":"goal","type":"single","question":"What is your goal?","required":true,\
                    "options":[{"value":"Sleep","label":"Sleep"},{"value":"Focus","label":"Focus"}]},{"id":"tried",\
                    "type":"multiple","question":"What have you tried?","required":true,\
                    "options":[{"value":"Music","label":"Music"},{"value":"Walks","label":"Walks"},\
                    {"value":"Tea","label":"Tea"}],"minSelections":1,"maxSelections":3}],"route":["goal","tried"],\
                    "answers":{}}}
                    """)
        ],
        handler: .deferred { call, json throws(WireError) in
            let id = try call.params.required("formId", .string)
            await call.daemon.forms.needQuestions(of: id)
            let started = try act(call, id) { participant, engine, changes, now throws(WireError) in
                _ = try engine.startForm(id, by: participant, now: now, into: &changes)
            }
            try await started.stored().value.write(withQuestions: true, to: &json)
        })

    static let answer = Method(
        name: "form.answer", summary: "Answers questions of a form: all that are given, or none.",
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
        parameters: [
            formParameter, .init(name: "questionId", type: .string, meaning: "which question"),
            .init(name: "answer", type: .any, meaning: "the answer to it"),
            .init(name: "answers", type: .map(.orNull(.answer)), meaning: "several at once, by question"),
            .init(
                name: "confirm", type: .bool,
                meaning: "true: the reply waits until something has become of what is sent, as long as a request may "
                    + "take"),
        ] + userParameters,
        result: [progressMember],
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
        handler: .lasting { call throws(WireError) in
            let id = try call.params.required("formId", .string)
            let confirms = try call.params.bool("confirm") ?? false
            let given = try givenAnswers(call)
            let answered = try act(call, id) { participant, engine, changes, now throws(WireError) in
                _ = try engine.answerForm(
                    id, given.answers, path: given.path, by: participant, now: now, into: &changes)
            }.map { standing in
                (standing, waits(for: confirms ? given.answers.map(\.id) : [], of: id, by: standing.user, call))
            }
            return { json throws(WireError) in
                let (standing, waits) = try await answered.stored().value
                // As it was then, unless more was asked for.
                guard confirms else { return standing.write(to: &json) }
                for wait in waits { await wait.value() }
                try await act(call, id, standing.user).stored().value.write(to: &json)
            }
        })

    static let draft = Method(
        name: "form.draft",
        summary: "Keeps what is begun of a form and not given as an answer yet, and where its user is.",
        details: """
            It is there again when the form is shown to the same user next, by whatever program, over restarts. It need \
            not keep the rules of the questions. It is no answer: it counts nowhere, nothing is recorded of it, and no \
            destination gets it. An answer to a question ends its draft; `form.reset` and a clear of the user end all.
            """,
        parameters: [
            formParameter,
            .init(name: "page", type: .string, meaning: "the question that is before the user's eyes"),
            .init(
                name: "answers", type: .map(.orNull(.answer)),
                meaning: "by question: a text, an option, an array of options or a number; null forgets one"),
        ] + userParameters,
        result: [progressMember],
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
        handler: .write { call, reply throws(WireError) in
            let id = try call.params.required("formId", .string)
            let page = try call.params.string("page")
            let given = (try call.params.object("answers") ?? JSONObject()).map { (id: $0.key, value: $0.value) }
            try act(call, id) { participant, engine, changes, now throws(WireError) in
                try engine.draftForm(id, page: page, given, by: participant, now: now, into: &changes)
            }.tell(in: &reply) { standing, json in standing.write(to: &json) }
        })

    static let retry = Method(
        name: "form.retry", summary: "Has answers sent again that their server has not taken.",
        details: """
            An answer that is `unconfirmed` may have reached the server: it is only sent again if it is named.
            """,
        parameters: [
            formParameter,
            .init(
                name: "questionId", type: .string,
                meaning: "the answer to this one; without it, all that failed or wait"),
            .init(name: "confirm", type: .bool, meaning: "as in `form.answer`"),
        ] + userParameters,
        result: [
            .init(name: "retried", type: .count, meaning: "how many answers are sent again"), progressMember,
        ],
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
        handler: .lasting { call throws(WireError) in
            let id = try call.params.required("formId", .string)
            let confirms = try call.params.bool("confirm") ?? false
            let question = try call.params.string("questionId")
            let decided = try call.decideForms { participant, engine, changes, now throws(WireError) in
                let retried = try engine.retrySubmissions(
                    id, question: question, by: participant, now: now, into: &changes)
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
                try await act(call, id, standing.user).stored().value.write(to: &json)
            }
        })

    /// Waits for something to become of the answers to these questions that are sent.
    @DaemonActor
    private static func waits(
        for questions: [String], of id: String, by user: SurveyUser, _ call: Call
    ) -> [SubmissionWait] {
        guard let server = call.daemon.ledger.settings.forms.form(id)?.submission else { return [] }
        return questions.map { question in
            call.daemon.forms.submissions.wait(
                for: SubmissionPlace(user: user, form: id, question: question), seconds: server.timeoutSeconds + 5)
        }
    }

    @DaemonActor
    private static func givenAnswers(
        _ call: Call
    ) throws(WireError) -> (answers: [(id: String, value: JSONValue)], path: (String) -> String) {
        let question = try call.params.string("questionId")
        let answer = call.params["answer"]
        let answers = try call.params.object("answers")
        switch (question, answers) {
        case (let question?, nil): return ([(question, answer ?? .null)], { _ in "answer" })
        case (nil, let answers?) where answer?.isNull ?? true:
            return (answers.map { ($0.key, $0.value) }, { "answers.\($0)" })
        default:
            throw WireError(
                .invalidParams, "give either 'questionId' with 'answer', or 'answers'", path: Params.path("answers"))
        }
    }

    static let progress = Method(
        name: "form.progress", summary: "Tells how far a user is with a form, and what was answered.",
        parameters: [formParameter] + userParameters, result: [progressMember],
        examples: [
            .init(
                before: [
                    #"{"id":0,"method":"form.answer","params":{"formId":"start","answers":{"goal":"Sleep","tried":["Tea","Music"]},"userId":"ada"}}"#
                ], params: #"{"formId":"start","userId":"ada"}"#,
                result: """
                    {"form":{"formId":"start","userId":"ada","title":"Before you begin",\
                    "progress":{"answered":2,"total":2,"text":"2 of 2 Questions Answered","next":null},\
                    "completed":true,"completedAt":"2026-11-21T14:08:21.719Z","route":["goal","tried"],\
                    "answers":{"goal":"Sleep","tried":["Music","Tea"]}}}
                    """)
        ],
        handler: .write { call, reply throws(WireError) in
            let id = try call.params.required("formId", .string)
            try act(call, id).tell(in: &reply) { standing, json in standing.write(to: &json) }
        })

    static let reset = Method(
        name: "form.reset", summary: "Forgets what a user has answered to a form.",
        details: "What a server has taken, it keeps; the form begins anew.",
        parameters: [formParameter] + userParameters,
        result: [.init(name: "removed", type: .count, meaning: "how many answers there were")],
        examples: [
            .init(
                before: [
                    #"{"id":0,"method":"form.answer","params":{"formId":"start","answers":{"goal":"Sleep"},"userId":"ada"}}"#
                ], params: #"{"formId":"start","userId":"ada"}"#, result: #"{"removed":1}"#)
        ],
        handler: .write { call, reply throws(WireError) in
            let id = try call.params.required("formId", .string)
            try call.decideForms { participant, engine, changes, now throws(WireError) in
                try engine.resetForm(id, by: participant, now: now, into: &changes)
            }.tell(in: &reply, as: "removed")
        })

    /// How a user stands with a form.
    private struct Standing: Sendable {
        let form: Form
        let state: FormState?
        let user: SurveyUser

        init(of id: String, _ user: SurveyUser, in engine: Engine) throws(WireError) {
            form = try engine.form(id)
            state = engine.forms.state(of: user, id)
            self.user = user
        }

        func write(withQuestions: Bool = false, to json: inout JSONWriter) {
            json.key("form")
            form.write(to: &json, state, of: user, withQuestions: withQuestions)
        }
    }

    /// Does something with a form, and tells how it stands then.
    ///
    /// - Parameter user: whose; else as the parameters say.
    @DaemonActor
    private static func act(
        _ call: Call, _ id: String, _ user: SurveyUser? = nil,
        _ command: Call.FormCommand<Void> = { _, _, _, _ throws(WireError) in }
    ) throws(WireError) -> Decided<Standing> {
        try call.decideForms(of: user) { participant, engine, changes, now throws(WireError) in
            try command(participant, &engine, &changes, now)
            return try Standing(of: id, participant.user, in: engine)
        }
    }
}

extension Call {
    typealias FormCommand<Value> =
        (FormParticipant, inout Engine, inout Changes, Timestamp) throws(WireError) -> Value

    /// Lets the engine decide about somebody's forms and profile, which are brought in first.
    ///
    /// - Parameter user: whose; else the parameters `userId` and `app` say, and where they do not, the current session.
    @discardableResult
    func decideForms<Value: Sendable>(
        of user: SurveyUser? = nil, _ command: FormCommand<Value>
    ) throws(WireError) -> Decided<Value> {
        let scope = try scope()
        let filter = try params.userFilter()
        let source = source
        return try daemon.ledger.currentSession(of: scope).flatMap { current throws(WireError) in
            var userId = current?.identity.userId
            if case .user(let named) = filter { userId = named }
            let participant = FormParticipant(
                user: user ?? SurveyUser(uid: scope.uid, userId: userId), scope: scope, source: source)
            do throws(WireError) {
                return try decideBringing(
                    { reader, engine throws(StoreError) in
                        try reader.bringForms(of: participant.user, in: scope, to: &engine)
                    },
                    then: { engine, changes, now throws(WireError) in
                        try command(participant, &engine, &changes, now)
                    })
            } catch {
                throw daemon.forms.explain(error, form: params.object["formId"]?.stringValue)
            }
        }
    }
}
