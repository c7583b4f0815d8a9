import HarkCore
import HarkServer
import HarkStore
import HarkSystem
import HarkWire

/// Subscriptions to events.
enum StreamMethods {
    static let all: [Method] = [subscribe, cancel]

    static let subscribe = Method(
        EventSubscribe.self, summary: "Streams events, and sessions starting and ending, as they are committed.",
        details: """
            After the reply come [notifications](#streams) without end: `event` with `params.event`, `session.started` \
            and `session.ended` with `params.seq` and `params.session`. With `afterSeq`, everything stored after that \
            number comes first, nothing lost or doubled: to resume, give the last number you have seen. Filters can be combined; \
            `name` and [`where`](reference/conditions.md) apply to events only.
            """,
        examples: [
            .init(params: #"{"include":["events"],"name":"door_*"}"#, result: #"{"subscription":1,"afterSeq":0}"#),
            .init(
                params: #"{"include":["events"],"where":{"amount":{"op":"gt","value":50},"@user":"ada"}}"#,
                result: #"{"subscription":1,"afterSeq":0}"#),
            .init(
                before: [#"{"id":0,"method":"event.record","params":{"name":"door_opened"}}"#],
                params: #"{"afterSeq":0}"#, result: #"{"subscription":1,"afterSeq":0}"#,
                notifications: [
                    """
                    {"jsonrpc":"2.0","method":"session.started","params":{"subscription":1,"seq":1,"session":\
                    {"id":"0199e0f4-8c7a-7000-8000-000000000001","userId":null,"app":"default","uid":1000,\
                    "startedAt":"2026-11-21T11:08:00.123Z","endedAt":null,"anonymous":true,"metadata":{}}}}
                    """,
                    """
                    {"jsonrpc":"2.0","method":"event","params":{"subscription":1,"event":\
                    {"id":"0199e0f4-8c7a-7000-8000-0000000000a1","seq":2,"name":"door_opened",\
                    "timestamp":"2026-11-21T11:08:00.123Z","sessionId":"0199e0f4-8c7a-7000-8000-000000000001",\
                    "properties":{},"source":{"uid":1000,"pid":4242}}}}
                    """,
                ]),
        ],
        handler: .read { call, request, json throws(WireError) in
            var filter = try RecordQuery(request.filter, request.machines, call)
            filter.kinds = try kinds(request.include)
            let connection = call.connection
            let after = request.afterSeq.map(UInt64.init)
            let subscription = try connection.subscribe { [filter] number in
                RecordSubscription(
                    number: number, connection: connection, hub: call.desk(StreamHub.self), filter: filter, after: after
                )
            }
            var told = RecordStreamInfo()
            told.subscription = Int64(subscription.number)
            told.afterSeq = Int64(clamping: subscription.startsAfter)
            told.writeMembers(to: &json)
        })

    private static func kinds(_ include: [String]?) throws(WireError) -> Record.Kinds {
        let words = include ?? StreamContent.allCases.map(\.rawValue)
        var kinds: Record.Kinds = []
        for word in words {
            switch StreamContent(rawValue: word) {
            case .events: kinds.insert(.event)
            case .sessions: kinds.formUnion([.sessionStarted, .sessionEnded])
            case nil:
                throw WireError(
                    .invalidParams, "'include' takes \"events\" and \"sessions\"", path: Params.path("include"))
            }
        }
        return kinds
    }

    static let cancel = Method(
        SubscriptionCancel.self, summary: "Ends a subscription of this connection.",
        refusals: [
            .init(
                reason: .notFound, when: "this connection has no subscription of that number",
                params: #"{"subscription":7}"#)
        ],
        examples: [
            .init(
                before: [#"{"id":0,"method":"event.subscribe"}"#], params: #"{"subscription":1}"#,
                result: #"{"cancelled":true}"#)
        ],
        handler: .read { call, request, json throws(WireError) in
            let number = Int(request.subscription)
            guard call.connection.end(subscription: number) else {
                throw WireError(
                    .notFound, "this connection has no subscription \(number)", path: Params.path("subscription"))
            }
            SubscriptionCancelled().writeMembers(to: &json)
        })
}
