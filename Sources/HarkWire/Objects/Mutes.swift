/// An account's mute of one survey or of all.
package struct MuteInfo: WireObject {
    package var surveyId: String?
    package var muted = false
    package var until: Timestamp?
    package var prompts = false
    package var everySeconds: Int64?

    package init() {}

    package static var title: String? { "Mute" }

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("surveyId", orNull: &surveyId, "null: all surveys")
        m("muted", &muted, "whether it is muted now")
        m("until", orNull: &until, "until when; null: for ever, or it is not muted")
        m("prompts", &prompts, "whether the questions of programs are muted as well")
        m("everySeconds", orNull: &everySeconds, .count, "at most once in this time; null: no limit")
    }
}

package struct MuteSet: WireMethod {
    package static let name = "mute.set"

    package var surveyId: String?
    package var until: Timestamp?
    package var seconds: Int64?
    package var isForEver: Bool?
    package var prompts: Bool?
    package var everySeconds: Int64?

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("surveyId", &surveyId, "the survey, or a program's question by its name; without it, all surveys")
        m("until", &until, "mute until this time")
        m("seconds", &seconds, .integer(in: 1...316_224_000), "mute for this long, at most ten years")
        m("forEver", &isForEver, "true: mute for ever")
        m("prompts", &prompts, "true: mute questions of programs as well (`prompt.ask`)")
        m(
            "everySeconds", &everySeconds, .integer(in: 0...316_224_000),
            "ask at most once in this time; 0: as often as surveys want")
    }

    package struct Result: WireObject {
        package var mute = MuteInfo()

        package init() {}

        package mutating func map<Map: MemberMap>(_ m: inout Map) {
            m("mute", &mute, "the mute or limit in force now")
        }
    }
}

/// The number of accounts that muted a survey.
package struct MutingCount: WireObject {
    package var surveyId: String?
    package var count: Int64 = 0

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("surveyId", orNull: &surveyId)
        m("count", &count, .count)
    }
}

package struct MuteList: WireMethod {
    package static let name = "mute.list"

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {}

    package struct Result: WireObject {
        package var mutes: [MuteInfo] = []
        package var accounts: [MutingCount]?

        package init() {}

        package mutating func map<Map: MemberMap>(_ m: inout Map) {
            m("mutes", &mutes, "the mutes and limits of this account; the one for all surveys comes first")
            m(
                "accounts", orNull: &accounts,
                """
                how many accounts have muted each survey (`surveyId`, null: all surveys; `count`); null unless you are an \
                administrator
                """)
        }
    }
}

package struct MuteRemove: WireMethod {
    package static let name = "mute.remove"

    package var surveyId: String?

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("surveyId", &surveyId, "the survey; without it, all mutes and limits")
    }

    package struct Result: WireObject {
        package var removed: Int64 = 0

        package init() {}

        package mutating func map<Map: MemberMap>(_ m: inout Map) {
            m(
                "removed", &removed, .count,
                "for how many surveys mutes or limits were removed; those for all surveys count as one")
        }
    }
}

/// How long a dismissed survey is not asked again.
package enum DismissalScope: String, Sendable, CaseIterable {
    case once, ever
    /// The person left without closing it.
    case abandoned
}
