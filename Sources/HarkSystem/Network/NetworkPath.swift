/// The network connection of this machine at a moment: whether packets can leave it, and by which route.
///
/// Satisfied means that another machine could be reached, not that any answers. It is a hint for when to try.
package struct NetworkPath: Sendable, Equatable {
    /// A default route.
    package struct Route: Sendable, Equatable {
        package let interface: String
        package let family: IPAddress.Family
        /// Nil without a gateway, as on a point-to-point link.
        package let gateway: IPAddress?
    }

    /// Whether there is a usable default route of the family.
    package var hasIPv4 = false
    package var hasIPv6 = false
    /// The preferred default route; that of IPv4 if both families have one.
    package var defaultRoute: Route?
    /// By index, which is the order of creation.
    package var interfaces: [NetworkInterface] = []

    package var isSatisfied: Bool { hasIPv4 || hasIPv6 }

    package init() {}
}

/// A network interface, as reported to clients.
package struct NetworkInterface: Sendable, Equatable {
    package let name: String
    package let index: Int32
    package let kind: InterfaceKind
    /// Whether the administrator has switched it on.
    package let isUp: Bool
    /// Whether it can carry packets: it has a carrier, and a wireless one is associated.
    package let isRunning: Bool
    /// IPv4 before IPv6; without tentative addresses.
    package let addresses: [InterfaceAddress]
}

/// An interface address with its prefix length, such as `10.0.0.2/24`.
package struct InterfaceAddress: Sendable, Hashable, CustomStringConvertible {
    package let address: IPAddress
    package let prefixLength: UInt8

    package var description: String { "\(address)/\(prefixLength)" }
}
