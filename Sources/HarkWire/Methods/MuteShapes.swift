/// What `mute.*` takes and gives.
extension MethodShape {
    package static let muteSet = MethodShape(
        "mute.set",
        [
            .optional(.surveyToMute), .optional(.muteUntil), .optional(.muteSeconds), .optional(.muteForEver),
            .optional(.mutesPrompts), .optional(.askedEvery),
        ], result: [.always("mute", .mute, "what holds now")])

    package static let muteList = MethodShape(
        "mute.list",
        result: [
            .always("mutes", .array(.mute), "what this account has said, first what is about all surveys"),
            .always(
                "accounts", .orNull(.mutingCounts),
                "how many accounts have muted each survey (`surveyId`, null: all surveys; `count`); null for who is no "
                    + "administrator"),
        ])

    package static let muteRemove = MethodShape(
        "mute.remove", [.optional(.surveyToUnmute)],
        result: [.always("removed", .count, "of how many surveys something was taken back")])
}

/// What it means that a survey is closed without an answer: for how long the person does not want to be asked it, or that the
/// person left.
package enum DismissalScope: String, Sendable, CaseIterable {
    case once, ever
    /// The person left without closing it.
    case abandoned
}

extension Parameter<DismissalScope> {
    package static var dismissalScope: Parameter {
        Parameter(
            "for", .word,
            "`once` (default); `ever`: this account is not asked this survey again, by any app ([mute.set](#muteset)); "
                + "`abandoned`: the person left without closing it"
        )
    }
}

extension Parameter<String> {
    package static var surveyToMute: Parameter {
        Parameter("surveyId", .string, "which survey, or a program's question by its name; without it, all surveys")
    }
    package static var surveyToUnmute: Parameter {
        Parameter("surveyId", .string, "of which survey; without it, everything that was said")
    }
}

extension Parameter<Timestamp> {
    package static var muteUntil: Parameter { Parameter("until", .time, "not to be asked until then") }
}

extension Parameter<Int64> {
    package static var muteSeconds: Parameter {
        Parameter("seconds", .integer(in: 1...316_224_000), "not to be asked for so long, at most ten years")
    }
    package static var askedEvery: Parameter {
        Parameter(
            "everySeconds", .integer(in: 0...316_224_000),
            "to be asked at most once in so long; 0: as often as surveys want")
    }
}

extension Parameter<Bool> {
    package static var muteForEver: Parameter { Parameter("forEver", .bool, "true: not to be asked at all any more") }
    package static var mutesPrompts: Parameter {
        Parameter("prompts", .bool, "true: what is muted takes in the questions of programs (`prompt.ask`)")
    }
}

extension Shape {
    fileprivate static let mute = Shape.named(
        "Mute",
        .members([
            .always("surveyId", .orNull(.string), "null: all surveys"),
            .always("muted", .bool, "whether it is muted now"),
            .always("until", .orNull(.time), "until when; null: for ever, or it is not muted"),
            .always("prompts", .bool, "whether the questions of programs are muted as well"),
            .always(
                "everySeconds", .orNull(.integer(in: 0 ... .max)), "at most once in so long; null: nothing was said"),
        ]))

    fileprivate static let mutingCounts = Shape.array(
        .members([.always("surveyId", .orNull(.string)), .always("count", .count)]))
}
