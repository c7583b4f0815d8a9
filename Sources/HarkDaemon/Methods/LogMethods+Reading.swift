import HarkCore
import HarkDelivery
import HarkStore
import HarkSystem
import HarkWire

/// Reading and following log entries, as `event.list` and `event.subscribe` do it with events.
extension LogMethods {
    private static let filters: [Method.Parameter] = [
        .init(name: "sessionId", type: .id, meaning: "only those that lie in this session"),
        .init(
            name: "userId", type: .orNull(.string),
            meaning: "only those in sessions of this user, as a clear means them; null: only in anonymous ones"),
        .init(name: "app", type: .string, meaning: "only this application's"),
        .init(
            name: "level", type: .level,
            meaning: "only entries at least this grave: `info`, `warning` or `error`; `messages`: only those"),
    ]

    static let list = Method(
        name: "log.list", summary: "Reads log entries, in the order of their numbers, a page at a time.",
        details: """
            What was logged before the request is in the reply, until retention or a clear removes it; whether it was \
            delivered plays no part. Filters can be combined. Pages are as with [event.list](#eventlist).
            """,
        parameters: filters + RecordPages.parameters,
        result: [
            .init(
                name: "entries", type: .array(.logEntry), isOptional: true,
                meaning: "each with `id`, `seq`, `timestamp`, `sessionId`, `level`, `message`, `userId` (whom it is "
                    + "about), `metadata`, `source` (`uid`, `pid`)"),
            .init(
                name: "lines", type: .strings, isOptional: true,
                meaning: "instead, with `as`: `lines`: each entry as a string"),
            .init(
                name: "nextAfterSeq", type: .orNull(.count), meaning: "where the next page goes on; null on the last"),
        ],
        examples: [
            .init(
                before: [
                    #"{"id":0,"method":"log.write","params":{"message":"Paper is out","level":"warning","userId":"ada"}}"#
                ],
                params: #"{"level":"warning","limit":1}"#,
                result: """
                    {"entries":[{"id":"0199e0f4-8c7a-7000-8000-0000000000a1","seq":1,\
                    "timestamp":"2026-11-21T11:08:00.123Z","sessionId":"0199e0f4-8c7a-7000-8000-000000000000",\
                    "level":"warning","message":"Paper is out","userId":"ada","metadata":{},\
                    "source":{"uid":1000,"pid":4242}}],"nextAfterSeq":1}
                    """),
            .init(
                params: #"{"since":"2026-11-21T00:00:00Z","as":"lines"}"#,
                result: #"{"lines":[],"nextAfterSeq":null}"#),
        ],
        handler: .deferred { call, json throws(WireError) in
            var query = RecordQuery(limit: try call.params.read(RecordPages.limit) ?? 1_000)
            try query.readLogFilters(call)
            try await RecordPages.answer(query, "entries", call, to: &json) { record, session, json in
                RecordJSON.writeLog(Record(record, of: session), withSource: true, to: &json)
            }
        })

    static let subscribe = Method(
        name: "log.subscribe", summary: "Streams log entries as they are committed.",
        details: """
            After the reply come [notifications](#streams) without end: `log` with `params.entry`, as in \
            [log.list](#loglist). `afterSeq` resumes as with [event.subscribe](#eventsubscribe). Filters can be combined.
            """,
        parameters: filters + [
            .init(name: "afterSeq", type: .count, meaning: "resume after this number; without it, from now on")
        ],
        result: [
            .init(name: "subscription", type: .subscription, meaning: "its number on this connection"),
            .init(name: "afterSeq", type: .count, meaning: "the number after which the stream begins"),
        ],
        notifications: [.init(name: "log", meaning: "A line was logged", params: [.always("entry", .logEntry)])],
        examples: [
            .init(
                before: [#"{"id":0,"method":"log.write","params":{"message":"Paper is out","userId":"ada"}}"#],
                params: #"{"afterSeq":0}"#, result: #"{"subscription":1,"afterSeq":0}"#,
                notifications: [
                    """
                    {"jsonrpc":"2.0","method":"log","params":{"subscription":1,"entry":\
                    {"id":"0199e0f4-8c7a-7000-8000-0000000000a1","seq":1,"timestamp":"2026-11-21T11:08:00.123Z",\
                    "sessionId":"0199e0f4-8c7a-7000-8000-000000000001","level":"info","message":"Paper is out",\
                    "userId":"ada","metadata":{},"source":{"uid":1000,"pid":4242}}}}
                    """
                ])
        ],
        handler: .read { call, json throws(WireError) in
            var filter = RecordQuery(limit: 1)
            try filter.readLogFilters(call)
            let (connection, hub) = (call.connection, call.daemon.hub)
            let after = try call.params.sequence("afterSeq")
            let subscription = try connection.subscribe { [filter] number in
                Subscription(number: number, connection: connection, hub: hub, filter: filter, after: after)
            }
            json.key("subscription")
            json.int(subscription.number)
            json.key("afterSeq")
            json.uint(subscription.startsAfter)
        })
}

extension RecordQuery {
    @DaemonActor
    fileprivate mutating func readLogFilters(_ call: Call) throws(WireError) {
        kinds = [.log]
        uid = call.peer.visibleUID
        session = try call.params.identifier("sessionId")
        user = try call.params.userFilter()
        app = try call.params.string("app")
        let word = try call.params.choice("level", of: LogEntry.Level.allCases.map(\.rawValue))
        level = word.flatMap(LogEntry.Level.init)
    }
}
