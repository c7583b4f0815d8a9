import HarkCore
import HarkLedger
import HarkServer
import HarkSystem
import HarkWire

/// Subscriptions to counters.
extension CounterMethods {
    static let subscribe = Method(
        CounterSubscribe.self, summary: "Returns the counters of an app, and then streams their changes.",
        details: """
            Each change comes as a notification `counter.changed` with `params.subscription`, `app`, `name`, `value` and \
            `cause`: `register`, `trigger`, `set` or `reset`. No change is missing or sent twice between the reply and the first \
            notification. Only `trigger` and `set` fire executions. The reply ends at about 1 MiB. If `next` is not null, \
            [counter.list](#counterlist) with it as `after` returns the rest, with the values of that time; their changes are \
            streamed from the start.
            """,
        examples: [
            .init(
                before: [registration], params: "{}",
                result: """
                    {"subscription":1,"counters":[{"name":"opens","app":"default","value":0,"initial":0,"scope":"app"}],\
                    "next":null,"revision":1}
                    """)
        ],
        handler: .write { call, request, reply throws(WireError) in
            let name = request.counter.map(ExactName.init)
            let scope = call.scope(of: request.app)
            let topic = call.desk(CounterDesk.self).topic
            let connection = call.connection
            var number = 0
            let subscribed = try act(call, in: scope) { engine, _, _ in
                (engine.counters.all(in: scope), engine.counters.revision)
            }.map { counters, revision throws(WireError) in
                let terms = CounterTerms(scope: scope, name: name, startsAfter: revision)
                let subscription = try connection.subscribe(to: topic, terms)
                number = subscription.number
                return (subscription, counters, revision)
            }
            try subscribed.tell(in: &reply) { subscribed, json in
                let (subscription, counters, revision) = subscribed
                json.subscription(subscription.number)
                write(name == nil ? counters[...] : counters.filter(subscription.terms.include)[...], to: &json)
                json.key("revision")
                json.int(Int(revision))
            }
            // The client gets the error instead of a subscription.
            subscribed.then { [number] outcome in
                if case .failure = outcome { connection.end(subscription: number) }
            }
        })
}
