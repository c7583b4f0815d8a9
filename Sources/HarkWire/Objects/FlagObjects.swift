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
