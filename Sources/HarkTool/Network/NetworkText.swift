import HarkClient
import HarkWire

/// The state of the network for people.
struct NetworkText {
    private let network: NetworkInfo
    private let style: TextStyle

    init(_ network: NetworkInfo, _ style: TextStyle) {
        self.network = network
        self.style = style
    }

    /// One line such as `online by IPv4 and IPv6, over wlp3s0 (wifi) by 192.168.0.1`.
    var headline: String {
        guard network.satisfied else { return style.bad("offline") }
        let names = [(network.ipv4, "IPv4"), (network.ipv6, "IPv6")].filter(\.0).map(\.1)
        return style.good("online") + " by \(names.joined(separator: " and "))" + way
    }

    private var way: String {
        guard let route = network.defaultRoute else { return "" }
        let interface = network.interfaces.first { $0.name == route.interface }
        let kind = interface.map { " (\(VisibleText.make($0.kind)))" } ?? ""
        let gateway = route.gateway.map { " by \(VisibleText.make($0))" } ?? ""
        return ", over \(VisibleText.make(route.interface))\(kind)\(gateway)"
    }

    /// The headline and a table of the interfaces.
    var screen: String {
        var rows = [["interface", "kind", "state", "addresses"]]
        for interface in network.interfaces {
            rows.append([
                VisibleText.make(interface.name), VisibleText.make(interface.kind), NetworkText.state(interface),
                interface.addresses.map { VisibleText.make($0) }.joined(separator: ", "),
            ])
        }
        return headline + "\n\n" + TextTable.text(rows, style)
    }

    private static func state(_ interface: NetworkInfo.Interface) -> String {
        guard interface.up else { return "off" }
        return interface.running ? "running" : "no carrier"
    }
}
