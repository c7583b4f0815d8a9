import HarkClient
import HarkWire

/// The state of the network for people.
struct NetworkText {
    private let network: JSONText
    private let style: TextStyle

    init(_ network: JSONText, _ style: TextStyle) {
        self.network = network
        self.style = style
    }

    static func isThere(_ network: JSONText) -> Bool { network.member("satisfied")?.bool == true }

    /// One line such as `online by IPv4 and IPv6, over wlp3s0 (wifi) by 192.168.0.1`.
    var headline: String {
        guard NetworkText.isThere(network) else { return style.bad("offline") }
        let families = [("ipv4", "IPv4"), ("ipv6", "IPv6")] as [(StaticString, String)]
        let names = families.filter { network.member($0.0)?.bool == true }.map(\.1)
        return style.good("online") + " by \(names.joined(separator: " and "))" + way
    }

    private var way: String {
        guard let route = network.member("defaultRoute"), let name = route.member("interface")?.string else {
            return ""
        }
        let interface = interfaces.first { $0.member("name")?.string == name }
        let kind = interface?.member("kind")?.string.map { " (\(VisibleText.make($0)))" } ?? ""
        let gateway = route.member("gateway")?.string.map { " by \(VisibleText.make($0))" } ?? ""
        return ", over \(VisibleText.make(name))\(kind)\(gateway)"
    }

    private var interfaces: [JSONText] { network.member("interfaces")?.elements ?? [] }

    /// The headline and a table of the interfaces.
    var screen: String {
        var rows = [["interface", "kind", "state", "addresses"]]
        for interface in interfaces {
            let addresses = interface.member("addresses")?.elements.compactMap(\.string) ?? []
            rows.append([
                VisibleText.make(interface.member("name")?.string ?? ""),
                VisibleText.make(interface.member("kind")?.string ?? ""), NetworkText.state(interface),
                addresses.map { VisibleText.make($0) }.joined(separator: ", "),
            ])
        }
        return headline + "\n\n" + TextTable.text(rows, style)
    }

    private static func state(_ interface: JSONText) -> String {
        if interface.member("up")?.bool != true { return "off" }
        return interface.member("running")?.bool == true ? "running" : "no carrier"
    }
}
