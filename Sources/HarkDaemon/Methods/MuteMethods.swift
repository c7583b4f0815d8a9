import HarkCore
import HarkStore
import HarkSystem
import HarkWire

/// `mute.*`: what people say of being asked.
enum MuteMethods {
    static let all: [Method] = [set, list, remove]

    private static let sample = #"{"surveyId":"rating","forEver":true}"#
    private static let muted = """
        {"surveyId":"rating","muted":true,"until":null,"prompts":false,"everySeconds":null}
        """

    static let set = Method(
        .muteSet, summary: "Says that this account is not to be asked, or how often at most.",
        details: """
            It is the account that says so, for all its users, apps and sources of surveys, and it is stronger than any survey's \
            settings and than the debug mode. What waits and is muted is cancelled (`reason`: `muted`), and so is what is on a \
            screen with no answer in it yet; that gives no attempt back. `everySeconds` holds between any two surveys or, with \
            `surveyId`, between two showings of that one. An account that says nothing of it is asked at most once in seven \
            days by surveys that come from a hub or a URL. The questions of programs are asked all the same, unless `prompts` \
            says otherwise. A clear takes none of it back. See [muting](guides/being-left-alone.md).
            """,
        refusals: [
            .init(reason: .invalidParams, when: "nothing is said, or two different times", params: "{}"),
            .init(reason: .tooLarge, when: "you have said something of 1000 surveys"),
        ],
        examples: [.init(params: sample, result: #"{"mute":\#(muted)}"#)],
        handler: .write { call, reply throws(WireError) in
            let key = WishKey(uid: call.peer.uid, survey: try call.params.read(.surveyToMute))
            let (source, now) = (call.source, call.daemon.ledger.now)
            let order = try order(call, now: now)
            let desk = call.daemon.surveys
            try act(call) { engine, changes, now throws(WireError) in
                let wish = try engine.wish(order, of: key, source: source, now: now, into: &changes)
                return (wish, now)
            }.note { _ in desk.lookForUnwanted() }.tell(in: &reply) { outcome, json in
                json.key("mute")
                write(outcome.0, key, now: outcome.1, to: &json)
            }
        })

    @DaemonActor
    private static func order(_ call: Call, now: Timestamp) throws(WireError) -> Engine.WishOrder {
        let until = try call.params.read(.muteUntil)
        let seconds = try call.params.read(.muteSeconds)
        let isForEver = try call.params.read(.muteForEver) ?? false
        let times = [until, seconds.map { now.adding(milliseconds: $0 * 1_000) }, isForEver ? .latest : nil]
            .compactMap(\.self)
        let every = try call.params.read(.askedEvery)
        guard times.count <= 1 else {
            throw WireError(
                .invalidParams, "give one of until, seconds and forEver, as each says until when", path: .muteUntil)
        }
        if let until = times.first, until <= now {
            throw WireError(.invalidParams, "this time is over; a mute ends at one that is to come", path: .muteUntil)
        }
        guard !times.isEmpty || every != nil else {
            throw WireError(
                .invalidParams, "say until when (until, seconds or forEver), or how often at most (everySeconds)",
                path: .muteForEver)
        }
        let prompts = try call.params.read(.mutesPrompts)
        guard prompts != true || !times.isEmpty else {
            throw WireError(
                .invalidParams, "programs' questions can be muted (until, seconds or forEver), and not spaced out",
                path: .mutesPrompts)
        }
        return Engine.WishOrder(
            mutedUntil: times.first, mutesPrompts: prompts, every: every.map { $0 * 1_000 })
    }

    static let list = Method(
        .muteList, summary: "Lists what this account has said of being asked.",
        details: "What other accounts have muted is not told; administrators see how many have muted what.",
        examples: [
            .init(
                before: [#"{"id":0,"method":"mute.set","params":\#(sample)}"#], params: "{}",
                result: #"{"mutes":[\#(muted)],"accounts":[{"surveyId":"rating","count":1}]}"#)
        ],
        handler: .write { call, reply throws(WireError) in
            let uid = call.peer.uid
            let isAdministrator = call.peer.isAdministrator
            try act(call) { engine, _, now throws(WireError) in
                (
                    engine.wishes.inForce(of: uid, at: now),
                    isAdministrator ? engine.wishes.mutingCounts(at: now) : nil, now
                )
            }.tell(in: &reply) { found, json in
                json.key("mutes")
                json.beginArray()
                for (key, wish) in found.0 { write(wish, key, now: found.2, to: &json) }
                json.endArray()
                json.key("accounts")
                guard let counts = found.1 else { return json.null() }
                json.beginArray()
                for (survey, count) in counts {
                    json.beginObject()
                    json.key("surveyId")
                    if let survey { json.string(survey.text) } else { json.null() }
                    json.key("count")
                    json.int(count)
                    json.endObject()
                }
                json.endArray()
            }
        })

    static let remove = Method(
        .muteRemove, summary: "Takes back what this account has said of being asked.",
        details: "Attempts that were used up are not given back, and what was cancelled stays so.",
        examples: [
            .init(
                before: [#"{"id":0,"method":"mute.set","params":\#(sample)}"#], params: #"{"surveyId":"rating"}"#,
                result: #"{"removed":1}"#)
        ],
        handler: .write { call, reply throws(WireError) in
            let uid = call.peer.uid
            let survey = try call.params.read(.surveyToUnmute)
            try act(call) { engine, changes, now throws(WireError) in
                engine.takeBackWishes(of: uid, survey: survey, now: now, into: &changes)
            }.tell(in: &reply, as: "removed")
        })

    @DaemonActor
    private static func act<Value: Sendable>(
        _ call: Call, _ command: (inout Engine, inout Changes, Timestamp) throws(WireError) -> Value
    ) throws(WireError) -> Decided<Value> {
        try call.decide(needing: .wishes, command)
    }

    private static func write(_ wish: Wish, _ key: WishKey, now: Timestamp, to json: inout JSONWriter) {
        let until = wish.mutedUntil.flatMap { $0 > now ? $0 : nil }
        json.beginObject()
        json.key("surveyId")
        if let survey = key.survey { json.string(survey.text) } else { json.null() }
        json.key("muted")
        json.bool(until != nil)
        json.key("until")
        if let until, until != .latest { json.timestamp(until) } else { json.null() }
        json.key("prompts")
        json.bool(until != nil && wish.mutesPrompts)
        json.key("everySeconds")
        if let every = wish.every { json.int(Int(every / 1_000)) } else { json.null() }
        json.endObject()
    }
}
