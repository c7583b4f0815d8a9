import HarkCore
import HarkLedger
import HarkServer
import HarkSettings
import HarkStore
import HarkSystem
import HarkWire

/// Lists of surveys and of waiting presentations.
extension SurveyMethods {
    static let list = Method(
        SurveyList.self, summary: "Lists the surveys of the configuration, in the order in which they are tried.",
        details: "A page also ends at about 1 MiB.",
        examples: [
            .init(
                params: "{}",
                result: """
                    {"surveys":[{"surveyId":"rating","event":"checkout_success","delaySeconds":0.0,\
                    \(exampleContent)}],"next":null,"file":"/home/ada/.config/hark/surveys.json","problems":[],\
                    "notifyProblem":null}
                    """)
        ],
        handler: .read { call, request, json throws(WireError) in
            let desk = call.desk(SurveyDesk.self)
            let surveys = call.ledger.settings.surveys.surveys
            try call.writePage(
                "surveys", of: surveys, after: request.after, limit: request.limit, id: \.id, to: &json
            ) { survey, json in
                survey.info.write(to: &json)
            }
            call.writeSource(desk.source.status.origin, problems: desk.source.problems, to: &json)
            write(notifyProblem: desk.hooks.trouble, call, to: &json)
        })

    /// A problem that only administrators see.
    @DaemonActor
    static func notifyProblem(_ problem: String?, _ call: Call) -> String? {
        call.peer.isAdministrator ? problem : nil
    }

    @DaemonActor
    static func write(notifyProblem problem: String?, _ call: Call, to json: inout JSONWriter) {
        json.member("notifyProblem", orNull: notifyProblem(problem, call))
    }

    static let pending = Method(
        SurveyPending.self,
        summary:
            "Lists scheduled, ready and presented surveys in the order in which they came about, a page at a time.",
        details: "A page also ends at about 1 MiB.",
        examples: [
            .init(
                before: asked("ada"), params: #"{"userId":"ada"}"#,
                result: """
                    {"surveys":[\(example("ready", of: "ada"))],"next":null,"notifyProblem":\
                    "what is ready in app 'default' is not shown: nothing here shows surveys: neither an app nor 'hark agent' is \
                    connected for this account, and there is no notify hook; 'hark ask' shows waiting surveys"}
                    """)
        ],
        handler: .deferred { call, request, json throws(WireError) in
            var query = PresentationQuery()
            query.uid = call.peer.visibleUID
            (query.app, query.user, query.survey) = (request.app, request.user.filter, request.surveyId)
            query.states = [.scheduled, .ready, .presented]
            query.limit = Int(request.limit ?? 100)
            if let cursor = request.after {
                query.afterRow = Int64(cursor)
                if query.afterRow == nil { throw Method.noCursor }
            }
            query.maxBytes = Method.pageBytes
            var (found, next) = try await call.readSettled { [query] reader throws(StoreError) in
                var found: [(presentation: Presentation, row: Int64)] = []
                let next = try reader.forEachPresentation(query) { found.append(($0, $1)) }
                return (found, next)
            }
            json.key("surveys")
            json.beginArray()
            let start = json.bytes.count
            for (place, (presentation, _)) in found.enumerated() {
                // The content is in the configuration, and may be long.
                if place > 0, json.bytes.count - start > Method.pageBytes {
                    next = found[place - 1].row
                    break
                }
                // Open showings of a removed survey are about to be cancelled.
                guard let survey = call.desk(SurveyDesk.self).survey(of: presentation) else { continue }
                presentation.write(to: &json, survey: survey)
            }
            json.endArray()
            json.member("next", orNull: next.map { String($0) })
            let unseen = try call.desk(SurveyDesk.self).unseen(of: call.peer.visibleUID, call.peer.isAdministrator)
            json.member("notifyProblem", orNull: unseen)
        })
}
