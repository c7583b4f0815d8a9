import Testing

@testable import HarkSystem

/// When the network counts as being there.
@Suite struct NetworkTableTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let name: String
        let expected: String
        let bytes: [UInt8]

        /// - Parameter expected: `interface family gateway` of the default route, with `+` if both families have one;
        ///   or `-`.
        init(_ name: String, _ expected: String, _ make: (NetlinkDatagram) -> NetlinkDatagram) {
            self.name = name
            self.expected = expected
            bytes = make(NetlinkDatagram().loopback()).bytes
        }

        var testDescription: String { name }
    }

    private static let noCarrier: UInt32 = 0x1001

    private static let cases: [Case] = [
        Case("nothing but loopback", "-") { $0 },
        Case("a default route over a running link", "eth0 ipv4 10.0.0.1") {
            $0.link(2, "eth0").address("10.0.0.2", 24, on: 2).route(over: 2, by: "10.0.0.1")
        },
        Case("no default route", "-") { $0.link(2, "eth0").address("10.0.0.2", 24, on: 2) },
        Case("no address", "-") { $0.link(2, "eth0").route(over: 2, by: "10.0.0.1") },
        Case("an address of the other family only", "-") {
            $0.link(2, "eth0").address("fd00::2", 64, on: 2).route(over: 2, by: "10.0.0.1")
        },
        Case("no carrier", "-") {
            $0.link(2, "eth0", flags: noCarrier).address("10.0.0.2", 24, on: 2).route(over: 2, by: "10.0.0.1")
        },
        Case("switched off", "-") {
            $0.link(2, "eth0", flags: 0x1000).address("10.0.0.2", 24, on: 2).route(over: 2, by: "10.0.0.1")
        },
        Case("dormant: a carrier, but not let in yet", "-") {
            $0.link(2, "wlan0", flags: 0x3_0001).address("10.0.0.2", 24, on: 2).route(over: 2, by: "10.0.0.1")
        },
        Case("both families", "eth0 ipv4 10.0.0.1+") {
            $0.link(2, "eth0").address("10.0.0.2", 24, on: 2).route(over: 2, by: "10.0.0.1")
                .address("fd00::2", 64, on: 2).route(.ipv6, over: 2, by: "fe80::1")
        },
        Case("IPv6 alone", "eth0 ipv6 fe80::1") {
            $0.link(2, "eth0").address("2001:db8::2", 64, on: 2).route(.ipv6, over: 2, by: "fe80::1", metric: 1024)
        },
        Case("IPv6 with a link-local address only", "-") {
            $0.link(2, "eth0").address("fe80::2", 64, on: 2).route(.ipv6, over: 2, by: "fe80::1")
        },
        Case("IPv4 with a link-local address only, as avahi-autoipd makes it", "-") {
            $0.link(2, "eth0").address("169.254.1.2", 16, on: 2).route(over: 2)
        },
        Case("IPv6's own unreachable default behind the real one", "eth0 ipv6 fe80::1") {
            $0.link(2, "eth0").address("2001:db8::2", 64, on: 2).route(.ipv6, over: 1, metric: .max, type: 7)
                .route(.ipv6, over: 2, by: "fe80::1", metric: 1024)
        },
        Case("a refusal before the real one, as a kill switch sets it", "-") {
            $0.link(2, "eth0").address("10.0.0.2", 24, on: 2).route(over: nil, metric: 50, type: 7)
                .route(over: 2, by: "10.0.0.1", metric: 100)
        },
        Case("the lower metric first", "wlan0 ipv4 10.1.0.1") {
            $0.link(2, "eth0").link(3, "wlan0").address("10.0.0.2", 24, on: 2).address("10.1.0.2", 24, on: 3)
                .route(over: 2, by: "10.0.0.1", metric: 700).route(over: 3, by: "10.1.0.1", metric: 600)
        },
        Case("the first without a carrier, the second with one", "wlan0 ipv4 10.1.0.1") {
            $0.link(2, "eth0", flags: noCarrier).link(3, "wlan0").address("10.0.0.2", 24, on: 2)
                .address("10.1.0.2", 24, on: 3)
                .route(over: 2, by: "10.0.0.1", metric: 100).route(over: 3, by: "10.1.0.1", metric: 600)
        },
        Case("another table than the main one", "eth0 ipv4 10.0.0.1") {
            $0.link(2, "eth0").address("10.0.0.2", 24, on: 2).route(over: 2, by: "10.0.0.1", table: 1000)
        },
        Case("the main table before another one", "eth0 ipv4 10.0.0.1") {
            $0.link(2, "eth0").link(3, "eth1").address("10.0.0.2", 24, on: 2).address("10.1.0.2", 24, on: 3)
                .route(over: 3, by: "10.1.0.1", table: 100).route(over: 2, by: "10.0.0.1", metric: 100)
        },
        Case("a mobile connection without a gateway", "wwan0 ipv4 -") {
            $0.link(2, "wwan0", hardware: 519).address("10.0.0.2", 32, on: 2).route(over: 2)
        },
        Case("a tunnel over a link that runs", "wg0 ipv4 -") {
            $0.link(2, "eth0").address("10.0.0.2", 24, on: 2).link(3, "wg0", hardware: 0xFFFE, driver: "wireguard")
                .address("10.9.0.2", 32, on: 3).route(over: 3).route(over: 2, by: "10.0.0.1", metric: 100)
        },
        Case("a tunnel that outlives the link under it", "-") {
            $0.link(2, "eth0", flags: noCarrier).link(4, "virbr0", driver: "bridge").address("10.8.0.1", 24, on: 4)
                .link(3, "wg0", hardware: 0xFFFE, driver: "wireguard").address("10.9.0.2", 32, on: 3).route(over: 3)
        },
        Case("a tunnel as the only interface of a namespace", "tap0 ipv4 10.0.2.2") {
            $0.link(2, "tap0", driver: "tun").address("10.0.2.100", 24, on: 2).route(over: 2, by: "10.0.2.2")
        },
        Case("a bridge that carries the machine's address", "br0 ipv4 10.0.0.1") {
            $0.link(2, "eth0").link(3, "br0", driver: "bridge").address("10.0.0.2", 24, on: 3)
                .route(over: 3, by: "10.0.0.1")
        },
        Case("an address lent by the loopback interface", "eth0 ipv4 10.0.0.1") {
            $0.link(2, "eth0").address("203.0.113.7", 32, on: 1).route(over: 2, by: "10.0.0.1")
        },
        Case("a preferred source that is there", "eth0 ipv4 10.0.0.1") {
            $0.link(2, "eth0").link(3, "dummy0", driver: "dummy").address("203.0.113.7", 32, on: 3)
                .route(over: 2, by: "10.0.0.1", source: "203.0.113.7")
        },
        Case("a default route over loopback", "-") {
            $0.address("203.0.113.7", 32, on: 1).route(over: 1)
        },
    ]

    @Test("L7: the network is there if packets to everywhere can leave and answers come back", arguments: cases)
    func satisfied(_ example: Case) {
        let path = NetworkTable(example.bytes).path
        let way = path.defaultRoute.map { "\($0.interface) \($0.family) \($0.gateway.map { "\($0)" } ?? "-")" } ?? "-"
        #expect(way + (path.hasIPv4 && path.hasIPv6 ? "+" : "") == example.expected)
        #expect(path.isSatisfied == (example.expected != "-"))
        #expect(path.defaultRoute == nil || (path.defaultRoute?.family == .ipv4) == path.hasIPv4)
    }

    @Test("interfaces are listed by index, with their addresses in order")
    func interfaces() {
        let datagram = NetlinkDatagram().link(3, "wg0", hardware: 0xFFFE, driver: "wireguard").loopback()
            .address("fe80::3", 64, on: 3).address("10.9.0.3", 24, on: 3).address("10.9.0.2", 24, on: 3)
        let interfaces = NetworkTable(datagram.bytes).path.interfaces
        #expect(interfaces.map(\.name) == ["lo", "wg0"])
        #expect(interfaces.map(\.kind) == [.loopback, .tunnel])
        #expect(interfaces[1].addresses.map(\.description) == ["10.9.0.2/24", "10.9.0.3/24", "fe80::3/64"])
    }

    @Test("a link keeps its addresses when it is renamed, and loses them when it goes")
    func renamed() {
        let before = NetlinkDatagram().link(2, "wlan0").address("10.0.0.2", 24, on: 2)
        let renamed = NetworkTable(before.link(2, "wlp3s0").bytes).path.interfaces
        #expect(renamed.map(\.name) == ["wlp3s0"])
        #expect(renamed[0].addresses.count == 1)
        let again = NetworkTable(before.link(2, "wlan0", isGone: true).link(2, "wlan0").bytes).path.interfaces
        #expect(again[0].addresses.isEmpty)
    }

    struct KindCase: Sendable {
        let kind: InterfaceKind
        let name: String
        let hardware: UInt16
        let driver: String?
        let traits: InterfaceKind.DeviceTraits

        init(
            _ kind: InterfaceKind, _ name: String, _ hardware: UInt16 = 1, _ driver: String? = nil,
            isWireless: Bool = false, deviceType: String? = nil
        ) {
            (self.kind, self.name, self.hardware, self.driver) = (kind, name, hardware, driver)
            traits = .init(isWireless: isWireless, deviceType: deviceType)
        }
    }

    @Test(
        "L7: interfaces have kinds",
        arguments: [
            KindCase(.loopback, "lo", 772), KindCase(.ethernet, "enp3s0"), KindCase(.ethernet, "bond0", 1, "bond"),
            KindCase(.ethernet, "eth0.7", 1, "vlan", deviceType: "vlan"), KindCase(.ethernet, "ib0", 32),
            KindCase(.wifi, "wlp3s0", isWireless: true), KindCase(.wifi, "wlan0", deviceType: "wlan"),
            KindCase(.cellular, "wwan0"), KindCase(.cellular, "wwp0s20", deviceType: "wwan"),
            KindCase(.cellular, "rmnet0", 519), KindCase(.tunnel, "tun0", 0xFFFE, "tun"),
            KindCase(.tunnel, "wg0", 0xFFFE, "wireguard"), KindCase(.tunnel, "vxlan1", 1, "vxlan"),
            KindCase(.tunnel, "sit0", 776), KindCase(.bridge, "docker0", 1, "bridge", deviceType: "bridge"),
            KindCase(.other, "dummy0", 1, "dummy"), KindCase(.other, "ppp0", 512),
        ])
    func kinds(_ example: KindCase) {
        let kind = InterfaceKind(
            hardware: example.hardware, driver: example.driver, name: example.name, traits: { _ in example.traits })
        #expect(kind == example.kind)
    }
}

extension NetworkTable {
    /// The table after a row of messages, from an empty one.
    init(_ bytes: [UInt8]) {
        self.init { _ in .init() }
        var rest = bytes[...]
        while let message = NetlinkMessage.take(from: &rest) {
            guard let news = NetworkNews(message) else { continue }
            if case .route(let route) = news { add(route) } else { _ = apply(news) }
        }
    }
}
