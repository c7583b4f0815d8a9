/// The shapes of `delivery.*`.
extension MethodShape {
    package static let deliveryStatus = MethodShape(
        "delivery.status", [.optional(.onlyDestination)],
        result: DeliveryState.members)

    package static let deliveryFlush = MethodShape(
        "delivery.flush", [.optional(.onlyDestination)],
        result: DeliveryFlush.members)

    package static let deliveryResume = MethodShape(
        "delivery.resume", [.optional(.onlyDestination)],
        result: ResumedDestinations.members)

    package static let deadLetters = MethodShape(
        "delivery.deadletters",
        [.optional(.onlyDestination), .optional(.lettersAfter), .optional(.after), .optional(.letterLimit)],
        result: DeadLetterPage.members)

    package static let deliveryReplay = MethodShape(
        "delivery.replay", [.required(.destinationOfLetters), .optional(.letters)],
        result: ReplayedLetters.members)

    package static let deliveryDrop = MethodShape(
        "delivery.drop", [.required(.destinationOfLetters), .optional(.letters)],
        result: DroppedLetters.members)
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
