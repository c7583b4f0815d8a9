import Glibc

/// The kind of an interface, as users know it.
package enum InterfaceKind: String, Sendable, CaseIterable {
    case loopback, ethernet, wifi, cellular
    /// Encapsulates packets, so it needs another interface under it.
    case tunnel
    case bridge, other
}

extension InterfaceKind {
    /// Facts from `/sys/class/net` that the kernel's messages lack.
    struct DeviceTraits: Equatable {
        var isWireless = false
        /// `DEVTYPE`, such as `wlan` or `wwan`.
        var deviceType: String?

        static func read(of name: String) -> DeviceTraits {
            let folder = "/sys/class/net/\(name)"
            var traits = DeviceTraits()
            traits.isWireless = ["wireless", "phy80211"].contains { access("\(folder)/\($0)", F_OK) == 0 }
            do throws(SystemError) {
                let text = try FileDescriptor.open("\(folder)/uevent", flags: O_RDONLY).readAll(limit: 4096)
                let lines = String(decoding: text, as: UTF8.self).split(separator: "\n")
                let line = lines.first { $0.hasPrefix("DEVTYPE=") }
                traits.deviceType = line.map { String($0.dropFirst("DEVTYPE=".count)) }
            } catch {
                // Without sysfs, as in some containers, or if the interface is gone: only the messages are used.
            }
            return traits
        }
    }

    /// - Parameters:
    ///   - hardware: The kernel's ARPHRD number.
    ///   - driver: The driver of a virtual interface (`IFLA_INFO_KIND`); nil for a device.
    ///   - traits: Called only for a device.
    init(hardware: UInt16, driver: String?, name: String, traits: (String) -> DeviceTraits) {
        let traits = driver == nil && hardware != Hardware.loopback ? traits(name) : DeviceTraits()
        if hardware == Hardware.loopback {
            self = .loopback
        } else if let driver, let kind = InterfaceKind.virtual[driver] {
            self = kind
        } else if traits.isWireless || traits.deviceType == "wlan" {
            self = .wifi
        } else if traits.deviceType == "wwan" || hardware == Hardware.rawIP || name.hasPrefix("wwan") {
            self = .cellular
        } else if hardware == Hardware.ethernet || hardware == Hardware.infiniband {
            self = .ethernet
        } else if Hardware.tunnels.contains(hardware) {
            self = .tunnel
        } else {
            self = .other
        }
    }

    /// Drivers whose interfaces look like other kinds; bonds, VLANs, veths and similar ones count as ethernet.
    private static let virtual: [String: InterfaceKind] = {
        let tunnels = [
            "bareudp", "erspan", "geneve", "gre", "gretap", "gtp", "ip6erspan", "ip6gre", "ip6gretap", "ip6tnl", "ipip",
            "ovpn", "sit", "tun", "vti", "vti6", "vxlan", "wireguard", "xfrm",
        ]
        var kinds = Dictionary(uniqueKeysWithValues: tunnels.map { ($0, InterfaceKind.tunnel) })
        for name in ["bridge", "openvswitch"] { kinds[name] = .bridge }
        for name in ["rmnet", "wwan"] { kinds[name] = .cellular }
        for name in ["can", "dummy", "ifb", "netdevsim", "nlmon", "vcan", "vrf"] { kinds[name] = .other }
        return kinds
    }()

    /// Numbers from if_arp.h.
    private enum Hardware {
        static let ethernet: UInt16 = 1
        static let infiniband: UInt16 = 32
        static let rawIP: UInt16 = 519
        static let loopback: UInt16 = 772
        /// IPIP, IP6IP6, SIT, GRE, GRE over IPv6, and none, which WireGuard has.
        static let tunnels: Set<UInt16> = [768, 769, 776, 778, 823, 0xFFFE]
    }
}
