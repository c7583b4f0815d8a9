import HarkCore
import HarkLedger
import HarkServer
import HarkStore
import HarkSystem
import HarkWire

/// Counts and sums of events.
extension EventMethods {
    static let stats = Method(
        EventStats.self, summary: "Counts events and sums up their numbers, by groups and buckets of time.",
        details: """
            The filters are those of [event.list](#eventlist). Groups are made by the values of up to 4 fields; 3 and 3.0 \
            are the same value, `"3"` is another. With `value`, the numbers of a property are summed up; other values do not \
            count. Percentiles (nearest rank) of up to 32 numbers are exact. With more numbers they are at most 0.8 % off, \
            unless `percentileError` says more. The least and the greatest number are exact. Up to about 1,000 different values \
            are counted exactly, more with the standard error in `distinctError` (1.6 %).

            Memory is bounded: there is room for 20,000 groups times buckets (3,000 with `percentiles` or `distinct`), for \
            10,000 groups and for 1 MiB of their texts. Events of further groups are in `total` and in `rest`. Events that are \
            recorded meanwhile do not count: `seq` is the last number that was looked at, and as `afterSeq` of the next request \
            it makes that one count the events since. The daemon works on one request of a user at a time. More in \
            [statistics](guides/statistics.md).
            """,
        refusals: [
            .init(
                reason: .invalidParams, when: "`boundaries` do not ascend, or events have no such field",
                params: #"{"by":["@usr"]}"#)
        ],
        examples: [
            .init(
                before: [
                    #"{"id":0,"method":"event.record","params":{"name":"checkout","properties":{"amount":59.5,"plan":"pro"}}}"#,
                    #"{"id":0,"method":"event.record","params":{"name":"checkout","properties":{"amount":12,"plan":"pro"}}}"#,
                ],
                params: #"{"name":"checkout","by":["plan"],"value":"amount","percentiles":[95],"distinct":"@session"}"#,
                result: """
                    {"groups":[{"by":["pro"],"count":2,"numbers":2,"sum":71.5,"mean":35.75,"min":12,"max":59.5,\
                    "percentiles":[59.5],"percentileError":0.0,"distinct":1,"distinctError":0.0}],"groupCount":1,\
                    "total":{"count":2,"numbers":2,"sum":71.5,"mean":35.75,"min":12,"max":59.5,"percentiles":[59.5],\
                    "percentileError":0.0,"distinct":1,"distinctError":0.0},"earliest":"2026-11-21T11:08:00.123Z",\
                    "latest":"2026-11-21T11:08:00.123Z","rest":null,"seq":3}
                    """),
            .init(
                params: """
                    {"by":["@name"],"boundaries":["2026-11-21T00:00:00Z","2026-11-22T00:00:00Z","2026-11-23T00:00:00Z"]}
                    """,
                result:
                    #"{"groups":[],"groupCount":0,"total":{"count":0,"buckets":[]},"earliest":null,"latest":null,"rest":null,"seq":0}"#
            ),
        ],
        handler: .deferred { call, request, json throws(WireError) in
            let question = try question(request)
            var query = try await RecordQuery.list(request.filter, request.machines, call)
            (query.since, query.until) = (request.since, request.until)
            query.from = request.afterSeq.map { UInt64($0) }
            if let first = question.boundaries.first, let last = question.boundaries.last {
                query.since = max(query.since ?? first, first)
                query.until = min(query.until ?? last, last)
            }
            await call.ledger.settleToRead()
            query.patience = RecordPages.patience
            let gate = call.desk(StatisticsGate.self)
            await gate.enter(call.connection.turnOwner)
            defer { gate.leave(call.connection.turnOwner) }
            try await count(query, question, Int(request.limit ?? 1_000), call, to: &json)
        })

    @DaemonActor
    private static func count(
        _ filters: RecordQuery, _ question: StatisticsQuestion, _ limit: Int, _ call: Call, to json: inout JSONWriter
    ) async throws(WireError) {
        var query = filters
        let last = call.ledger.committedSequence
        let statistics = EventStatistics(question)
        while true {
            let (next, result) = try await call.read { [query] reader throws(StoreError) in
                let page = try reader.scan(
                    query, upTo: last, begin: { statistics.beginBlock() }, { statistics.add($1, of: $0) })
                guard !page.isCut else { return (page.next, [UInt8]()) }
                // Written on the reader's thread, as there may be many groups.
                var info = statistics.info(limit: limit)
                info.seq = Int64(clamping: last)
                return (nil as UInt64?, info.json)
            }
            guard let next else { return json.members { $0.raw(result) } }
            query.from = next
        }
    }

    private static func question(_ request: EventStats) throws(WireError) -> StatisticsQuestion {
        var question = StatisticsQuestion()
        for name in request.by ?? [] {
            question.by.append(try EventField(name, of: "by"))
        }
        try check(question.by.count, atMost: StatisticsQuestion.mostFields, "by")
        if let name = request.value {
            question.value = try EventField(name, of: "value")
            guard case .property = question.value else {
                throw WireError(
                    .invalidParams, "'value' must name a property with numbers, and not a member like @user",
                    path: Params.path("value"))
            }
        }
        question.percentiles = request.percentiles ?? []
        try check(question.percentiles.count, atMost: StatisticsQuestion.mostPercentiles, "percentiles")
        if question.value == nil, !question.percentiles.isEmpty {
            throw WireError(
                .invalidParams, "'percentiles' goes with 'value', the property they are of",
                path: Params.path("percentiles"))
        }
        if let name = request.distinct { question.distinct = try EventField(name, of: "distinct") }
        question.boundaries = try checked(boundaries: request.boundaries ?? [])
        return question
    }

    private static func check(_ count: Int, atMost most: Int, _ member: String) throws(WireError) {
        guard count > most else { return }
        throw WireError(
            .invalidParams, "'\(member)' has at most \(most) elements, not \(count)", path: Params.path(member))
    }
}

extension EventMethods {
    static func checked(boundaries: [Timestamp]) throws(WireError) -> [Timestamp] {
        guard boundaries.count != 1, zip(boundaries, boundaries.dropFirst()).allSatisfy(<) else {
            throw WireError(
                .invalidParams, "'boundaries' must be two times or more that ascend", path: Params.path("boundaries"))
        }
        return boundaries
    }
}
