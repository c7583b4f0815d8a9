import CLinux
import Glibc

/// The news in a message of rtnetlink that may concern the network path.
enum NetworkNews: Equatable {
    case link(NetworkLink)
    case linkGone(Int32)
    case address(InterfaceAddress, interface: Int32)
    case addressGone(InterfaceAddress, interface: Int32)
    /// A default route was added.
    case route(DefaultRoute)
    /// A default route was removed.
    case routeGone(DefaultRoute)

    /// Nil for other or damaged messages.
    init?(_ message: NetlinkMessage) {
        let payload = message.payload
        switch Int(message.type) {
        case RTM_NEWLINK:
            guard let link = NetworkLink(payload) else { return nil }
            self = .link(link)
        case RTM_DELLINK:
            guard let link = NetworkLink(payload) else { return nil }
            self = .linkGone(link.index)
        case RTM_NEWADDR, RTM_DELADDR:
            guard let (address, interface, isUsable) = NetworkNews.address(payload) else { return nil }
            let isThere = Int(message.type) == RTM_NEWADDR && isUsable
            self = isThere ? .address(address, interface: interface) : .addressGone(address, interface: interface)
        case RTM_NEWROUTE:
            guard let route = DefaultRoute(payload) else { return nil }
            self = .route(route)
        case RTM_DELROUTE:
            guard let route = DefaultRoute(payload) else { return nil }
            self = .routeGone(route)
        default: return nil
        }
    }

    /// Reads `struct ifaddrmsg` and its attributes. Addresses under duplicate detection (DAD) are not usable yet.
    private static func address(_ payload: ArraySlice<UInt8>) -> (InterfaceAddress, Int32, isUsable: Bool)? {
        guard let number = payload.first, let family = IPAddress.Family(number: number),
            let prefixLength = payload.number(at: 1, UInt8.self), let oldFlags = payload.number(at: 2, UInt8.self),
            let interface = payload.number(at: 4, Int32.self)
        else { return nil }
        var flags = UInt32(oldFlags)
        var (local, address): (IPAddress?, IPAddress?)
        for (type, value) in NetlinkAttributes(payload.dropFirst(MemoryLayout<ifaddrmsg>.size)) {
            switch type {
            // On a point-to-point link, IFA_ADDRESS is the peer's.
            case IFA_LOCAL: local = IPAddress(family, value)
            case IFA_ADDRESS: address = IPAddress(family, value)
            case IFA_FLAGS: flags = value.number(at: 0, UInt32.self) ?? flags
            default: break
            }
        }
        guard let own = local ?? address else { return nil }
        let isTentative = flags & UInt32(IFA_F_TENTATIVE) != 0 && flags & UInt32(IFA_F_OPTIMISTIC) == 0
        let isUsable = !isTentative && flags & UInt32(IFA_F_DADFAILED) == 0
        return (InterfaceAddress(address: own, prefixLength: prefixLength), interface, isUsable)
    }
}

/// A link as the kernel describes it.
struct NetworkLink: Equatable {
    let index: Int32
    let name: String
    let hardware: UInt16
    /// The driver of a virtual link.
    let driver: String?
    let isUp: Bool
    let isRunning: Bool
}

extension NetworkLink {
    /// Reads `struct ifinfomsg` and its attributes; nil for messages of a bridge about its ports.
    init?(_ payload: ArraySlice<UInt8>) {
        guard payload.first == UInt8(AF_UNSPEC), let hardware = payload.number(at: 2, UInt16.self),
            let index = payload.number(at: 4, Int32.self), let flags = payload.number(at: 8, UInt32.self)
        else { return nil }
        var (name, driver): (String?, String?)
        for (type, value) in NetlinkAttributes(payload.dropFirst(MemoryLayout<ifinfomsg>.size)) {
            switch type {
            case IFLA_IFNAME: name = value.netlinkText
            case IFLA_LINKINFO:
                for (type, value) in NetlinkAttributes(value) where type == IFLA_INFO_KIND {
                    driver = value.netlinkText
                }
            default: break
            }
        }
        guard let name, !name.isEmpty else { return nil }
        // IFF_RUNNING alone is also set for a link without information about its carrier.
        let running = Flags.running | Flags.lowerUp
        self.init(
            index: index, name: name, hardware: hardware, driver: driver, isUp: flags & Flags.isUp != 0,
            isRunning: flags & Flags.isUp != 0 && flags & running == running)
    }

    /// Bits of `ifi_flags` (netdevice(7)).
    private enum Flags {
        static let isUp: UInt32 = 0x1
        static let running: UInt32 = 0x40
        static let lowerUp: UInt32 = 0x10000
    }
}

extension IPAddress.Family {
    init?(number: UInt8) {
        switch Int32(number) {
        case AF_INET: self = .ipv4
        case AF_INET6: self = .ipv6
        default: return nil
        }
    }

    var number: UInt8 { UInt8(self == .ipv4 ? AF_INET : AF_INET6) }
}
