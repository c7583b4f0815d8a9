import HarkCore
import HarkDelivery
import HarkWire

/// What the daemon tells of itself, of destinations and of the network.
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
            .always("state", .oneOf(Outlet.State.allCases.map(\.rawValue))),
            .maybe("cursor", .count, "for administrators, as all that follows"), .maybe("pending", .count),
            .maybe("delivered", .count), .maybe("dropped", dropped, "counts by reason"),
            .maybe("deadLetters", .count), .maybe("lastError", .orNull(.string)), .maybe("retryAt", .orNull(.time)),
            .maybe("lanes", .array(lane), "of delivery.status and delivery.flush"),
        ]))

    static let deadLetter = Shape.named(
        "DeadLetter",
        .members([
            .always("destination", .string), .always("seq", .count), .always("lane", .string),
            .always("cause", .string), .always("status", .orNull(.integer), "of HTTP"), .always("reason", .string),
            .always("at", .time), .always("replays", .count), .always("record", .orNull(.record)),
        ]))

    private static let family = Shape.oneOf(["ipv4", "ipv6"])

    static let network = Shape.named(
        "Network",
        .members([
            .always("satisfied", .bool), .always("ipv4", .bool), .always("ipv6", .bool),
            .always(
                "defaultRoute",
                .orNull(
                    .members([
                        .always("interface", .string), .always("family", family),
                        .always("gateway", .orNull(.string)),
                    ]))),
            .always(
                "interfaces",
                .array(
                    .members([
                        .always("name", .string), .always("index", .integer),
                        .always(
                            "kind",
                            .oneOf(["loopback", "ethernet", "wifi", "cellular", "tunnel", "bridge", "other"])),
                        .always("up", .bool), .always("running", .bool), .always("addresses", .strings),
                    ]))),
        ]))

    static let retentionPolicy = Shape.members([
        .always("maxAgeDays", .orNull(.seconds)), .always("maxSessionsPerUser", .orNull(.count)),
        .always("maxStoreBytes", .orNull(.count)),
    ])

    static let protocolVersions = Shape.members([.always("min", .count), .always("max", .count)])

    static let storeStatus = Shape.members([
        .always("path", .string), .always("bytes", .count), .always("walBytes", .count),
        .always("freeBytes", .orNull(.count)), .always("events", .count), .always("sessions", .count),
        .always("lastSeq", .count), .always("unreadable", .count),
    ])

    static let rates = Shape.members([.always("eventsPerSecond1m", .number), .always("eventsPerSecond5m", .number)])

    static let commits = Shape.members([
        .always("count", .count), .always("p50Microseconds", .orNull(.count)),
        .always("p99Microseconds", .orNull(.count)), .always("lastBatch", .count),
    ])

    static let clients = Shape.members([
        .always("connections", .count), .always("subscriptions", .count), .always("refused", .count),
        .always("dropped", .count), .always("slowReaders", .count),
    ])

    static let timers = Shape.array(.members([.always("name", .string), .always("dueAt", .time)]))

    static let troubles = Shape.array(.members([.always("about", .string), .always("message", .string)]))

    static let givenPolicy = Shape.either([
        .oneOf(RetentionPolicy.presets.map(\.name)),
        .members([
            .maybe("maxAgeDays", .seconds), .maybe("maxSessionsPerUser", .count), .maybe("maxStoreBytes", .count),
        ]),
    ])
}
