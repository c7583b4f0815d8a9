import HarkCore
import HarkHub
import HarkLedger
import HarkServer
import HarkStore
import HarkSystem
import HarkWire

/// `event.*`: recording, reading and clearing. Streams are in `StreamMethods`.
enum EventMethods {
    static let all: [Method] = [record, list, stats, importEvent, clear]

    /// Never called: `RecordLane` reads these requests straight from the line. The entry documents the method.
    static let record = Method(
        byHand: EventRecord.self, summary: "Records an event in the current session.",
        details: """
            The reply means that the event is on disk. Without a session, an anonymous one starts by itself. A property \
            is a string, an integer, a double or a bool. One that is null is left out, as if it had not been given; a list \
            or an object is refused and nothing is stored. Without `id`, the request is fire-and-forget and gets no reply.

            An event keeps the `timestamp` it is given, in the past or in the future. Lists, streams, the archive and servers \
            show it, and `since` and `until` refer to it. Everything else goes by the time at which the event was received, \
            which is in its id (UUID version 7): the session it belongs to, the order of numbers, surveys and counters, \
            retention, and whether it is too old for a server.
            """,
        refusals: [
            .init(
                reason: .conflict, when: "`userId` is given, and the current session is another user's",
                before: [#"{"id":0,"method":"session.start","params":{"userId":"user-123"}}"#],
                params: #"{"name":"door_opened","userId":"user-7"}"#)
        ],
        examples: [
            .init(
                params: #"{"name":"checkout_success","properties":{"amount":59.5,"items":3,"coupon":"SPRING"}}"#,
                result: """
                    {"id":"0199e0f4-8c7a-7000-8000-0000000000a1","seq":2,\
                    "sessionId":"0199e0f4-8c7a-7000-8000-000000000000"}
                    """),
            .init(
                params: #"{"name":"till_closed","timestamp":"2026-11-20T19:30:00+01:00"}"#,
                result: """
                    {"id":"0199e0f4-8c7a-7000-8000-0000000000a1","seq":2,\
                    "sessionId":"0199e0f4-8c7a-7000-8000-000000000000"}
                    """),
            .init(
                before: [
                    #"{"id":0,"method":"event.record","params":{"name":"sold","producer":{"id":"till-1","seq":7}}}"#
                ],
                params: #"{"name":"sold","producer":{"id":"till-1","seq":7}}"#,
                result: """
                    {"id":"0199e0f4-8c7a-7000-8000-0000000000a1","seq":2,\
                    "sessionId":"0199e0f4-8c7a-7000-8000-000000000000","duplicate":true}
                    """),
        ],
        handler: .write { _, _ throws(WireError) in
            throw WireError(.internalError, "event.record was handled wrongly; please report this")
        })

    static let list = Method(
        EventList.self, summary: "Reads events, in the order of their numbers, a page at a time.",
        details: """
            The reply contains everything that was recorded before the request. Filters can be combined; \
            [conditions](reference/conditions.md) describes `where`. A page ends at `limit`, or at about 1 MiB. Continue with \
            `afterSeq` (or, descending, `beforeSeq`) at its `nextAfterSeq` until that is null.
            """,
        refusals: [
            .init(
                reason: .invalidParams, when: "`where` is not a condition; the message names the character",
                params: #"{"where":"amount >"}"#)
        ],
        examples: [
            .init(
                before: [
                    #"{"id":0,"method":"event.record","params":{"name":"button_tap","properties":{"screen":"Home"}}}"#
                ],
                params: #"{"name":"button_*","limit":1}"#,
                result: """
                    {"events":[{"id":"0199e0f4-8c7a-7000-8000-0000000000a1","seq":2,"name":"button_tap",\
                    "timestamp":"2026-11-21T11:08:00.123Z","sessionId":"0199e0f4-8c7a-7000-8000-000000000000",\
                    "properties":{"screen":"Home"},"source":{"uid":1000,"pid":4242}}],"nextAfterSeq":2}
                    """),
            .init(
                before: [
                    #"{"id":0,"method":"event.record","params":{"name":"checkout","properties":{"amount":59.5,"plan":"pro"}}}"#
                ],
                params: #"{"where":"amount > 50 and plan = \"pro\""}"#,
                result: """
                    {"events":[{"id":"0199e0f4-8c7a-7000-8000-0000000000a1","seq":2,"name":"checkout",\
                    "timestamp":"2026-11-21T11:08:00.123Z","sessionId":"0199e0f4-8c7a-7000-8000-000000000000",\
                    "properties":{"amount":59.5,"plan":"pro"},"source":{"uid":1000,"pid":4242}}],"nextAfterSeq":null}
                    """),
            .init(
                before: [#"{"id":0,"method":"event.record","params":{"name":"tap"}}"#],
                params: #"{"members":["name"]}"#, result: #"{"events":[{"seq":2,"name":"tap"}],"nextAfterSeq":null}"#),
            .init(
                params: #"{"since":"2026-11-21T00:00:00Z","as":"lines"}"#,
                result: #"{"lines":[],"nextAfterSeq":null}"#),
        ],
        handler: .deferred { call, request, json throws(WireError) in
            let query = try await RecordQuery.list(request.filter, request.machines, call)
            let members = request.members.map { EventMembers($0.compactMap(EventMembers.init)) } ?? .all
            let asRecorded = request.asRecorded ?? false
            try await RecordPages.answer(query, request.page, "events", call, to: &json) {
                record, session, form, json in
                switch form {
                case .objects: record.write(of: session, only: members, asRecorded: asRecorded, to: &json)
                case .lines: record.writeLine(of: session, only: members, asRecorded: asRecorded, to: &json)
                }
            }
        })

    static let importEvent = Method(
        byHand: EventImport.self, summary: "Imports an event that was exported elsewhere.",
        details: """
            It keeps its id, time and properties, and gets a number of this store. Its source is kept if root imports it, or if \
            its `uid` is that of the caller; otherwise the importing process is its source. An event that is here already is \
            left out. Nothing is triggered.
            """,
        refusals: [
            .init(
                reason: .notFound, when: "there is no such session, or it is not yours to see",
                params: """
                    {"sessionId":"0199e0f4-8c7a-7000-8000-00000000dead","event":\
                    {"id":"0199e0f4-8c7a-7000-8000-00000000cafe","name":"x","timestamp":"2026-01-02T03:05:00.000Z"}}
                    """)
        ],
        examples: [
            .init(
                before: [
                    """
                    {"id":0,"method":"session.import","params":{"session":{"id":"0199e0f4-8c7a-7000-8000-00000000beef",\
                    "startedAt":"2026-01-02T03:04:05.678Z","endedAt":null,"metadata":{}}}}
                    """
                ],
                params: """
                    {"sessionId":"0199e0f4-8c7a-7000-8000-00000000beef","event":\
                    {"id":"0199e0f4-8c7a-7000-8000-00000000cafe","seq":17,"name":"old_event",\
                    "timestamp":"2026-01-02T03:05:00.000Z","properties":{"n":1},"source":{"uid":1000,"pid":4242}}}
                    """,
                result: #"{"id":"0199e0f4-8c7a-7000-8000-00000000cafe","seq":2,"imported":true}"#)
        ],
        handler: .deferred { call, json throws(WireError) in
            let (event, recorded) = try await call.desk(Importer.self).takeEvent(call)
            event.writeResult(recorded?.value, to: &json)
            json.dropped(.droppedProperties, event.dropped)
        })
}
