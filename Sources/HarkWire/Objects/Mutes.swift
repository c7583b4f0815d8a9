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
        m("everySeconds", orNull: &everySeconds, .count, "at most once in so long; null: nothing was said")
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
        m("surveyId", &surveyId, "which survey, or a program's question by its name; without it, all surveys")
        m("until", &until, "not to be asked until then")
        m("seconds", &seconds, .integer(in: 1...316_224_000), "not to be asked for so long, at most ten years")
        m("forEver", &isForEver, "true: not to be asked at all any more")
        m("prompts", &prompts, "true: what is muted takes in the questions of programs (`prompt.ask`)")
        m(
            "everySeconds", &everySeconds, .integer(in: 0...316_224_000),
            "to be asked at most once in so long; 0: as often as surveys want")
    }

    package struct Result: WireObject {
        package var mute = MuteInfo()

        package init() {}

        package mutating func map<Map: MemberMap>(_ m: inout Map) {
            m("mute", &mute, "what holds now")
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
            m("mutes", &mutes, "what this account has said, first what is about all surveys")
            m(
                "accounts", orNull: &accounts,
                """
                how many accounts have muted each survey (`surveyId`, null: all surveys; `count`); null for who is no \
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
        m("surveyId", &surveyId, "of which survey; without it, everything that was said")
    }

    package struct Result: WireObject {
        package var removed: Int64 = 0

        package init() {}

        package mutating func map<Map: MemberMap>(_ m: inout Map) {
            m("removed", &removed, .count, "of how many surveys something was taken back")
        }
    }
}

/// How long a dismissed survey is not asked again.
package enum DismissalScope: String, Sendable, CaseIterable {
    case once, ever
    /// The person left without closing it.
    case abandoned
}
