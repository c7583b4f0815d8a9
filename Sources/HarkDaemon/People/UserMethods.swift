import HarkCore
import HarkLedger
import HarkServer
import HarkStore
import HarkSystem
import HarkWire

/// `user.*`: the data of one person.
enum UserMethods {
    static let all: [Method] = [export]

    static let export = Method(
        UserExportRequest.self, summary: "Returns everything about a user except sessions, events and log entries.",
        details: """
            Those are in `session.list`, `event.list` and `log.list`, and `hark export --user` contains all of it. Data of an \
            account and its apps, such as counters and mutes, belongs to no user. A page ends at about 1 MiB. See [one person's \
            data](guides/person.md).
            """,
        refusals: [.init(reason: .invalidParams, when: "no user is named", params: "{}")],
        examples: [
            .init(
                before: [
                    #"{"id":0,"method":"watch.add","params":{"id":"visits","event":"visit","everySeconds":86400,"userId":"ada"}}"#
                ], params: #"{"userId":"ada"}"#,
                result: """
                    {"items":[{"kind":"watch","watch":{"id":"visits","event":"visit","everySeconds":86400,"userId":"ada",\
                    "uid":1000,"addedAt":"2026-11-21T11:08:00.123Z","lastAt":null,"lastSeq":null,\
                    "dueAt":"2026-11-22T11:08:00.123Z","missedAt":null,"misses":0}}],"next":null}
                    """)
        ],
        handler: .deferred { call, request, json throws(WireError) in
            guard case .user(let userId) = request.user.filter else {
                throw WireError(
                    .invalidParams, "name the user: \"userId\": \"…\", or null for everybody anonymous",
                    path: Params.path("userId"))
            }
            let query = PersonQuery(
                userId: userId, uid: call.peer.visibleUID, machines: try request.machines.filter())
            var place =
                try request.after.map { cursor throws(WireError) in
                    guard let place = UserExport.Place(cursor) else { throw Method.noCursor }
                    return place
                } ?? UserExport.Place(.showing)
            await call.ledger.settleToRead()
            var export = UserExport(call, query)
            json.key("items")
            json.beginArray()
            let start = json.bytes.count
            var isMore = true
            while isMore, json.bytes.count - start < Method.pageBytes {
                if let next = try await export.write(from: place, to: &json) { place = next } else { isMore = false }
            }
            json.endArray()
            json.member("next", orNull: isMore ? place.description : nil)
        })
}
