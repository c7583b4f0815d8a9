import HarkCore
import HarkLedger
import HarkServer
import HarkStore
import HarkSystem
import HarkWire

extension StudyMethods {
    static let plan = Method(
        StudyPlan.self, summary: "Returns the times of a participant's prompts, day by day.",
        details: """
            The plan is computed from the survey's file; for a user who does not take part, as if they joined now. A \
            participant's current day stays as it was planned, even if the file has changed or the machine has \
            travelled since. See [how a plan is computed](reference/sampling.md#how-a-plan-is-computed).
            """,
        isForAdministrators: true,
        examples: [
            .init(
                params: #"{"surveyId":"mood","userId":"ada","date":"2131-11-26"}"#,
                result: """
                    {"surveyId":"mood","seed":"s1","participant":"ada","plan":"blocks 3 3600 540-1260","zone":"Europe/Berlin",\
                    "days":[{"date":"2131-11-26","studyDay":11648,"prompts":["2131-11-26T10:14:35.000Z",\
                    "2131-11-26T12:36:43.000Z","2131-11-26T19:34:15.000Z"]}]}
                    """)
        ],
        deciding: { call, request throws(WireError) in
            let survey = request.place.surveyId
            let scope = call.scope(of: request.place.app)
            let joining = try joining(request.terms)
            let days = Int(request.days ?? 1)
            let date = request.date.flatMap { SamplingDate($0) }
            guard request.date == nil || date != nil else {
                throw WireError(.invalidParams, "a date is given like 2026-11-26", path: Params.path("date"))
            }
            return try user(request.place, scope, call).flatMap { user throws(WireError) in
                try call.decide(needing: .participant(user, survey: survey, in: scope)) {
                    engine, _, now throws(WireError) in
                    try engine.outlook(survey, user, joining, from: date, days: days, now: now).info
                }
            }
        })
}
