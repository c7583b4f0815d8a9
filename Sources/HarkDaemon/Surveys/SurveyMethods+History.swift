import HarkCore
import HarkLedger
import HarkServer
import HarkStore
import HarkSystem
import HarkWire

/// The history of surveys, by showing.
extension SurveyMethods {
    static let history = Method(
        SurveyHistory.self,
        summary:
            "Lists the showings of surveys, ended ones too, in the order in which they came about, a page at a time.",
        details: """
            A page also ends at about 1 MiB. If answers were changed (`survey.change`), the list has only the last version. With \
            `allVersions` it has all of them; `revises` and `revisedBy` say which version replaces which.
            """,
        examples: [
            .init(
                before: asked(
                    "ada", shown,
                    #"{"id":0,"method":"survey.answer","params":{"presentationId":"0199e0f4-8c7a-7000-8000-000000000000","option":"Great"}}"#
                ), params: #"{"userId":"ada"}"#,
                result: """
                    {"presentations":[{"presentationId":"01a1fe38-dc57-7410-8561-e7be8d8178e9","surveyId":"rating",\
                    "state":"answered","userId":"ada","uid":0,"app":"default",\
                    "sessionId":"01a1fe38-dc54-7073-a0d9-615722834476","triggerAt":"2026-11-21T13:08:21.719Z",\
                    \(presentedAt),\(closedAt),"answers":{"option":"Great"},\(changeableUntil),\
                    "times":{"plannedAt":"2026-11-21T13:08:21.719Z","openedAt":"2026-11-21T13:08:21.740Z",\
                    "firstAnswerAt":"2026-11-21T13:08:21.743Z","answeredAt":"2026-11-21T13:08:21.743Z","surface":"app",\
                    "zone":"Europe/Berlin","utcOffsetMinutes":60,"items":{"option":{"changes":0,\
                    "firstAt":"2026-11-21T13:08:21.743Z","lastAt":"2026-11-21T13:08:21.743Z"}}},\
                    "version":"a3f1c20b9d8e7f60"}],"next":null}
                    """)
        ],
        handler: .deferred { call, request, json throws(WireError) in
            var query = PresentationQuery()
            query.uid = call.peer.visibleUID
            (query.app, query.user, query.survey) = (request.app, request.user.filter, request.surveyId)
            query.machines = try request.machines.filter()
            query.includesRevised = request.allVersions ?? false
            query.limit = Int(request.limit ?? 100)
            query.maxBytes = Method.pageBytes
            query.maxRows = rowsOfTurn
            if let cursor = request.after {
                query.afterRow = Int64(cursor)
                if query.afterRow == nil { throw Method.noCursor }
            }
            let viewer = call.peer.uid
            await call.ledger.settleToRead()
            json.key("presentations")
            json.beginArray()
            let start = json.bytes.count
            while true {
                let (part, count, next) = try await call.read { [query] reader throws(StoreError) in
                    var part = JSONWriter()
                    var count = 0
                    var versions = ShownContents.Versions()
                    let next = try reader.forEachTold(query, to: viewer) { showing throws(StoreError) in
                        let place = try reader.machine(of: showing.row.uid, in: showing.session)
                        showing.write(
                            to: &part, version: { versions.version(of: $0) }, machine: place?.machine, uid: place?.uid)
                        count += 1
                    }
                    return (part.bytes, count, next)
                }
                if !part.isEmpty { json.raw(part) }
                query.afterRow = next
                query.limit -= count
                let size = json.bytes.count - start
                guard next != nil, query.limit > 0, size < Method.pageBytes else { break }
                query.maxBytes = Method.pageBytes - size
            }
            json.endArray()
            json.member("next", orNull: query.afterRow.map { String($0) })
        })

    /// The number of rows read before another client's turn.
    static let rowsOfTurn = 2_000
}
