/// The shapes of `network.*`.
extension MethodShape {
    package static let networkStatus = MethodShape("network.status", result: [network])

    package static let networkSubscribe = MethodShape(
        "network.subscribe", result: [.subscription, network], notifications: [.networkChanged])

    private static let network = Shape.Member.always(
        "network", .orNull(.network),
        "`satisfied`: whether anything can leave the machine; `ipv4`, `ipv6`: by which families; `defaultRoute`: "
            + "`interface`, `family`, `gateway`, or null; `interfaces`: each with `name`, `index`, `kind` (`loopback`, "
            + "`ethernet`, `wifi`, `cellular`, `tunnel`, `bridge`, `other`), `up`, `running` (it has a carrier) and "
            + "`addresses`. Null where the system does not tell the daemon")
}

extension NotificationShape {
    package static let networkChanged = NotificationShape(
        "network.changed", "The network is another", params: [.always("network", .network)])
}

extension Shape {
    private static let family = Shape.oneOf(["ipv4", "ipv6"])

    fileprivate static let network = Shape.named(
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
}
