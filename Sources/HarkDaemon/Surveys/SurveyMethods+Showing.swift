import HarkCore
import HarkLedger
import HarkServer
import HarkStore
import HarkSystem
import HarkWire

/// From ready to the end, one presentation at a time.
extension SurveyMethods {
    static let present = Method(
        SurveyPresent.self, summary: "Takes a ready survey to show it.",
        details: """
            The attempt counts from here, and `survey_presented` is recorded. Without an answer it becomes ready again when the \
            connection ends. One survey is shown at a time for each user and app. With the surface `kiosk`, no attempt counts \
            against an anonymous user, as the next visitor is another person. A survey that an earlier visitor began is closed \
            (`abandoned`) when the next survey is requested without an id. Until then it can be continued by its id, on that \
            surface only.
            """,
        examples: [
            .init(
                before: asked("ada"), params: "{}",
                result: #"{"survey":\#(example("presented", of: "ada", presentedAt))}"#)
        ],
        handler: .write { call, request, reply throws(WireError) in
            let surface = request.surface ?? .app
            let presentation = try presentationToShow(request, on: surface, call).flatMap { id throws(WireError) in
                guard let id else {
                    throw WireError(
                        .notFound,
                        "no survey is ready for app '\(call.scope(of: request.app).app)' (survey.pending lists what waits)",
                        path: Params.path("presentationId"))
                }
                let isOpened = call.desk(SurveyDesk.self).hooks.isOpened(id)
                let presentation = try act(call, on: id) { engine, changes, now throws(WireError) in
                    try engine.present(
                        id, visibleTo: call.peer.visibleUID, locale: request.locale, isOpened: isOpened, on: surface,
                        source: call.source, now: now, into: &changes)
                }
                call.desk(SurveyDesk.self).lease(id, to: call.connection)
                return presentation
            }
            try tell(presentation, call, in: &reply)
        })

    @DaemonActor
    private static func presentationToShow(
        _ request: SurveyPresent, on surface: Surface, _ call: Call
    ) throws(WireError) -> Decided<Identifier?> {
        let ledger = call.ledger
        if let id = request.presentationId.flatMap({ Identifier($0) }) { return try ledger.decide { _, _, _ in id } }
        let scope = call.scope(of: request.app)
        return try ledger.decide(needing: .offers(in: scope)) { engine, changes, now in
            if surface == .kiosk { engine.closeLeft(in: scope, now: now, into: &changes) }
            return engine.offer(in: scope, now: now)?.id
        }
    }

    static let notified = Method(
        SurveyNotified.self, summary: "Reports that a person has a notification of a survey on the screen.",
        details: """
            For presenters that show notifications. The first report counts; a survey without a reaction is then known as \
            notified, but not opened (`times` in `survey.history`). For its own notify hook, the daemon reports this itself.
            """,
        examples: [
            .init(
                before: asked("gil"), params: byId,
                result: #"{"survey":\#(example("ready", of: "gil"))}"#)
        ],
        handler: .write { call, request, reply throws(WireError) in
            let id = request.presentation
            let presentation = try act(call, on: id) { engine, changes, now throws(WireError) in
                try engine.notify(id, visibleTo: call.peer.visibleUID, now: now, into: &changes)
            }
            try tell(presentation, call, in: &reply)
        })

    static let away = Method(
        SurveyAway.self, summary: "Reports that nobody sees a survey because the person is away.",
        details: """
            For presenters that show notifications. A prompt whose schedule does not wait is then missed (`expired`, \
            with this `reason`). A prompt that waits has this reason if it is never seen. Prompts that become ready for the \
            account also count as unseen until a presenter of the account subscribes again. Other surveys do not change.
            """,
        examples: [
            .init(
                before: asked("hal"),
                params: #"{"presentationId":"0199e0f4-8c7a-7000-8000-000000000000","reason":"locked"}"#,
                result: #"{"survey":\#(example("ready", of: "hal"))}"#)
        ],
        handler: .write { call, request, reply throws(WireError) in
            let id = request.presentation
            let desk = call.desk(SurveyDesk.self)
            let presentation = try act(call, on: id) { engine, changes, now throws(WireError) in
                try engine.noteAway(
                    id, MissedReason(request.reason), visibleTo: call.peer.visibleUID, now: now, into: &changes)
            }
            desk.absent[call.peer.uid] = request.reason
            try tell(presentation, call, in: &reply)
        })

    static let answer = Method(
        SurveyAnswer.self, summary: "Answers a survey.",
        details: """
            The member depends on the survey: `option` for a choice, `text` for a text, both for a combined survey, `answers` \
            for several questions. Texts are trimmed. If an answer breaks a rule, the error names the rule and nothing is \
            stored. A survey that is only ready counts as shown after this. `survey_response` is recorded. With `partial`, the \
            answers are kept, and `route` in the reply lists the questions that these answers lead to. With `try`, the reply is \
            the same and nothing is kept, so incomplete or wrong answers use up no attempt. With `hold`, the answer must be \
            complete and is kept, but does not count yet, so that a window can offer to undo it. The next call without `hold` \
            ends that: with `partial` the answer is undone, otherwise it counts. It also counts when the connection ends. Only \
            the connection that shows the survey may hold its answer. The answer counts at once for prompts, if answers can be \
            changed anyway (`changeableSeconds`), and if the survey would expire within a minute.
            """,
        examples: [
            .init(
                before: asked("ada", shown),
                params: #"{"presentationId":"0199e0f4-8c7a-7000-8000-000000000000","option":"Great"}"#,
                result: #"{"survey":\#(answered)}"#),
            .init(
                before: asked(
                    "ada", shown,
                    #"{"id":0,"method":"survey.answer","params":{"presentationId":"0199e0f4-8c7a-7000-8000-000000000000","option":"Okay","partial":true}}"#
                ),
                params: """
                    {"presentationId":"0199e0f4-8c7a-7000-8000-000000000000","answers":{"option":null},"partial":true}
                    """,
                result: #"{"survey":\#(example("presented", of: "ada", presentedAt))}"#),
        ],
        handler: .write { call, request, reply throws(WireError) in
            let id = request.presentation
            let submission = SurveySubmission(option: request.option, text: request.text, answers: request.answers)
            let isPartial = request.partial ?? false
            let isTried = request.isTried ?? false
            let isHeld = request.hold ?? false
            if isHeld { try checkHold(call, id, isAlone: !isPartial && !isTried) }
            let locale = request.locale
            let uid = call.peer.visibleUID
            let source = call.source
            let presentation = try act(call, on: id) { engine, changes, now throws(WireError) in
                if isTried {
                    return try engine.tryAnswers(
                        id, submission, visibleTo: uid, locale: locale, source: source, now: now)
                }
                if isHeld {
                    return try engine.holdAnswer(
                        id, submission, visibleTo: uid, source: source, now: now, into: &changes)
                }
                if isPartial {
                    return try engine.keepAnswers(
                        id, submission, visibleTo: uid, showing: request.shown, now: now, into: &changes)
                }
                return try engine.presentAndAnswer(
                    id, submission, visibleTo: uid, locale: locale, on: request.surface ?? .script, source: source,
                    now: now,
                    into: &changes)
            }
            if !isTried { call.desk(SurveyDesk.self).setHold(isHeld ? source : nil, on: id, by: call.connection) }
            try tell(presentation, call, in: &reply)
        })

    /// Refuses to hold an answer for others than the connection that shows the survey.
    @DaemonActor
    private static func checkHold(_ call: Call, _ id: Identifier, isAlone: Bool) throws(WireError) {
        guard isAlone else {
            throw WireError(
                .invalidParams, "'hold' is for the complete answer; leave 'partial' and 'try' out",
                path: Params.path("hold"))
        }
        guard call.desk(SurveyDesk.self).isLeased(id, to: call.connection) else {
            throw WireError(
                .conflict, "only the connection that shows a survey may hold its answer; present it here first",
                path: Params.path("hold"))
        }
    }

    static let dismiss = Method(
        SurveyDismiss.self, summary: "Closes a survey without an answer.",
        details: """
            If the survey had been shown, `survey_dismissed` is recorded with the property `for`: `once`, `ever` or `abandoned`. \
            Only the person who is asked may say `ever`; then all waiting showings of the survey are cancelled. A showing that \
            was `abandoned` has that `reason`, and its answers so far count in `dropOff` of `survey.results`.
            """,
        examples: [
            .init(
                before: asked("bob", shown), params: byId,
                result: #"{"survey":\#(example("dismissed", of: "bob", presentedAt, closedAt))}"#)
        ],
        handler: .write { call, request, reply throws(WireError) in
            let id = request.presentation
            let scope = request.scope ?? .once
            let desk = call.desk(SurveyDesk.self)
            let presentation = try act(call, on: id) { engine, changes, now throws(WireError) in
                try engine.dismiss(
                    id, for: scope, visibleTo: call.peer.visibleUID, source: call.source, now: now,
                    into: &changes)
            }
            if scope == .ever { desk.lookForUnwanted() }
            try tell(presentation, call, in: &reply)
        })

    static let snooze = Method(
        SurveySnooze.self, summary: "Puts a survey off, without counting another attempt.",
        examples: [
            .init(
                before: asked("eve"),
                params: #"{"presentationId":"0199e0f4-8c7a-7000-8000-000000000000","seconds":3600}"#,
                result: #"{"survey":\#(example("scheduled", of: "eve", due: "2026-11-21T14:08:21.719Z"))}"#)
        ],
        handler: .write { call, request, reply throws(WireError) in
            let id = request.presentation
            let presentation = try act(call, on: id) { engine, changes, now throws(WireError) in
                try engine.snooze(
                    id, for: request.seconds * 1_000, visibleTo: call.peer.visibleUID, source: call.source, now: now,
                    into: &changes)
            }
            try tell(presentation, call, in: &reply)
        })

    static let release = Method(
        SurveyRelease.self, summary: "Gives back a survey that is being shown here.",
        details: """
            The survey is ready again for others, and does not come to this connection again. Presenters use this when a window \
            or notification was closed without a choice.
            """,
        examples: [
            .init(
                before: asked("kim", shown), params: byId,
                result: #"{"survey":\#(example("ready", of: "kim", presentedAt))}"#)
        ],
        handler: .write { call, request, reply throws(WireError) in
            let id = request.presentation
            let desk = call.desk(SurveyDesk.self)
            guard desk.isLeased(id, to: call.connection) else {
                throw WireError(
                    .conflict, "this survey is not being shown on this connection", path: Params.path("presentationId"))
            }
            let presentation = try act(call, on: id) { engine, changes, now throws(WireError) in
                try engine.release(id, visibleTo: call.peer.visibleUID, now: now, into: &changes)
            }
            desk.pass(id, by: call.connection)
            try tell(presentation, call, in: &reply)
        })
}
