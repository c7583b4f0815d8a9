import HarkCore
import HarkLedger
import HarkServer
import HarkStore
import HarkSystem
import HarkWire

/// The executions, and their recent runs.
extension ExecutionMethods {
    static let list = Method(
        ExecutionList.self, summary: "Lists executions and their latest runs.",
        details: """
            Executions of harkd.json come first, each once for all apps, with the sums of the numbers of all apps that you may \
            see. A page also ends at about 1 MiB. `runs` are on the first page, newest first. For each app, the last hundred \
            ended runs of each state are kept. A run is `due`, `running`, `done`, `failed`, `interrupted` (it was running when \
            the daemon ended; it is not run again), `cancelled` or `dropped` (a hundred runs of its execution were waiting \
            already).
            """,
        examples: [
            .init(
                before: [#"{"id":0,"method":"execution.add","params":\#(sample)}"#], params: "{}",
                result: #"{"executions":[\#(added)],"runs":[],"next":null}"#),
            .init(
                before: [
                    #"{"id":0,"method":"counter.register","params":{"name":"opens","initial":2}}"#,
                    #"{"id":0,"method":"execution.add","params":\#(sample)}"#,
                    #"{"id":0,"method":"counter.trigger","params":{"name":"opens"}}"#,
                ], params: #"{"app":"default"}"#,
                result: """
                    {"executions":[],"runs":[{"runId":"0199e0f4-8c7a-7000-8000-0000000000a1",\
                    "executionId":"third-open","app":"default","uid":1000,"counter":"opens","value":3,\
                    "firedAt":"2026-11-21T11:08:00.123Z","state":"done","endedAt":"2026-11-21T11:08:00.123Z"}],\
                    "next":null}
                    """),
        ],
        handler: .deferred { call, request, json throws(WireError) in
            let limit = Int(request.limit ?? 100)
            let cursor = try request.after.map { text throws(WireError) in try ExecutionCursor(text) }
            var query = ExecutionQuery(limit: limit)
            query.uid = call.peer.visibleUID
            query.app = request.app
            let configured = try configured(call, query, cursor)
            query.limit = max(0, limit - configured.count)
            if case .added(let row)? = cursor { query.afterRow = row }
            let (page, states, runs) = try await call.readSettled { [query] reader throws(StoreError) in
                (
                    try query.limit > 0 ? reader.executions(query) : (found: [], next: nil),
                    configured.isEmpty ? [:] : try reader.configuredExecutions(query),
                    cursor == nil ? try reader.runs(query.with(limit: limit)) : []
                )
            }
            json.key("executions")
            json.beginArray()
            let showsProgram = call.peer.isAdministrator
            let count = DocumentPages.write(configured, limit: limit, to: &json) { execution, json in
                ExecutionInfo(execution, states[execution.id] ?? ExecutionState(), showsProgram: showsProgram)
                    .write(to: &json)
            }
            var next = page.next.map(ExecutionCursor.added)
            if let last = configured.prefix(count).last, count < configured.count || query.limit == 0 {
                next = .configured(last.id.text)
            } else {
                for execution in page.found { ExecutionInfo(execution).write(to: &json) }
            }
            json.endArray()
            let told = runs.map { run in
                var run = run
                if case .exec = run.action, !showsProgram { run.note = nil }
                return ExecutionRunInfo(run)
            }
            json.member("runs", told)
            json.member("next", orNull: next?.text)
        })

    /// The executions of the settings after a cursor.
    @DaemonActor
    private static func configured(
        _ call: Call, _ query: ExecutionQuery, _ cursor: ExecutionCursor?
    ) throws(WireError) -> ArraySlice<Execution> {
        if case .added? = cursor { return [] }
        let all = call.ledger.settings.counters.executions.filter {
            query.app == nil || $0.app == nil || $0.app.hasSameBytes(as: query.app)
        }
        guard case .configured(let id)? = cursor else { return all[...] }
        return try DocumentPages.rest(of: all, after: id) { $0.id.text }
    }
}

/// The cursor of a list of executions: first those of the settings, then the others.
private enum ExecutionCursor: Sendable {
    case configured(String)
    /// The row of an added execution.
    case added(Int64)

    private static let mark: Character = ":"

    init(_ text: String) throws(WireError) {
        if text.first == ExecutionCursor.mark {
            self = .configured(String(text.dropFirst()))
        } else if let row = Int64(text) {
            self = .added(row)
        } else {
            throw WireError(
                .invalidParams, "'after' must be the 'next' of an earlier page", path: Params.path("after"))
        }
    }

    var text: String {
        switch self {
        case .configured(let id): "\(ExecutionCursor.mark)\(id)"
        case .added(let row): String(row)
        }
    }
}

extension ExecutionQuery {
    fileprivate func with(limit: Int) -> ExecutionQuery {
        var query = self
        query.limit = limit
        return query
    }
}
