import HarkCore
import HarkServer
import HarkSystem
import HarkWire

/// `watch.*`.
enum WatchMethods {
    static let all: [Method] = [add, remove, list]

    private static let sample = #"{"id":"backup","everySeconds":93600,"where":"exitCode = 0"}"#
    private static let added = """
        {"id":"backup","event":"backup","everySeconds":93600,"where":{"exitCode":{"op":"eq","value":0}},"uid":1000,\
        "addedAt":"2026-11-21T11:08:00.123Z","lastAt":null,"lastSeq":null,"dueAt":"2026-11-22T13:08:00.123Z",\
        "missedAt":null,"misses":0}
        """

    static let add = Method(
        WatchAdd.self, summary: "Watches for an event, and records when it stays away for too long.",
        details: """
            If no such event comes for `everySeconds`, the event `watch.missed` is recorded, once, and `watch.recovered` when \
            one comes again. They are ordinary events of the given app, or of `default`. Events count by the time at which they \
            were received; imported events, and those that surveys record themselves, do not count. A watch with the same id is \
            replaced; if it watches for the same events, its time goes on. With `between` and `days`, only the time within those \
            hours and days counts; an event counts at any time. See [watches](guides/watch.md).
            """,
        refusals: [
            .init(
                reason: .invalidParams, when: "watches record this event themselves",
                params: #"{"id":"alarms","event":"watch.missed","everySeconds":60}"#),
            .init(reason: .tooLarge, when: "you have 100 watches, or their conditions for one event weigh too much"),
        ],
        examples: [.init(params: sample, result: #"{"watch":\#(added),"replaced":false}"#)],
        deciding: { call, request throws(WireError) in
            let condition = try request.terms.condition.map { json throws(WireError) in try EventCondition(json) }
            return try call.decide(needing: .watches) { engine, changes, now throws(WireError) in
                let wanted = Watch(
                    key: WatchKey(uid: call.peer.uid, id: ExactName(request.id)), event: request.event ?? request.id,
                    terms: request.terms, condition: condition,
                    hours: try WatchHours(between: request.terms.between, days: request.terms.days), addedAt: now,
                    state: WatchState(since: engine.watchTime ?? now))
                let outcome = try engine.addWatch(wanted, into: &changes)
                var result = WatchAdd.Result()
                result.watch = WatchInfo(outcome.watch, dueAt: engine.due(of: outcome.watch, now: now))
                result.replaced = outcome.isReplacement
                return result
            }
        })

    static let remove = Method(
        WatchRemove.self, summary: "Removes a watch.",
        refusals: [.init(reason: .notFound, when: "you have no such watch", params: #"{"id":"restore"}"#)],
        examples: [
            .init(
                before: [#"{"id":0,"method":"watch.add","params":\#(sample)}"#], params: #"{"id":"backup"}"#,
                result: #"{"removed":true}"#)
        ],
        deciding: { call, request throws(WireError) in
            let key = WatchKey(uid: call.peer.uid, id: ExactName(request.id))
            return try call.decide(needing: .watches) { engine, changes, _ throws(WireError) in
                try engine.removeWatch(key, into: &changes)
                return Removed()
            }
        })

    static let list = Method(
        WatchList.self, summary: "Lists the watches and their states.",
        details: "Administrators see the watches of all users, other users their own.",
        examples: [
            .init(
                before: [#"{"id":0,"method":"watch.add","params":\#(sample)}"#], params: "{}",
                result: #"{"watches":[\#(added)],"next":null}"#)
        ],
        deciding: { call, request throws(WireError) in
            let limit = Int(request.limit ?? 100)
            let cursor = try request.after.map { text throws(WireError) in try WatchCursor(text) }
            let uid = call.peer.visibleUID
            return try call.decide(needing: .watches) { engine, _, now in
                let found = engine.watches.page(of: uid, after: cursor?.key, limit: limit)
                var page = WatchList.Result()
                page.watches = found.map { WatchInfo($0, dueAt: engine.due(of: $0, now: now)) }
                page.next = found.count == limit ? found.last.map { WatchCursor(key: $0.key).text } : nil
                return page
            }
        })
}

extension WatchInfo {
    init(_ watch: Watch, dueAt: Timestamp?) {
        self.init()
        id = watch.key.id.text
        event = watch.event
        terms = watch.terms
        uid = Int64(watch.key.uid)
        addedAt = watch.addedAt
        lastAt = watch.state.lastAt
        lastSeq = watch.state.lastSequence.map { Int64(clamping: $0) }
        self.dueAt = dueAt
        missedAt = watch.state.missedAt
        misses = Int64(watch.state.misses)
    }
}

/// The cursor of a list of watches: the last watch of a machine user.
private struct WatchCursor {
    let key: WatchKey

    init(key: WatchKey) { self.key = key }

    init(_ text: String) throws(WireError) {
        let parts = text.split(separator: ":", maxSplits: 1)
        guard parts.count == 2, let uid = UInt32(parts[0]) else { throw Method.noCursor }
        key = WatchKey(uid: uid, id: ExactName(String(parts[1])))
    }

    var text: String { "\(key.uid):\(key.id.text)" }
}
