import HarkCore
import HarkLedger
import HarkServer
import HarkStore
import HarkSystem
import HarkWire

/// The results of surveys, and their questions.
extension SurveyMethods {
    static let results = Method(
        SurveyResultsRequest.self, summary: "Returns the results of a survey.",
        details: """
            Intervals have 95 % confidence: the true share, score or mean of all people lies between the two numbers, if those \
            who answered are like those who did not. Answers of the same user are not independent of each other, so the result \
            has `people` as well as `answered`. For `multiple`, shares refer to the people who answered.
            """,
        refusals: [
            .init(
                reason: .invalidParams, when: "`boundaries` do not ascend",
                params: #"{"surveyId":"rating","boundaries":["2026-11-22T00:00:00Z","2026-11-21T00:00:00Z"]}"#)
        ],
        examples: [
            .init(
                before: asked(
                    "ada", shown,
                    #"{"id":0,"method":"survey.answer","params":{"presentationId":"0199e0f4-8c7a-7000-8000-000000000000","option":"Great"}}"#
                ), params: #"{"surveyId":"rating"}"#,
                result: """
                    {"surveyId":"rating","shown":1,"scheduled":0,"ready":0,"presented":0,"answered":1,\
                    "dismissed":0,"expired":0,"cancelled":0,"abandoned":0,"people":1,"anonymous":0,"medianSecondsToAnswer":0.0,\
                    "questions":[{"questionId":"option","answered":1,"answers":[{"value":"Great","count":1},{"value":"Okay",\
                    "count":0},{"value":"Poor","count":0}]}],"texts":[],\
                    "dropOff":[{"questionId":"option","seen":1,"answered":1,"left":0}]}
                    """),
            .init(
                params: #"{"surveyId":"rating","by":"locale","since":"2026-11-21T00:00:00Z"}"#,
                result: """
                    {"surveyId":"rating","shown":0,"scheduled":0,"ready":0,"presented":0,"answered":0,\
                    "dismissed":0,"expired":0,"cancelled":0,"abandoned":0,"people":0,"anonymous":0,"medianSecondsToAnswer":null,\
                    "questions":[{"questionId":"option","answered":0,"answers":[{"value":"Great","count":0},{"value":"Okay",\
                    "count":0},{"value":"Poor","count":0}]}],"texts":[],\
                    "dropOff":[{"questionId":"option","seen":0,"answered":0,"left":0}],"parts":[],"rest":0}
                    """),
        ],
        handler: .deferred { call, request, json throws(WireError) in
            let id = request.surveyId
            var query = PresentationQuery()
            query.survey = id
            query.uid = call.peer.visibleUID
            query.machines = try request.machines.filter()
            query.limit = 4_000
            let waves = SurveyWaves(
                survey: id, by: request.by.flatMap { ResultField($0) },
                boundaries: try EventMethods.checked(boundaries: request.boundaries ?? []),
                since: request.since ?? .earliest, until: request.until)
            await call.ledger.settleToRead()
            var isKnown = false
            // In batches, one per turn: there may be millions.
            while true {
                let (found, next) = try await call.read { [query] reader throws(StoreError) in
                    var found = false
                    let next = try reader.addShowings(query, to: waves) { found = true }
                    return (found, next)
                }
                isKnown = isKnown || found
                guard let next else { break }
                query.afterRow = next
            }
            let survey = call.ledger.settings.surveys.survey(id)
            if survey == nil, !isKnown { throw noSurvey(id, isFiltered: query.machines != nil) }
            waves.writeMembers(to: &json, survey: survey)
        })

    private static func noSurvey(_ id: String, isFiltered: Bool) -> WireError {
        WireError(
            .notFound,
            isFiltered
                ? "no machine that is meant has shown a survey '\(id)' (fleet.status lists machines, survey.list surveys)"
                : "there is no survey '\(id)', and there never was (survey.list lists them)",
            path: Params.path("surveyId"))
    }

    static let definitions = Method(
        SurveyDefinitions.self,
        summary: "Returns what a survey asks now, and what its showings have asked, a page at a time.",
        details: """
            A page ends at about 1 MiB. Each page counts its own showings, so the same definition can appear on several pages; \
            add up its counts.
            """,
        examples: [
            .init(
                before: asked("ada", shown), params: #"{"surveyId":"rating"}"#,
                result: """
                    {"current":{\(exampleContent)},"definitions":[{"version":"a3f1c20b9d8e7f60","count":1,\
                    "firstAt":"2026-11-21T13:08:21.740Z","lastAt":"2026-11-21T13:08:21.740Z",\
                    "shown":{\(exampleContent)}}],"next":null}
                    """)
        ],
        answering: { call, request throws(WireError) in
            let id = request.surveyId
            var query = PresentationQuery()
            query.survey = id
            query.uid = call.peer.visibleUID
            (query.app, query.user) = (request.app, request.user.filter)
            query.machines = try request.machines.filter()
            query.maxRows = rowsOfTurn
            if let cursor = request.after {
                query.afterRow = Int64(cursor)
                if query.afterRow == nil { throw Method.noCursor }
            }
            let isFirst = query.afterRow == nil
            await call.ledger.settleToRead()
            var contents = ShownContents(mostBytes: Method.pageBytes)
            var isFull = false
            repeat {
                let (sum, end) = try await call.read { [query, contents] reader throws(StoreError) in
                    var sum = contents
                    let end = try reader.addContents(query, to: &sum)
                    return (sum, end)
                }
                (contents, query.afterRow, isFull) = (sum, end?.row, end?.isFull ?? true)
            } while !isFull
            let survey = call.ledger.settings.surveys.survey(id)
            if survey == nil, isFirst, query.afterRow == nil, contents.contents.isEmpty {
                throw noSurvey(id, isFiltered: query.machines != nil)
            }
            var page = DefinitionPage()
            page.current = survey.map { survey in
                AnyJSON(survey.content.info)
            }
            page.definitions = contents.definitions
            page.next = query.afterRow.map { String($0) }
            return page
        })
}
