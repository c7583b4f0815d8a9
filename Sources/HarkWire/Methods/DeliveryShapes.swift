/// The shapes of `delivery.*`.
extension MethodShape {
    package static let deliveryStatus = MethodShape(
        "delivery.status", [.optional(.onlyDestination)],
        result: [
            .always(
                "destinations", .array(.destination),
                "each with `name`, `kind`, `state` (\(states)), `cursor` (everything up to this number is done "
                    + "with), `pending`, `delivered`, `dropped` (counts by reason: "
                    + DropReason.allCases.map { "`\($0.rawValue)`" }.joined(separator: ", ")
                    + "), `deadLetters`, `lastError`, `retryAt` and `lanes`")
        ])

    private static let states = """
        `idle`; `delivering`; `waiting`: for more to gather, or to try again; `open`: after several failures, or because \
        the server wants less, nothing is tried until `retryAt`; `offline`: there is no network; `suspended`: until \
        `delivery.resume`, or with `suspendUntilRestart` the next start; `off`
        """

    package static let deliveryFlush = MethodShape(
        "delivery.flush", [.optional(.onlyDestination)],
        result: [
            .always(
                "destinations", .array(.destination), "as in `delivery.status`, before anything has come of it")
        ])

    package static let deliveryResume = MethodShape(
        "delivery.resume", [.optional(.onlyDestination)],
        result: [
            .always("resumed", .strings, "the destinations that were suspended or waiting for a next try")
        ])

    package static let deadLetters = MethodShape(
        "delivery.deadletters",
        [.optional(.onlyDestination), .optional(.lettersAfter), .optional(.after), .optional(.letterLimit)],
        result: [
            .always(
                "deadLetters", .array(.deadLetter),
                "each with `destination`, `seq`, `lane`, `cause` (as in `dropped`), `status` (of HTTP, or "
                    + "null), `reason`, `at`, `replays`, and `record`, as an `http` destination gets it"),
            .always("more", .bool, "whether there are more"),
            .next,
        ])

    package static let deliveryReplay = MethodShape(
        "delivery.replay", [.required(.destinationOfLetters), .optional(.letters)],
        result: [.always("replayed", .count, "how many are to be tried")])

    package static let deliveryDrop = MethodShape(
        "delivery.drop", [.required(.destinationOfLetters), .optional(.letters)],
        result: [.always("dropped", .count, "how many were forgotten")])
}

extension Parameter<String> {
    package static var onlyDestination: Parameter {
        Parameter("destination", .string, "only this one; without it, all")
    }
    package static var destinationOfLetters: Parameter { Parameter("destination", .string, "whose") }
}

extension Parameter<Int64> {
    package static var lettersAfter: Parameter {
        Parameter("afterSeq", .integer(in: 0 ... .max), "only letters with a higher number")
    }
}

extension Parameter<Int> {
    package static var letterLimit: Parameter { Parameter("limit", .integer(in: 1...1_000), "letters a page (100)") }
}

extension Parameter<[UInt64]> {
    package static var letters: Parameter {
        let type = MemberType("an array of numbers", .array(.count)) { value -> [UInt64]? in
            let numbers = value.arrayValue?.compactMap { $0.exactInteger.flatMap(UInt64.init(exactly:)) }
            return numbers?.count == value.arrayValue?.count ? numbers : nil
        }
        return Parameter("seqs", type, "an array of their numbers; without it, all of them")
    }
}

extension Shape {
    private static let dropped = Shape.map(.count)

    private static let lane = Shape.named(
        "Lane",
        .members([
            .always("name", .string), .always("cursor", .count), .always("pending", .orNull(.count)),
            .always("delivered", .count), .always("dropped", dropped, "counts by reason"),
        ]))

    static let destination = Shape.named(
        "Destination",
        .members([
            .always("name", .string), .always("kind", .string),
            .always("state", MemberType<DestinationState>.word.shape),
            .maybe("cursor", .count, "for administrators, as all that follows"), .maybe("pending", .count),
            .maybe("delivered", .count), .maybe("dropped", dropped, "counts by reason"),
            .maybe("deadLetters", .count), .maybe("lastError", .orNull(.string)), .maybe("retryAt", .orNull(.time)),
            .maybe("lanes", .array(lane), "of delivery.status and delivery.flush"),
        ]))

    fileprivate static let deadLetter = Shape.named(
        "DeadLetter",
        .members([
            .always("destination", .string), .always("seq", .count), .always("lane", .string),
            .always("cause", .string), .always("status", .orNull(.integer), "of HTTP"), .always("reason", .string),
            .always("at", .time), .always("replays", .count), .always("record", .orNull(.record)),
        ]))
}
