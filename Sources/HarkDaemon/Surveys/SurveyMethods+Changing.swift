import HarkCore
import HarkLedger
import HarkServer
import HarkStore
import HarkSystem
import HarkWire

extension SurveyMethods {
    private static let changed = example(
        "answered", of: "ada", presentedAt, closedAt, #""answers":{"option":"Okay"}"#,
        #""revises":"01a1fe38-dc57-7410-8561-e7be8d8178e8""#, changeableUntil)

    static let change = Method(
        SurveyChange.self, summary: "Changes the answers of a survey, or takes them back.",
        details: """
            The account that was asked can do this within the survey's `changeableSeconds`, unless another user's session is the \
            app's current one. Name only the answers that change; they are checked by the rules of the survey as it was asked. \
            The result is a new presentation, which `revises` the one before. Results, `survey.history`, SQL and `hark answers` \
            count only the last version. `survey_response` is recorded again, with `revises`, or `survey_taken_back`. A change \
            is no second answer: it causes no attempt, counter, survey or execution. There are at most \(Limits.answerVersions) \
            versions of the answers to one showing. See [changing answers](guides/change-answers.md).
            """,
        refusals: [
            .init(reason: .alreadyClosed, when: "the time for changes is over, or the answers were taken back"),
            .init(reason: .conflict, when: "answers to the survey cannot be changed, or these were changed already"),
            .init(reason: .permissionDenied, when: "another account was asked"),
            .init(
                reason: .tooLarge,
                when: "there are \(Limits.answerVersions) versions already; the last one can still be taken back"),
        ],
        examples: [
            .init(
                before: asked(
                    "ada", shown,
                    #"{"id":0,"method":"survey.answer","params":{"presentationId":"0199e0f4-8c7a-7000-8000-000000000000","option":"Great"}}"#
                ),
                params: #"{"presentationId":"0199e0f4-8c7a-7000-8000-000000000000","option":"Okay"}"#,
                result: #"{"survey":\#(changed)}"#)
        ],
        handler: .write { call, request, reply throws(WireError) in
            let id = request.presentation
            let submission = SurveySubmission(option: request.option, text: request.text, answers: request.answers)
            let takesBack = request.takeBack ?? false
            let isTried = request.isTried ?? false
            // Reads the clock, to notice a jump.
            _ = call.ledger.ageClock.now
            guard takesBack == (submission == SurveySubmission()) else {
                throw WireError(
                    .invalidParams, "give what changes (option, text or answers), or \"takeBack\": true",
                    path: Params.path("takeBack"))
            }
            guard !(takesBack && isTried) else {
                throw WireError(
                    .invalidParams, "'takeBack' and 'try' contradict each other; leave 'try' out",
                    path: Params.path("try"))
            }
            let (uid, source) = (call.peer.visibleUID, call.source)
            // A version is known only once it is stored, and so are all versions before it.
            let version = try call.ledger.lookUp { reader throws(StoreError) in
                try reader.version(ofAnswersIn: id, atMost: Limits.answerVersions)
            }
            let presentation = try act(call, on: id) { engine, changes, now throws(WireError) in
                if isTried {
                    return try engine.tryChange(
                        id, version: version, to: submission, visibleTo: uid, source: source, now: now)
                }
                return try engine.changeAnswers(
                    id, version: version, to: takesBack ? nil : submission, visibleTo: uid, source: source, now: now,
                    into: &changes)
            }
            try tell(presentation, call, in: &reply)
        })
}

extension SurveySubmission {
    init(option: String?, text: String?, answers: AnyJSON?) {
        self.init(
            option: option.map(JSONValue.string), text: text.map(JSONValue.string),
            answers: answers?.object ?? JSONObject())
    }
}
