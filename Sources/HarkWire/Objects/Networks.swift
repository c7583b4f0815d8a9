/// How the machine is connected.
package struct NetworkInfo: WireObject {
    package var satisfied = false
    package var ipv4 = false
    package var ipv6 = false
    package var defaultRoute: Route?
    package var interfaces: [Interface] = []

    package init() {}

    package static var title: String? { "Network" }

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("satisfied", &satisfied)
        m("ipv4", &ipv4)
        m("ipv6", &ipv6)
        m("defaultRoute", orNull: &defaultRoute)
        m("interfaces", &interfaces)
    }

    package struct Route: WireObject {
        package var interface = ""
        package var family = ""
        package var gateway: String?

        package init() {}

        package mutating func map<Map: MemberMap>(_ m: inout Map) {
            m("interface", &interface)
            m("family", &family, .oneOf(["ipv4", "ipv6"]))
            m("gateway", orNull: &gateway)
        }
    }

    package struct Interface: WireObject {
        package var name = ""
        package var index: Int64 = 0
        package var kind = ""
        package var up = false
        package var running = false
        package var addresses: [String] = []

        package init() {}

        package mutating func map<Map: MemberMap>(_ m: inout Map) {
            m("name", &name)
            m("index", &index, .whole)
            m("kind", &kind, .oneOf(["loopback", "ethernet", "wifi", "cellular", "tunnel", "bridge", "other"]))
            m("up", &up)
            m("running", &running)
            m("addresses", &addresses)
        }
    }
}

/// The result of `network.status`.
package struct NetworkResult: WireObject {
    package var network: AnyJSON?

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m(
            "network", orNull: &network, .shaped(NetworkInfo.shape),
            """
            `satisfied`: whether anything can leave the machine; `ipv4`, `ipv6`: the same for each family; \
            `defaultRoute`: `interface`, `family`, `gateway`, or null; `interfaces`: each with `name`, `index`, \
            `kind` (`loopback`, `ethernet`, `wifi`, `cellular`, `tunnel`, `bridge`, `other`), `up`, `running` \
            (it has a carrier) and `addresses`. Null if the system does not tell the daemon
            """)
    }
}

/// The result of `network.subscribe`.
package struct NetworkSubscribed: WireObject {
    package var subscription: Int64 = 0
    package var status = NetworkResult()

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("subscription", &subscription, .integer(in: 1 ... .max), "its number on this connection")
        status.map(&m)
    }
}

/// The params of the notification `network.changed`.
package struct NetworkChanged: WireObject {
    package var network = AnyJSON(.null)

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("network", &network, .shaped(NetworkInfo.shape))
    }
}

package struct NetworkStatus: BareMethod {
    package typealias Result = NetworkResult
    package static let name = "network.status"

    package init() {}
}

package struct NetworkSubscribe: BareMethod {
    package typealias Result = NetworkSubscribed
    package static let name = "network.subscribe"
    package static var notifications: [NotificationShape] { [.networkChanged] }

    package init() {}
}

extension NotificationShape {
    package static let networkChanged = NotificationShape(
        "network.changed", "The network is another", params: NetworkChanged.members)
}
