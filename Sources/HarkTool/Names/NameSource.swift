import Glibc
import HarkAsking
import HarkClient
import HarkWire

/// Lists the objects of a kind from the daemon, page by page.
struct NameSource {
    let kind: NameKind
    /// The app of counters, executions and waiting surveys; nil for the default app's, and for all waiting surveys.
    var app: String?
    /// The maximum number of objects, after which the list ends at the end of a page.
    var most = 100_000
    /// Checked after each page; true ends the list early.
    var isEnough: () -> Bool = { false }
    /// The page size, at most 1,000.
    var pageSize: Int64 = 1_000
    /// The time on the monotonic clock after which nothing is waited for.
    var deadline: Double?

    /// Calls `body` with each object, up to about `most`.
    ///
    /// - Returns: Whether the list is complete.
    @discardableResult
    func forEach(_ connection: inout Connection, _ body: (NamedThing) -> Void) throws(ClientError) -> Bool {
        switch kind {
        case .survey: return try surveys(&connection, body)
        case .form:
            var request = FormList()
            request.limit = pageSize
            return try pages(request, "forms", &connection) { form in
                body(NamedThing(form, id: "formId", titles: ["title"]))
            }
        case .counter:
            var request = CounterList()
            (request.app, request.limit) = (app, pageSize)
            return try pages(request, &connection) { body(NamedThing(id: $0.name, titles: [])) }
        case .execution:
            var request = ExecutionList()
            (request.app, request.limit) = (app ?? "default", pageSize)
            return try pages(request, &connection) { body(NamedThing(id: $0.definition.id, titles: [])) }
        case .watch:
            var request = WatchList()
            request.limit = min(pageSize, 100)
            return try pages(request, &connection) { body(NamedThing(id: $0.id, titles: [])) }
        case .destination:
            if let deadline { connection.patience = max(0, deadline - MonotonicClock.now) }
            let status = try connection.call(DeliveryStatus()).value
            for destination in status.destinations { body(NamedThing(id: destination.name, titles: [])) }
            return true
        case .session:
            var request = SessionList()
            (request.order, request.limit) = (.desc, pageSize)
            return try pages(request, "sessions", &connection) { session in
                body(NamedThing(session, id: "id"))
            }
        case .presentation:
            return try pages(pending, "surveys", &connection) { told in
                // An administrator also sees surveys of other users. Those are matched by id only.
                let isOwn = ShowingPlace(told).uid == Int64(getuid())
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
            let all = try pages(pending, "surveys", &connection) { told in
                body(NamedThing(told, id: "presentationId"))
            }
            return try surveys(&connection, body) && all
        }
    }

    /// Lists the names of the newest events, newest first.
    private func events(_ connection: inout Connection, _ body: (NamedThing) -> Void) throws(ClientError) -> Bool {
        var seen: Set<String> = []
        if let deadline { connection.patience = max(0, deadline - MonotonicClock.now) }
        let page = try connection.call(EventList(.newest(pageSize))).value
        for event in page.events?.json.elements ?? [] {
            let named = NamedThing(event, id: "name")
            if seen.insert(named.id).inserted { body(named) }
        }
        return page.nextAfterSeq == nil
    }

    private func surveys(
        _ connection: inout Connection, _ body: (NamedThing) -> Void
    ) throws(ClientError) -> Bool {
        var request = SurveyList()
        request.limit = pageSize
        return try pages(request, "surveys", &connection) { survey in
            body(NamedThing(survey, id: "surveyId", titles: ["title"]))
        }
    }

    /// Lists open prompts and recently closed ones.
    private func prompts(_ connection: inout Connection, _ body: (NamedThing) -> Void) throws(ClientError) -> Bool {
        // A prompt to several accounts has a presentation for each.
        var seen: Set<String> = []
        func tell(_ told: JSONText) {
            let prompt = NamedThing(told, id: "promptId")
            if !prompt.id.isEmpty, seen.insert(prompt.id).inserted { body(prompt) }
        }
        var history = SurveyHistory()
        (history.app, history.limit) = (app, pageSize)
        let open = try pages(pending, "surveys", &connection, body: tell)
        let closed = try pages(history, "presentations", &connection, body: tell)
        return open && closed
    }

    private var pending: SurveyPending {
        var request = SurveyPending()
        (request.app, request.limit) = (app, pageSize)
        return request
    }

    private func pages<Method: PagedMethod>(
        _ request: Method, _ connection: inout Connection, body: (Method.Result.Item) -> Void
    ) throws(ClientError) -> Bool {
        try pages(request, &connection) { reply in
            let items = reply.value.items
            for item in items { body(item) }
            return items.count
        }
    }

    /// - Parameter member: The member of a page that has the objects.
    private func pages(
        _ request: some ListMethod, _ member: StaticString, _ connection: inout Connection, body: (JSONText) -> Void
    ) throws(ClientError) -> Bool {
        try pages(request, &connection) { reply in
            let elements = reply.text.member(member)?.elements ?? []
            for element in elements { body(element) }
            return elements.count
        }
    }

    /// - Parameter take: Takes a page, and returns the number of its objects.
    private func pages<Method: ListMethod>(
        _ request: Method, _ connection: inout Connection, take: (Reply<Method.Result>) -> Int
    ) throws(ClientError) -> Bool {
        var request = request
        var count = 0
        repeat {
            if let deadline { connection.patience = max(0, deadline - MonotonicClock.now) }
            let page = try connection.call(request)
            count += take(page)
            request.after = page.text.ending("next")?.string
        } while request.after != nil && count < most && !isEnough()
        return request.after == nil
    }
}

extension NamedThing {
    /// Reads an object from a reply.
    fileprivate init(_ told: JSONText, id: StaticString, titles: [StaticString] = []) {
        self.init(
            id: told.member(id)?.string ?? "",
            titles: titles.compactMap { told.member($0)?.string }.filter { !$0.isEmpty })
    }
}
