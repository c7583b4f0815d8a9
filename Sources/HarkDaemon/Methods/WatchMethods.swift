import HarkCore
import HarkStore
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
        .watchAdd, summary: "Waits for an event, and records when it has not come for a while.",
        details: """
            When none has come for `everySeconds`, the event `watch.missed` is recorded, once, and `watch.recovered` when one comes \
            again: events as any other, of the app that is named, or `default`. Events count by when they were received; \
            imported ones, and those that surveys record of themselves, do not. A watch with the same id is replaced; where it \
            waits for the same events, it is counted on from where it was. With `between` and `days`, only the time within those \
            hours and days counts; an event counts whenever it comes. See [watches](guides/watch.md).
            """,
        refusals: [
            .init(
                reason: .invalidParams, when: "the event is one that watches record",
                params: #"{"id":"alarms","event":"watch.missed","everySeconds":60}"#),
            .init(reason: .tooLarge, when: "you have 100 watches, or their conditions for one event weigh too much"),
        ],
        examples: [.init(params: sample, result: #"{"watch":\#(added),"replaced":false}"#)],
        handler: .write { call, reply throws(WireError) in
            let key = WatchKey(uid: call.peer.uid, id: ExactName(try call.params.required(.newWatch)))
            let event = try call.params.read(.watchedEvent) ?? key.id.text
            let every = Int64((try call.params.required(.watchedEvery) * 1_000).rounded())
            let condition = try call.params.read(.watchedWhere).map { value throws(WireError) in
                try EventCondition(value, Params.path(.watchedWhere))
            }
            let app = try call.params.read(.watchedApp)
            let userId = try call.params.read(.watchedUser)
            let between = try call.params.read(.watchedBetween)
            let days = try call.params.read(.watchedDays)
            try act(call) { engine, changes, now throws(WireError) in
                let hours = try WatchHours(between: between, days: days)
                let watch = Watch(
                    key: key, event: event, every: every, condition: condition, app: app, userId: userId, hours: hours,
                    addedAt: now, state: WatchState(since: engine.watchTime ?? now))
                let outcome = try engine.addWatch(watch, into: &changes)
                return (outcome.watch, engine.due(of: outcome.watch, now: now), outcome.isReplacement)
            }.tell(in: &reply) { outcome, json in
                json.key("watch")
                write(outcome.0, dueAt: outcome.1, to: &json)
                json.key("replaced")
                json.bool(outcome.2)
            }
        })

    static let remove = Method(
        .watchRemove, summary: "Waits for an event no more.",
        refusals: [.init(reason: .notFound, when: "you have no such watch", params: #"{"id":"restore"}"#)],
        examples: [
            .init(
                before: [#"{"id":0,"method":"watch.add","params":\#(sample)}"#], params: #"{"id":"backup"}"#,
                result: #"{"removed":true}"#)
        ],
        handler: .write { call, reply throws(WireError) in
            let key = WatchKey(uid: call.peer.uid, id: ExactName(try call.params.required(.watch)))
            try act(call) { engine, changes, _ throws(WireError) in
                try engine.removeWatch(key, into: &changes)
            }.tell(in: &reply) { _, json in
                json.key("removed")
                json.bool(true)
            }
        })

    static let list = Method(
        .watchList, summary: "Lists the watches, and how it stands with each.",
        details: "Administrators see those of all users, others their own.",
        examples: [
            .init(
                before: [#"{"id":0,"method":"watch.add","params":\#(sample)}"#], params: "{}",
                result: #"{"watches":[\#(added)],"next":null}"#)
        ],
        handler: .write { call, reply throws(WireError) in
            let limit = try call.params.read(.watchLimit) ?? 100
            let cursor = try WatchCursor(call.params)
            let uid = call.peer.visibleUID
            try act(call) { engine, _, now throws(WireError) in
                engine.watches.page(of: uid, after: cursor?.key, limit: limit).map {
                    ($0, engine.due(of: $0, now: now))
                }
            }.tell(in: &reply) { found, json in
                json.key("watches")
                json.beginArray()
                for (watch, due) in found { write(watch, dueAt: due, to: &json) }
                json.endArray()
                json.key("next")
                if found.count == limit, let last = found.last {
                    json.string(WatchCursor(key: last.0.key).text)
                } else {
                    json.null()
                }
            }
        })

    @DaemonActor
    private static func act<Value: Sendable>(
        _ call: Call, _ command: (inout Engine, inout Changes, Timestamp) throws(WireError) -> Value
    ) throws(WireError) -> Decided<Value> {
        try call.decide(needing: .watches, command)
    }

    static func write(_ watch: Watch, dueAt: Timestamp?, to json: inout JSONWriter) {
        func member(_ name: StaticString, _ time: Timestamp?) {
            json.key(name)
            if let time { json.timestamp(time) } else { json.null() }
        }
        json.beginObject()
        json.key("id")
        json.string(watch.key.id.text)
        json.key("event")
        json.string(watch.event)
        json.key("everySeconds")
        json.value(watch.every % 1_000 == 0 ? .int(watch.every / 1_000) : .double(Double(watch.every) / 1_000))
        if let condition = watch.condition?.condition {
            json.key("where")
            json.value(condition.document)
        }
        if let between = watch.hours?.between {
            json.key("between")
            json.string(between)
        }
        if let days = watch.hours?.days {
            json.key("days")
            json.string(days)
        }
        if let app = watch.app {
            json.key("app")
            json.string(app)
        }
        if let userId = watch.userId {
            json.key("userId")
            json.string(userId)
        }
        json.key("uid")
        json.uint(UInt64(watch.key.uid))
        member("addedAt", watch.addedAt)
        member("lastAt", watch.state.lastAt)
        json.key("lastSeq")
        if let sequence = watch.state.lastSequence { json.uint(sequence) } else { json.null() }
        member("dueAt", dueAt)
        member("missedAt", watch.state.missedAt)
        json.key("misses")
        json.int(watch.state.misses)
        json.endObject()
    }
}

/// Where a list of watches goes on: after one of a user of the machine.
private struct WatchCursor {
    let key: WatchKey

    init(key: WatchKey) { self.key = key }

    /// - Returns: nil at the beginning.
    @DaemonActor
    init?(_ params: Params) throws(WireError) {
        guard let text = try params.read(.after) else { return nil }
        let parts = text.split(separator: ":", maxSplits: 1)
        guard parts.count == 2, let uid = UInt32(parts[0]) else { throw Method.noCursor }
        key = WatchKey(uid: uid, id: ExactName(String(parts[1])))
    }

    var text: String { "\(key.uid):\(key.id.text)" }
}
