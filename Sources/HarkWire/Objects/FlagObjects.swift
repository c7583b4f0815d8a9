/// Where flags come from.
package struct FlagSourceInfo: WireObject {
    package var place = ""
    package var loadedAt: Timestamp?
    package var checkedAt: Timestamp?
    package var dueAt: Timestamp?
    package var isCopy = false
    package var problems: [IssueInfo] = []

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("place", &place)
        m("loadedAt", orNull: &loadedAt)
        m("checkedAt", orNull: &checkedAt)
        m("dueAt", orNull: &dueAt)
        m("isCopy", &isCopy)
        m("problems", &problems)
    }
}

package struct FlagsGet: WireMethod {
    package typealias Result = FlagValues
    package static let name = "flags.get"

    package var key: String?
    package var type: FlagType?
    package var fallback: AnyJSON?
    /// Whether the server is asked first.
    package var refresh: Bool?

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("key", &key, "which flag; without it, all of them")
        m("type", &type, "`bool`, `string`, `double`, `int` or `raw` (as it is; default)")
        m("default", given: &fallback, .anything, "what to tell instead of null")
        m(
            "refresh", &refresh,
            """
            true: the server is asked first; where it cannot be reached, or takes more than 2 seconds while there are flags to \
            go on with, those are told. From others than administrators, it is asked at most every 10 seconds
            """)
    }
}

package struct FlagsRefresh: BareMethod {
    package typealias Result = RefreshedFlags
    package static let name = "flags.refresh"

    package init() {}
}

/// The result of `flags.get`.
package struct FlagValues: WireObject {
    package var value: AnyJSON?
    package var flags: AnyJSON?
    package var source: AnyJSON?

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("value", &value, .anything, "the value, with a `key`")
        m("flags", &flags, .objectValue, "all flags, without a `key`")
        m(
            "source", &source, .shaped(.orNull(FlagSourceInfo.shape)),
            """
            with `flags`, for administrators: `place` (the file or URL), `loadedAt` (since when these flags \
            hold), `checkedAt` (when they were last seen to be up to date), `dueAt` (when the server is asked \
            next), `isCopy` (the last good ones of an earlier run) and `problems`; null where no flags are \
            configured
            """)
    }
}

/// The result of `flags.refresh`.
package struct RefreshedFlags: WireObject {
    package var outcome = ""
    package var error: String?

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m(
            "outcome", &outcome, .oneOf(FlagOutcome.allCases.map(\.rawValue)),
            """
            `updated`, `unchanged`, `failed` (the last good ones stay), or `none`: no flags are configured
            """)
        m("error", &error, "why it failed")
    }
}
