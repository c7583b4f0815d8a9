import HarkCore
import HarkLedger
import HarkServer
import HarkSettings
import HarkStore
import HarkSystem
import HarkWire

/// `form.*`.
enum FormMethods {
    static let all: [Method] = [list, start, answer, draft, retry, progress, reset]

    static let list = Method(
        FormList.self, summary: "Lists the forms, and how far a user is with each.",
        details: "A page also ends at about 1 MiB.",
        examples: [
            .init(
                params: #"{"userId":"ada"}"#,
                result: """
                    {"forms":[{"formId":"start","title":"Before you begin","questions":2,\
                    "progress":{"answered":0,"total":2,"text":"0 of 2 Questions Answered","next":"goal"},\
                    "completed":false,"editable":true}],"next":null,"file":"/home/ada/.config/hark/forms.json","problems":[]}
                    """)
        ],
        handler: .write { call, request, reply throws(WireError) in
            let desk = call.desk(FormDesk.self)
            try call.decideForms(of: request.owner) { participant, engine, _, _ throws(WireError) in
                (participant.user, engine.forms)
            }.tell(in: &reply) { found, json throws(WireError) in
                let (user, forms) = found
                try call.writePage(
                    "forms", of: forms.configuration.forms, after: request.after, limit: request.limit, id: \.id,
                    to: &json
                ) { form, json in
                    writeItem(form, forms.state(of: user, form.id), to: &json)
                }
                call.writeSource(desk.source.status.origin, problems: desk.problems, to: &json)
            }
        })

    private static func writeItem(_ form: Form, _ state: FormState?, to json: inout JSONWriter) {
        let progress = form.progress(in: state)
        var item = FormItemInfo()
        item.formId = form.id
        item.title = form.title
        item.questions = Int64(form.questionnaire.written.count)
        item.progress = progress.info(isSubmitted: !form.isEditable)
        item.completed = progress.isCompleted
        item.editable = form.isEditable
        item.write(to: &json)
    }

    static let start = Method(
        FormStart.self, summary: "Starts a form, or continues it where the user left off.",
        details: "If questions come from a server and are not here yet, the reply waits for them.",
        refusals: [.init(reason: .networkError, when: "the server has never delivered the questions")],
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
        handler: .deferred { call, request, json throws(WireError) in
            let id = request.formId
            await call.desk(FormDesk.self).needQuestions(of: id)
            let started = try act(call, request) { participant, engine, changes, now throws(WireError) in
                _ = try engine.startForm(id, by: participant, now: now, into: &changes)
            }
            try await started.stored().value.write(with: call.desk(SettingsDesk.self).options.paths, to: &json)
        })

    static let progress = Method(
        FormProgressRequest.self, summary: "Returns how far a user is with a form, and the answers.",
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
        handler: .write { call, request, reply throws(WireError) in
            try act(call, request).tell(in: &reply) { standing, json in standing.write(to: &json) }
        })

    static let reset = Method(
        FormReset.self, summary: "Forgets a user's answers to a form.",
        details: "A server keeps the answers that it has accepted. The form starts again.",
        examples: [
            .init(
                before: [
                    #"{"id":0,"method":"form.answer","params":{"formId":"start","answers":{"goal":"Sleep"},"userId":"ada"}}"#
                ], params: #"{"formId":"start","userId":"ada"}"#, result: #"{"removed":1}"#)
        ],
        handler: .write { call, request, reply throws(WireError) in
            try call.decideForms(of: request.owner, form: request.formId) {
                participant, engine, changes, now throws(WireError) in
                try engine.resetForm(request.formId, by: participant, now: now, into: &changes)
            }.tell(in: &reply, as: "removed")
        })

    /// A user's state with a form.
    struct Standing: Sendable {
        let form: Form
        let state: FormState?
        let user: UserKey

        init(of id: String, _ user: UserKey, in engine: Engine) throws(WireError) {
            form = try engine.form(id)
            state = engine.forms.state(of: user, id)
            self.user = user
        }

        /// - Parameter paths: those of the daemon, to write the questions too.
        func write(with paths: Paths? = nil, to json: inout JSONWriter) {
            var form = form
            if let paths { form.questionnaire = form.questionnaire.withImages { paths.inConfiguration($0) } }
            json.member("form", form.info(state, of: user, withQuestions: paths != nil))
        }
    }

    /// Acts on a form and returns its state afterwards.
    ///
    /// - Parameter user: The user; nil: the one of the request.
    @DaemonActor
    static func act(
        _ call: Call, _ request: some FormMethod, _ user: UserKey? = nil,
        _ command: Call.FormCommand<Void> = { _, _, _, _ throws(WireError) in }
    ) throws(WireError) -> Decided<Standing> {
        try call.decideForms(of: request.owner, form: request.formId, user) {
            participant, engine, changes, now throws(WireError) in
            try command(participant, &engine, &changes, now)
            return try Standing(of: request.formId, participant.user, in: engine)
        }
    }
}

extension Call {
    typealias FormCommand<Value> =
        (FormParticipant, inout Engine, inout Changes, Timestamp) throws(WireError) -> Value

    /// Has the engine decide about a user's forms and profile, after loading them.
    ///
    /// - Parameters:
    ///   - form: The form that is meant, for errors.
    ///   - user: The user; nil: the owner, or else the user of the current session.
    @discardableResult
    func decideForms<Value: Sendable>(
        of owner: FormOwner, form: String? = nil, _ user: UserKey? = nil, _ command: FormCommand<Value>
    ) throws(WireError) -> Decided<Value> {
        let scope = scope(of: owner.app)
        let source = source
        return try ledger.currentSession(of: scope).flatMap { current throws(WireError) in
            let userId = owner.user.name(else: current?.identity.userId)
            let participant = FormParticipant(
                user: user ?? UserKey(uid: scope.uid, userId: userId), scope: scope, source: source)
            do throws(WireError) {
                let need: Need = .all([.countedScope(scope), .forms(of: participant.user)])
                return try decide(needing: need) { engine, changes, now throws(WireError) in
                    try command(participant, &engine, &changes, now)
                }
            } catch {
                throw desk(FormDesk.self).explain(error, form: form)
            }
        }
    }
}
