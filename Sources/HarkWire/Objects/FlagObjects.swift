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
        m("default", given: &fallback, .anything, "the value to return instead of null")
        m(
            "refresh", &refresh,
            """
            true: ask the server first; if it cannot be reached, or takes more than 2 seconds while there are flags in force, \
            those are returned. For users who are no administrators, it is asked at most every 10 seconds
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
            with `flags`, for administrators: `place` (the file or URL), `loadedAt` (since when these flags are in force), \
            `checkedAt` (when they were last found up to date), `dueAt` (when the server is asked next), `isCopy` (they are the \
            last good flags of an earlier run) and `problems`; null if no flags are configured
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
