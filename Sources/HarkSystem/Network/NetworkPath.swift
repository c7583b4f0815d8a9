/// How this machine is connected at a moment: whether anything can leave it, and by which way.
///
/// Satisfied means that somebody out there could be reached, not that anybody answers. It is a hint for when to try.
package struct NetworkPath: Sendable, Equatable {
    /// Where packets to everywhere go.
    package struct Route: Sendable, Equatable {
        package let interface: String
        package let family: IPAddress.Family
        /// Nil where there is none, as on a point-to-point link.
        package let gateway: IPAddress?
    }

    /// There is a default route of the family that can be used.
    package var hasIPv4 = false
    package var hasIPv6 = false
    /// The one that is used first; IPv4's, if both families have one.
    package var defaultRoute: Route?
    /// By index, so in the order in which they came.
    package var interfaces: [NetworkInterface] = []

    package var isSatisfied: Bool { hasIPv4 || hasIPv6 }

    package init() {}
}

/// A network interface as others see it.
package struct NetworkInterface: Sendable, Equatable {
    package let name: String
    package let index: Int32
    package let kind: InterfaceKind
    /// Switched on by the administrator.
    package let isUp: Bool
    /// Able to carry packets: there is a carrier, and a wireless one is associated.
    package let isRunning: Bool
    /// IPv4 before IPv6; without those that are not in use yet.
    package let addresses: [InterfaceAddress]
}

/// An address of an interface with the length of its prefix, as in `10.0.0.2/24`.
package struct InterfaceAddress: Sendable, Hashable, CustomStringConvertible {
    package let address: IPAddress
    package let prefixLength: UInt8

    package var description: String { "\(address)/\(prefixLength)" }
}
