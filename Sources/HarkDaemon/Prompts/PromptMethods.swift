import Glibc
import HarkCore
import HarkLedger
import HarkServer
import HarkSettings
import HarkStore
import HarkSystem
import HarkWire

/// `prompt.*`: questions of programs to the people present.
enum PromptMethods {
    static let all = [ask, wait, get, cancel]

    static let ask = Method(
        PromptAsk.self, summary: "Asks the people who are present; `prompt.wait` waits for the answer.",
        details: """
            The question is a presentation like those of surveys. Presenters and notifications show it, `survey.answer` and \
            `survey.dismiss` close it. `survey_presented`, `survey_response` and `survey_dismissed` are recorded in the current \
            session of the app, for any user. The question comes before surveys, the limits of surveys do not apply to it, and \
            it is answered once. `options`, `text`, `scale` or `kind` say what is an answer; one of them is needed.

            It ends with an answer, when all those asked have declined, after `timeoutSeconds`, or with `prompt.cancel`. Unless \
            `keep` is true, it is also cancelled when no connection is left that asked it or waits for it: after ten seconds, or \
            a minute after a start of the daemon. The last \(PromptLimits.closedPerUser) closed prompts of an account can still \
            be read. At most \(PromptLimits.openPerUser) prompts may wait for an account, and \(PromptLimits.open) for all \
            accounts. Of the prompts called `\(AgentWords.promptName)`, which agents ask, \(AgentWords.openQuestions) may wait \
            for an account.
            """,
        refusals: [
            .init(
                reason: .notFound, when: "nothing would show it now, and `requirePresenter` is true"),
            .init(reason: .conflict, when: "a survey has this name, or another question was asked under this id"),
            .init(reason: .permissionDenied, when: "other accounts are to be asked, and you are no administrator"),
            .init(
                reason: .tooLarge, when: "the question is too long, or too many wait for an answer",
                params: #"{"question":"Now?","name":"\#(String(repeating: "n", count: 129))","text":true}"#),
        ],
        examples: [
            .init(
                params: """
                    {"question":"Deploy now?","options":["Yes","No"],"timeoutSeconds":600,"default":"No","keep":true,\
                    "promptId":"0199e0f4-8c7a-7000-8000-000000000001"}
                    """,
                result: """
                    {"prompt":\(example("open", presentation: "ready", keep: true, #""default":{"option":"No"},"#))}
                    """)
        ],
        handler: .write { call, request, reply throws(WireError) in
            let id = request.promptId
            let question = try question(request)
            let scopes = try scopes(request, call)
            let timeout = request.timeoutSeconds ?? 604_800
            let isKept = request.keep ?? false
            let isHasty = request.requirePresenter ?? false
            let isRefused =
                isHasty && !scopes.contains(where: call.desk(SurveyDesk.self).isSomebodyThere)
            let source = call.source
            let need: Need = .all((id.map { [.prompt($0)] } ?? []) + scopes.map { .asking(in: $0) })
            try call.decide(needing: need) { engine, changes, now throws(WireError) in
                if isRefused, id.flatMap({ engine.prompt($0) }) == nil { throw nobodyThere }
                return try engine.ask(
                    question, id: id, in: scopes, timeout: timeout * 1_000, isKept: isKept, source: source, now: now,
                    into: &changes)
            }
            .note { standing throws(WireError) in
                if standing.state == .open, !standing.prompt.isKept {
                    call.desk(PromptDesk.self).hold(standing.prompt.id, by: call.connection, isHasty: isHasty)
                }
            }
            .tell(in: &reply, write)
        })

    private static let nobodyThere = WireError(
        .notFound, "there is nobody to ask: no presenter, and no notification can be shown",
        path: "requirePresenter")

    @DaemonActor
    private static func scopes(_ request: PromptAsk, _ call: Call) throws(WireError) -> [Scope] {
        let app = request.app ?? Scope.defaultApp
        let uids = request.uids ?? [call.peer.uid]
        for uid in uids where uid != call.peer.uid {
            guard call.peer.isAdministrator else {
                try call.requireAdministrator(for: "asking another account")
                continue
            }
            guard call.desk(SettingsDesk.self).options.isSystem || uid == getuid() else {
                throw WireError(
                    .invalidParams, "this daemon serves the account with the uid \(getuid()), and can ask nobody else",
                    path: Params.path("uids"))
            }
        }
        return uids.map { Scope(uid: $0, app: app) }
    }

    private static func question(_ request: PromptAsk) throws(WireError) -> PromptQuestion {
        let kind = try kind(request)
        do throws(WireError) {
            return try PromptQuestion(
                name: request.name ?? "prompt", title: request.question, message: request.message ?? "", kind: kind,
                fallback: request.fallback?.value)
        } catch {
            throw error.inParams
        }
    }

    private static func kind(_ request: PromptAsk) throws(WireError) -> PromptQuestion.Kind {
        let (options, scale) = (request.options, request.scale.map { Int($0) })
        let (isMultiple, takesText) = (request.multiple ?? false, request.text ?? false)
        if let document = request.kind?.value {
            guard options == nil, !isMultiple, !takesText, scale == nil else {
                throw WireError(
                    .invalidParams, "these contradict each other: give 'kind' without 'options', 'text' and 'scale'",
                    path: Params.path("kind"))
            }
            do throws(WireError) {
                return try PromptQuestion.other(document)
            } catch {
                throw error.inParams
            }
        }
        switch (options, isMultiple, takesText, scale) {
        case (let options?, false, false, nil): return .options(options)
        case (let options?, true, false, nil): return .multiple(options)
        case (let options?, false, true, nil): return .combined(options)
        case (nil, false, true, nil): return .text
        case (nil, false, false, let scale?): return .rating(scale: scale)
        case (nil, false, false, nil):
            throw WireError(
                .invalidParams, "an answer to choose is missing: give 'options', 'text', 'scale' or 'kind'",
                path: Params.path("options"))
        default:
            throw WireError(
                .invalidParams,
                "these contradict each other: give 'scale' alone, and 'multiple' with 'options' and without 'text'",
                path: Params.path(scale == nil ? "multiple" : "scale"))
        }
    }

    static let wait = Method(
        PromptWait.self, summary: "Replies when a prompt is over.",
        details: """
            If the prompt is over already, the reply comes at once. Later requests of the connection are answered meanwhile. \
            After a broken connection, wait again; the answer is not lost.
            """,
        examples: [
            .init(
                before: [asked, answered], params: byId,
                result: """
                    {"prompt":\(example(
                        "answered", presentation: "answered", closed: closedAt,
                        #""answers":{"option":"Yes"},"answeredBy":0,"#))}
                    """)
        ],
        handler: .deferred { call, request, json throws(WireError) in
            let stored = try await call.desk(PromptDesk.self).wait(
                for: request.prompt, on: call.connection, visibleTo: call.peer.visibleUID)
            write(stored.value, &json)
        })

    static let get = Method(
        PromptGet.self, summary: "Returns the state of a prompt.",
        examples: [
            .init(
                before: [asked], params: byId, result: #"{"prompt":\#(example("open", presentation: "ready"))}"#)
        ],
        handler: .write { call, request, reply throws(WireError) in
            let id = request.prompt
            try call.decide(needing: .prompt(id)) { engine, _, _ throws(WireError) in
                try engine.prompt(id, visibleTo: call.peer.visibleUID)
            }.tell(in: &reply, write)
        })

    static let cancel = Method(
        PromptCancel.self, summary: "Cancels a prompt.",
        details:
            "Its presenter removes it from the screen. A prompt that is over does not change; the result has its state.",
        examples: [
            .init(
                before: [asked], params: byId,
                result: """
                    {"prompt":\(example(
                        "cancelled", presentation: "cancelled", closed: closedAt, #""reason":"withdrawn","#))}
                    """)
        ],
        handler: .write { call, request, reply throws(WireError) in
            let id = request.prompt
            try call.decide(needing: .prompt(id)) { engine, changes, now throws(WireError) in
                try engine.cancelPrompt(
                    id, reason: .withdrawn, visibleTo: call.peer.visibleUID, source: call.source, now: now,
                    into: &changes)
            }.tell(in: &reply, write)
        })

    private static func write(_ standing: PromptStanding, _ json: inout JSONWriter) {
        json.member("prompt", standing.info)
    }
}
