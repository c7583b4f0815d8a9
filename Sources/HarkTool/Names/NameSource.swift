import Glibc
import HarkAsking
import HarkClient
import HarkWire

/// Asks the daemon what there is of a kind, a page at a time.
struct NameSource {
    let kind: NameKind
    /// Whose counters and executions are meant, and only whose surveys that wait; nil: the default app's, and all.
    var app: String?
    /// Ends the list early; a page more may come.
    var most = 100_000
    /// Ends it as well, after a page.
    var isEnough: () -> Bool = { false }
    /// How many are asked for at a time, 1,000 at most.
    var pageSize: Int64 = 1_000
    /// On the monotonic clock: nothing is waited for beyond it.
    var deadline: Double?

    /// Calls `body` with each, until there are no more, or `most` came.
    ///
    /// - Returns: whether these were all.
    @discardableResult
    func forEach(_ connection: inout Connection, _ body: (NamedThing) -> Void) throws(ClientError) -> Bool {
        switch kind {
        case .survey: return try surveys(&connection, body)
        case .form:
            return try pages(.formList, "forms", .formLimit, &connection) { form in
                body(NamedThing(form, id: "formId", titles: ["title"]))
            }
        case .counter: return try counters(&connection, body)
        case .execution:
            return try pages(.executionList, "executions", .executionLimit, &connection) { params in
                params.member(.onlyApp, app ?? "default")
            } body: { execution in
                body(NamedThing(execution, id: "id"))
            }
        case .watch:
            var request = WatchList()
            request.limit = min(pageSize, 100)
            return try pages(request, &connection) { body(NamedThing(id: $0.id, titles: [])) }
        case .destination:
            let status = try call(.deliveryStatus, &connection) { _ in }
            for destination in status.member("destinations")?.elements ?? [] {
                body(NamedThing(destination, id: "name"))
            }
            return true
        case .session:
            return try pages(.sessionList, "sessions", .sessionLimit, &connection) { params in
                params.member(.sessionOrder, ListOrder.desc.rawValue)
            } body: { session in
                body(NamedThing(session, id: "id"))
            }
        case .presentation:
            return try presentations(.surveyPending, "surveys", &connection) { told in
                // Of others' surveys an administrator sees, only the ids tell which is meant.
                let isOwn = told.member("uid")?.int == Int64(getuid())
                body(NamedThing(told, id: "presentationId", titles: isOwn ? ["surveyId", "title"] : []))
            }
        case .prompt: return try prompts(&connection, body)
        case .machine:
            var request = FleetStatus()
            request.limit = pageSize
            return try pages(request, &connection) { machine in
                body(NamedThing(id: machine.machine, titles: [machine.group].compactMap(\.self).filter { !$0.isEmpty }))
            }
        case .event: return try events(&connection, body)
        case .surveyOrPresentation:
            let all = try presentations(.surveyPending, "surveys", &connection) { told in
                body(NamedThing(told, id: "presentationId"))
            }
            return try surveys(&connection, body) && all
        }
    }

    /// The names of the newest events, the newest first.
    private func events(_ connection: inout Connection, _ body: (NamedThing) -> Void) throws(ClientError) -> Bool {
        var seen: Set<String> = []
        let page = try call(.eventList, &connection) { params in
            params.member(.recordOrder, ListOrder.desc.rawValue)
            params.member(.recordLimit, pageSize)
        }
        for event in page.member("events")?.elements ?? [] {
            let named = NamedThing(event, id: "name")
            if seen.insert(named.id).inserted { body(named) }
        }
        return page.member("nextAfterSeq")?.isNull ?? true
    }

    private func surveys(
        _ connection: inout Connection, _ body: (NamedThing) -> Void
    ) throws(ClientError) -> Bool {
        try pages(.surveyList, "surveys", .ruleLimit, &connection) { survey in
            body(NamedThing(survey, id: "surveyId", titles: ["title"]))
        }
    }

    /// Those that are open, and those of late that are over.
    private func prompts(_ connection: inout Connection, _ body: (NamedThing) -> Void) throws(ClientError) -> Bool {
        // A prompt to several accounts is shown to each.
        var seen: Set<String> = []
        func tell(_ told: JSONText) {
            let prompt = NamedThing(told, id: "promptId")
            if !prompt.id.isEmpty, seen.insert(prompt.id).inserted { body(prompt) }
        }
        let open = try presentations(.surveyPending, "surveys", &connection, tell)
        let closed = try presentations(.surveyHistory, "presentations", &connection, tell)
        return open && closed
    }

    private func presentations(
        _ method: MethodShape, _ member: StaticString, _ connection: inout Connection, _ body: (JSONText) -> Void
    ) throws(ClientError) -> Bool {
        try pages(method, member, .pendingLimit, &connection, { $0.member(.onlyApp, app) }, body: body)
    }

    /// Counters go on after a name.
    private func counters(_ connection: inout Connection, _ body: (NamedThing) -> Void) throws(ClientError) -> Bool {
        try pages(.counterList, "counters", .counterLimit, &connection) { params in
            params.member(.counterApp, app)
        } body: { counter in
            body(NamedThing(counter, id: "name"))
        }
    }

    private func pages(
        _ method: MethodShape, _ member: StaticString, _ limit: Parameter<Int>, _ connection: inout Connection,
        _ write: (inout JSONWriter) -> Void = { _ in }, body: (JSONText) -> Void
    ) throws(ClientError) -> Bool {
        var after: String?
        var count = 0
        repeat {
            let page = try call(method, &connection) { params in
                write(&params)
                params.member(.after, after)
                params.member(limit, pageSize)
            }
            for element in page.member(member)?.elements ?? [] {
                count += 1
                body(element)
            }
            after = page.member("next")?.string
        } while after != nil && count < most && !isEnough()
        return after == nil
    }

    private func pages<Method: PagedMethod>(
        _ request: Method, _ connection: inout Connection, body: (Method.Result.Item) -> Void
    ) throws(ClientError) -> Bool {
        var request = request
        var count = 0
        repeat {
            if let deadline { connection.patience = max(0, deadline - MonotonicClock.now) }
            let page = try connection.call(request).value
            for item in page.items { body(item) }
            count += page.items.count
            request.after = page.next
        } while request.after != nil && count < most && !isEnough()
        return request.after == nil
    }

    private func call(
        _ method: MethodShape, _ connection: inout Connection, _ write: (inout JSONWriter) -> Void
    ) throws(ClientError) -> JSONText {
        if let deadline { connection.patience = max(0, deadline - MonotonicClock.now) }
        return try connection.call(method, write)
    }
}

extension NamedThing {
    /// What the daemon tells of one.
    fileprivate init(_ told: JSONText, id: StaticString, titles: [StaticString] = []) {
        self.init(
            id: told.member(id)?.string ?? "",
            titles: titles.compactMap { told.member($0)?.string }.filter { !$0.isEmpty })
    }
}
