import HarkCore
import HarkLedger
import HarkServer
import HarkStore
import HarkSystem
import HarkWire

/// `study.*`: participants of surveys with a schedule.
enum StudyMethods {
    static let all: [Method] = [join, leave, pause, resume, list, plan]

    private static let sample = #"{"surveyId":"mood","userId":"ada"}"#
    private static let joined = #"{"id":0,"method":"study.join","params":{"surveyId":"mood","userId":"ada"}}"#
    private static let next = #","nextAt":"2026-11-22T10:26:48.000Z""#
    private static func participant(_ state: String = "active", _ more: String = "") -> String {
        """
        {"surveyId":"mood","userId":"ada","uid":0,"app":"default","state":"\(state)",\
        "joinedAt":"2026-11-21T13:08:21.719Z","dayOne":"2026-11-22"\(more)}
        """
    }

    static let join = Method(
        StudyJoin.self, summary: "Makes a user a participant of a survey with a schedule.",
        details: """
            `study.joined` is recorded in the user's session. The survey's schedule determines when prompts come; see [schedules \
            and studies](reference/sampling.md).
            """,
        refusals: [
            .init(reason: .notFound, when: "there is no such survey", params: #"{"surveyId":"gone"}"#),
            .init(reason: .invalidParams, when: "the survey has no schedule"),
            .init(reason: .conflict, when: "the user takes part already"),
        ],
        examples: [
            .init(params: sample, result: #"{"participant":\#(participant("active", next))}"#)
        ],
        deciding: { call, request throws(WireError) in
            let joining = try joining(request.terms)
            return try act(call, request) { engine, survey, user, scope, now, changes throws(WireError) in
                try engine.join(
                    survey, user, in: scope, joining, source: call.source, now: now, into: &changes)
            }
        })

    static let leave = Method(
        StudyLeave.self, summary: "Ends a user's participation.",
        details: "Open prompts of the survey are cancelled (`reason`: `left`), and `study.left` is recorded.",
        refusals: [
            .init(
                reason: .notFound, when: "the user does not take part", params: #"{"surveyId":"mood","userId":"bob"}"#)
        ],
        examples: [
            .init(
                before: [joined], params: sample,
                result: """
                    {"participant":\(participant("ended", #","endedAt":"2026-11-21T13:08:21.743Z","reason":"left""#))}
                    """)
        ],
        deciding: { call, request throws(WireError) in
            try act(call, request) { engine, survey, user, _, now, changes throws(WireError) in
                try engine.leave(survey, user, source: call.source, now: now, into: &changes)
            }
        })

    static let pause = Method(
        StudyPause.self, summary: "Excuses a user from prompts for a while.",
        details: """
            Each prompt that would have come is `cancelled` with the `reason` `paused`, so that it counts as excused and not as \
            missed. `study.paused` is recorded.
            """,
        examples: [
            .init(
                before: [joined], params: #"{"surveyId":"mood","userId":"ada","until":"2131-11-28T00:00:00Z"}"#,
                result: """
                    {"participant":\(participant("paused", #","pausedUntil":"2131-11-28T00:00:00.000Z""# + next))}
                    """)
        ],
        deciding: { call, request throws(WireError) in
            guard request.until == nil || request.seconds == nil else {
                throw WireError(
                    .invalidParams, "give either until or seconds, not both", path: Params.path("until"))
            }
            let now = call.ledger.now
            let end = request.until ?? request.seconds.map { now.adding(milliseconds: $0 * 1_000) } ?? .latest
            guard end > now else {
                throw WireError(
                    .invalidParams, "this time is in the past; a pause ends in the future", path: Params.path("until"))
            }
            return try act(call, request) { engine, survey, user, _, now, changes throws(WireError) in
                try engine.pause(survey, user, until: end, source: call.source, now: now, into: &changes)
            }
        })

    static let resume = Method(
        StudyResume.self, summary: "Ends a pause.", details: "`study.resumed` is recorded.",
        examples: [
            .init(before: [joined], params: sample, result: #"{"participant":\#(participant("active", next))}"#)
        ],
        deciding: { call, request throws(WireError) in
            try act(call, request) { engine, survey, user, _, now, changes throws(WireError) in
                try engine.pause(survey, user, until: nil, source: call.source, now: now, into: &changes)
            }
        })

    static let list = Method(
        StudyList.self, summary: "Lists the participants of surveys with a schedule, past ones too, a page at a time.",
        details: """
            `survey.history` has a showing for each planned prompt whose time has come. Only administrators see when the next \
            one comes.
            """,
        examples: [
            .init(
                before: [joined], params: #"{"surveyId":"mood"}"#,
                result: #"{"participants":[\#(participant("active", next))],"next":null}"#)
        ],
        answering: { call, request throws(WireError) in
            var query = EnrolmentQuery()
            query.uid = call.peer.visibleUID
            query.survey = request.surveyId
            query.user = request.user.filter
            query.limit = Int(request.limit ?? 100)
            if let cursor = request.after {
                query.afterRow = Int64(cursor)
                if query.afterRow == nil { throw Method.noCursor }
            }
            let (found, next) = try await call.readSettled { [query] reader throws(StoreError) in
                try reader.enrolments(query)
            }
            let now = call.ledger.now
            var page = ParticipantPage()
            page.participants = found.map {
                ParticipantInfo($0, now: now, tellsNext: call.peer.isAdministrator)
            }
            page.next = next.map { String($0) }
            return page
        })

    // MARK: Shared by the methods

    static func joining(_ terms: StudyTerms) throws(WireError) -> Engine.Joining {
        if let group = terms.group, !Engine.isGroup(group) {
            throw WireError(
                .invalidParams, "a group has a name of at most 256 bytes of UTF-8", path: Params.path("group"))
        }
        let hours = terms.hours.flatMap { SamplingWindow(text: $0) }
        guard terms.hours == nil || hours != nil else {
            throw WireError(
                .invalidParams, "hours are given like 08:00-22:00; a day ends at 24:00", path: Params.path("hours"))
        }
        return Engine.Joining(group: terms.group, hours: hours)
    }

    /// Runs a command of the engine for the user of the call, and gives the participant.
    @DaemonActor
    private static func act(
        _ call: Call, _ request: some StudyMethod,
        _ command:
            @escaping (inout Engine, String, UserKey, Scope, Timestamp, inout Changes) throws(WireError) -> Enrolment
    ) throws(WireError) -> Decided<ParticipantResult> {
        let survey = request.place.surveyId
        let scope = call.scope(of: request.place.app)
        let tellsNext = call.peer.isAdministrator
        return try user(request.place, scope, call).flatMap { user throws(WireError) in
            try call.decide(needing: .participant(user, survey: survey, in: scope)) {
                engine, changes, now throws(WireError) in
                var result = ParticipantResult()
                result.participant = ParticipantInfo(
                    try command(&engine, survey, user, scope, now, &changes), now: now, tellsNext: tellsNext)
                return result
            }
        }
    }

    /// The user that is meant: the one that is named, else the user of the app's current session.
    @DaemonActor
    static func user(_ place: StudyPlace, _ scope: Scope, _ call: Call) throws(WireError) -> Decided<UserKey> {
        try call.ledger.currentSession(of: scope).map { current in
            UserKey(uid: scope.uid, userId: place.user.name(else: current?.identity.userId))
        }
    }
}
