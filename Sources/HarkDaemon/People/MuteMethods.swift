import HarkCore
import HarkLedger
import HarkServer
import HarkSystem
import HarkWire

/// `mute.*`: the wishes of people not to be asked.
enum MuteMethods {
    static let all: [Method] = [set, list, remove]

    private static let sample = #"{"surveyId":"rating","forEver":true}"#
    private static let muted = """
        {"surveyId":"rating","muted":true,"until":null,"prompts":false,"everySeconds":null}
        """

    static let set = Method(
        MuteSet.self, summary: "Mutes surveys for this account, or limits how often they ask.",
        details: """
            A mute or limit holds for all users, apps and sources of surveys of the account. It overrides the settings of any \
            survey and the debug mode. Muted surveys that wait are cancelled (`reason`: `muted`), and so are those on a screen \
            without an answer yet; that gives no attempt back. `everySeconds` is the least time between any two surveys or, with \
            `surveyId`, between two showings of that survey. Without a limit of its own, an account is asked at most once in \
            seven days by surveys from a hub or a URL. Questions of programs are still asked, unless `prompts` is true. A clear \
            does not remove mutes and limits. See [muting](guides/being-left-alone.md).
            """,
        refusals: [
            .init(
                reason: .invalidParams, when: "neither a mute nor a limit is given, or two different times",
                params: "{}"),
            .init(reason: .tooLarge, when: "you have mutes or limits for 1000 surveys"),
        ],
        examples: [.init(params: sample, result: #"{"mute":\#(muted)}"#)],
        deciding: { call, request throws(WireError) in
            let key = WishKey(uid: call.peer.uid, survey: request.surveyId)
            let source = call.source
            let order = try order(request, now: call.ledger.now)
            let desk = call.desk(SurveyDesk.self)
            return try call.decide(needing: .wishes) { engine, changes, now throws(WireError) in
                var result = MuteSet.Result()
                result.mute = MuteInfo(
                    try engine.wish(order, of: key, source: source, now: now, into: &changes), key, now: now)
                return result
            }.note { _ in desk.lookForUnwanted() }
        })

    private static func order(_ request: MuteSet, now: Timestamp) throws(WireError) -> Engine.WishOrder {
        let until = request.until
        let times = [
            until, request.seconds.map { now.adding(milliseconds: $0 * 1_000) },
            request.isForEver == true ? .latest : nil,
        ].compactMap(\.self)
        guard times.count <= 1 else {
            throw WireError(
                .invalidParams, "give only one of until, seconds and forEver",
                path: Params.path("until"))
        }
        if let until = times.first, until <= now {
            throw WireError(
                .invalidParams, "this time is over; give one in the future", path: Params.path("until"))
        }
        guard !times.isEmpty || request.everySeconds != nil else {
            throw WireError(
                .invalidParams, "say until when (until, seconds or forEver), or how often at most (everySeconds)",
                path: Params.path("forEver"))
        }
        guard request.prompts != true || !times.isEmpty else {
            throw WireError(
                .invalidParams, "questions of programs can be muted (until, seconds or forEver), but not limited",
                path: Params.path("prompts"))
        }
        return Engine.WishOrder(
            mutedUntil: times.first, mutesPrompts: request.prompts, every: request.everySeconds.map { $0 * 1_000 })
    }

    static let list = Method(
        MuteList.self, summary: "Lists the mutes and limits of this account.",
        details:
            "The mutes of other accounts are not listed; administrators see how many accounts have muted each survey.",
        examples: [
            .init(
                before: [#"{"id":0,"method":"mute.set","params":\#(sample)}"#], params: "{}",
                result: #"{"mutes":[\#(muted)],"accounts":[{"surveyId":"rating","count":1}]}"#)
        ],
        deciding: { call, _ throws(WireError) in
            let uid = call.peer.uid
            let isAdministrator = call.peer.isAdministrator
            return try call.decide(needing: .wishes) { engine, _, now in
                var result = MuteList.Result()
                result.mutes = engine.wishes.inForce(of: uid, at: now).map { MuteInfo($0.1, $0.0, now: now) }
                result.accounts = isAdministrator ? engine.wishes.mutingCounts(at: now).map(MutingCount.init) : nil
                return result
            }
        })

    static let remove = Method(
        MuteRemove.self, summary: "Removes mutes and limits of this account.",
        details: "Used attempts are not given back, and cancelled surveys stay cancelled.",
        examples: [
            .init(
                before: [#"{"id":0,"method":"mute.set","params":\#(sample)}"#], params: #"{"surveyId":"rating"}"#,
                result: #"{"removed":1}"#)
        ],
        deciding: { call, request throws(WireError) in
            let uid = call.peer.uid
            return try call.decide(needing: .wishes) { engine, changes, now in
                var result = MuteRemove.Result()
                result.removed = Int64(
                    engine.takeBackWishes(of: uid, survey: request.surveyId, now: now, into: &changes))
                return result
            }
        })
}

extension MuteInfo {
    fileprivate init(_ wish: Wish, _ key: WishKey, now: Timestamp) {
        self.init()
        let until = wish.mutedUntil.flatMap { $0 > now ? $0 : nil }
        surveyId = key.survey?.text
        muted = until != nil
        self.until = until == .latest ? nil : until
        prompts = muted && wish.mutesPrompts
        everySeconds = wish.every.map { $0 / 1_000 }
    }
}

extension MutingCount {
    fileprivate init(_ survey: ExactName?, _ count: Int) {
        self.init()
        surveyId = survey?.text
        self.count = Int64(count)
    }
}
