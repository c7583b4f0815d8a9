/// The shapes of `flags.*`.
extension MethodShape {
    package static let flagsGet = MethodShape(
        "flags.get", [.optional(.flag), .optional(.flagType), .optional(.flagDefault), .optional(.asksForFlags)],
        result: FlagValues.members)

    package static let flagsRefresh = MethodShape(
        "flags.refresh", result: RefreshedFlags.members)
}

/// The type in which a flag is read.
package enum FlagType: String, Sendable, CaseIterable {
    case bool, string, double, int
    /// Any type.
    case raw
}

/// The result of a check for new flags.
package enum FlagOutcome: String, Sendable, CaseIterable {
    case updated, unchanged, failed
    /// No flags are configured.
    case nowhere = "none"
}

extension Parameter<String> {
    package static var flag: Parameter { Parameter("key", .string, "which flag; without it, all of them") }
}

extension Parameter<FlagType> {
    package static var flagType: Parameter {
        Parameter("type", .word, "`bool`, `string`, `double`, `int` or `raw` (as it is; default)")
    }
}

extension Parameter<JSONValue> {
    package static var flagDefault: Parameter { Parameter("default", .anything, "what to tell instead of null") }
}

extension Parameter<Bool> {
    package static var asksForFlags: Parameter {
        Parameter(
            "refresh", .bool,
            "true: the server is asked first; where it cannot be reached, or takes more than 2 seconds while "
                + "there are flags to go on with, those are told. From others than administrators, it is asked at most "
                + "every 10 seconds")
    }
}
