/// What `watch.*` takes and gives.
extension MethodShape {
    package static let watchAdd = MethodShape(
        "watch.add",
        [
            .required(.newWatch), .optional(.watchedEvent), .required(.watchedEvery), .optional(.watchedWhere),
            .optional(.watchedApp), .optional(.watchedUser), .optional(.watchedBetween), .optional(.watchedDays),
        ],
        result: [
            .always(
                "watch", .watch,
                "what was given, and `uid`, `addedAt`, `lastAt` and `lastSeq` (when the event came last, and its number), "
                    + "`dueAt` (until when it may stay away), `missedAt` (since when it is missed), `misses` (how often)"
            ),
            .always("replaced", .bool, "whether there was one with this id"),
        ])

    package static let watchRemove = MethodShape(
        "watch.remove", [.required(.watch)], result: [.always("removed", .bool, "true")])

    package static let watchList = MethodShape(
        "watch.list", [.optional(.after), .optional(.watchLimit)],
        result: [.always("watches", .array(.watch), "each as in [watch.add](#watchadd)"), .next])
}

extension Parameter<String> {
    package static var newWatch: Parameter { Parameter("id", .string, "its name, 1 to 256 bytes") }
    package static var watch: Parameter { Parameter("id", .string, "which one") }
    package static var watchedEvent: Parameter {
        Parameter("event", .string, "the name of the event that is to come; without it, the `id`")
    }
    package static var watchedApp: Parameter {
        Parameter("app", .string, "only those of this application count; without it, of any")
    }
    package static var watchedBetween: Parameter {
        Parameter(
            "between", .string,
            "only the time between these hours counts, by the machine's time zone: `08:00-18:00`; without it, all day")
    }
    package static var watchedDays: Parameter {
        Parameter("days", .string, "only these days of the week count: `mon-fri`, `sat,sun`; without it, all")
    }
    package static var watchedUser: Parameter {
        Parameter("userId", .string, "only those about this user count; without it, about anybody")
    }
}

extension Parameter<Double> {
    package static var watchedEvery: Parameter {
        Parameter(
            "everySeconds", .number(in: 1...316_224_000, "of seconds"),
            "for how long it may stay away, at most ten years")
    }
}

extension Parameter<JSONValue> {
    package static var watchedWhere: Parameter {
        Parameter("where", .condition, "only events for which this condition holds count: `exitCode = 0`")
    }
}

extension Parameter<Int> {
    package static var watchLimit: Parameter { Parameter("limit", .integer(in: 1...100), "how many a page (100)") }
}

extension Shape {
    fileprivate static let watch = Shape.named(
        "Watch",
        .members([
            .always("id", .string), .always("event", .string), .always("everySeconds", .seconds),
            .maybe("where", .object), .maybe("between", .string), .maybe("days", .string), .maybe("app", .string),
            .maybe("userId", .string), .always("uid", .uid),
            .always("addedAt", .time), .always("lastAt", .orNull(.time), "null: not since it was added"),
            .always("lastSeq", .orNull(.count)),
            .always("dueAt", .orNull(.time), "until when it may stay away; null while it is missed"),
            .always("missedAt", .orNull(.time), "null: it is not missed"), .always("misses", .count),
        ]))
}
