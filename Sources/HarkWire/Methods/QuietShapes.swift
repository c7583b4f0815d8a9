/// What `quiet.*` takes and gives.
extension MethodShape {
    package static let quietSet = MethodShape(
        "quiet.set", [.optional(.quietHours), .optional(.quietAlarms)], result: quiet)

    package static let quietGet = MethodShape("quiet.get", result: quiet)

    private static let quiet: [Shape.Member] = [
        .always("hours", Shape.quietHours, "as they were given; empty: none"),
        .always("alarms", .bool, "whether surveys that are alarms may ask all the same"),
        .always("quietUntil", .orNull(.time), "until when it is quiet; null: it is not"),
    ]
}

extension Parameter<[JSONValue]> {
    package static var quietHours: Parameter {
        Parameter(
            "hours", MemberType("an array", Shape.quietHours, { $0.arrayValue }),
            "spans of the day, by the machine's time zone; `days` left out: all; an empty array: none. Without it, they stay"
        )
    }
}

extension Parameter<Bool> {
    package static var quietAlarms: Parameter {
        Parameter("alarms", .bool, "whether surveys with `alarm` may ask all the same; without it, that stays")
    }
}

extension Shape {
    fileprivate static let quietHours = Shape.array(
        .members([.always("from", .string), .always("until", .string), .maybe("days", .strings)]))
}
