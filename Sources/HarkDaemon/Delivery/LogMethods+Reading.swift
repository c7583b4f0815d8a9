import HarkCore
import HarkDelivery
import HarkServer
import HarkStore
import HarkSystem
import HarkWire

/// Reads and streams log entries, as `event.list` and `event.subscribe` do with events.
extension LogMethods {
    static let list = Method(
        LogList.self, summary: "Reads log entries, in the order of their numbers, a page at a time.",
        details: """
            The reply contains everything that was logged before the request, delivered or not, until retention or a clear \
            removes it. Filters can be combined. Pages are as with [event.list](#eventlist).
            """,
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
        handler: .deferred { call, request, json throws(WireError) in
            let query = try RecordQuery(request.filter, call)
            try await RecordPages.answer(query, request.page, "entries", call, to: &json) {
                record, session, form, json in
                let record = Record(record, of: session)
                guard form == .lines else { return RecordJSON.writeLog(record, withSource: true, to: &json) }
                var line = JSONWriter()
                RecordJSON.writeLog(record, withSource: true, to: &line)
                line.bytes.withUnsafeBufferPointer { json.string(utf8: $0) }
            }
        })

    static let subscribe = Method(
        LogSubscribe.self, summary: "Streams log entries as they are committed.",
        details: """
            After the reply come [notifications](#streams) without end: `log` with `params.entry`, as in \
            [log.list](#loglist). `afterSeq` resumes as with [event.subscribe](#eventsubscribe). Filters can be combined.
            """,
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
        handler: .read { call, request, json throws(WireError) in
            let filter = try RecordQuery(request.filter, call)
            let (connection, hub) = (call.connection, call.desk(StreamHub.self))
            let after = request.afterSeq.map(UInt64.init)
            let subscription = try connection.subscribe { [filter] number in
                RecordSubscription(number: number, connection: connection, hub: hub, filter: filter, after: after)
            }
            var told = RecordStreamInfo()
            told.subscription = Int64(subscription.number)
            told.afterSeq = Int64(clamping: subscription.startsAfter)
            told.writeMembers(to: &json)
        })
}

extension RecordQuery {
    @DaemonActor
    fileprivate init(_ filter: LogFilter, _ call: Call) throws(WireError) {
        self.init(limit: .max)
        kinds = [.log]
        uid = call.peer.visibleUID
        session = filter.session.flatMap(Identifier.init)
        user = filter.user.filter
        app = filter.app
        machines = try filter.machines.filter()
        level = filter.level.flatMap(LogLevel.init)
    }
}
