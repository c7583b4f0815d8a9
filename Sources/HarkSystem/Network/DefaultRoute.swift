import CLinux
import Glibc

/// A default route, as the kernel describes it.
struct DefaultRoute: Equatable {
    /// One of its next hops.
    struct Hop: Equatable {
        var interface: Int32
        var gateway: IPAddress?
    }

    let family: IPAddress.Family
    let table: UInt32
    /// The lowest metric comes first.
    let metric: UInt32
    /// Whether it rejects or drops packets.
    let isRefusal: Bool
    let hops: [Hop]
    /// The fixed source address of packets, if there is one.
    let source: IPAddress?
}

extension DefaultRoute {
    /// Reads `struct rtmsg` and its attributes; nil for all other routes.
    init?(_ payload: ArraySlice<UInt8>) {
        guard let number = payload.first, let family = IPAddress.Family(number: number),
            payload.number(at: 1, UInt8.self) == 0, let oldTable = payload.number(at: 4, UInt8.self),
            let type = payload.number(at: 7, UInt8.self), let flags = payload.number(at: 8, UInt32.self),
            flags & UInt32(RTM_F_CLONED) == 0, let isRefusal = DefaultRoute.refuses(type)
        else { return nil }
        var table = UInt32(oldTable)
        var metric: UInt32 = 0
        var source: IPAddress?
        var single = Hop(interface: 0)
        var several: [Hop] = []
        for (type, value) in NetlinkAttributes(payload.dropFirst(MemoryLayout<rtmsg>.size)) {
            switch rtattr_type_t(UInt32(type)) {
            case RTA_TABLE: table = value.number(at: 0, UInt32.self) ?? table
            case RTA_PRIORITY: metric = value.number(at: 0, UInt32.self) ?? metric
            case RTA_PREFSRC: source = IPAddress(family, value)
            case RTA_OIF: single.interface = value.number(at: 0, Int32.self) ?? 0
            case RTA_MULTIPATH: several = DefaultRoute.hops(value, family)
            default: single.gateway = DefaultRoute.gateway(type, value, family) ?? single.gateway
            }
        }
        let hops = several.isEmpty && single.interface != 0 ? [single] : several
        self.init(
            family: family, table: table, metric: metric, isRefusal: isRefusal, hops: isRefusal ? [] : hops,
            source: source)
    }

    /// Nil for types that neither forward nor refuse: local addresses and broadcasts.
    private static func refuses(_ type: UInt8) -> Bool? {
        switch Int(type) {
        case RTN_UNICAST: false
        case RTN_UNREACHABLE, RTN_BLACKHOLE, RTN_PROHIBIT: true
        default: nil
        }
    }

    /// A gateway may be of the other family (`via inet6 fe80::1`).
    private static func gateway(_ type: Int, _ value: ArraySlice<UInt8>, _ family: IPAddress.Family) -> IPAddress? {
        switch rtattr_type_t(UInt32(type)) {
        case RTA_GATEWAY: return IPAddress(family, value)
        case RTA_VIA:
            guard let number = value.number(at: 0, UInt16.self), let byte = UInt8(exactly: number),
                let other = IPAddress.Family(number: byte)
            else { return nil }
            return IPAddress(other, value.dropFirst(2))
        default: return nil
        }
    }

    /// Reads a list of `struct rtnexthop`, each with its own attributes.
    private static func hops(_ bytes: ArraySlice<UInt8>, _ family: IPAddress.Family) -> [Hop] {
        var hops: [Hop] = []
        var rest = bytes
        while let length = rest.number(at: 0, UInt16.self), length >= MemoryLayout<rtnexthop>.size,
            length <= rest.count, let interface = rest.number(at: 4, Int32.self)
        {
            var hop = Hop(interface: interface)
            let attributes = rest.prefix(Int(length)).dropFirst(MemoryLayout<rtnexthop>.size)
            for (type, value) in NetlinkAttributes(attributes) {
                hop.gateway = gateway(type, value, family) ?? hop.gateway
            }
            hops.append(hop)
            rest = rest.dropFirst((Int(length) + 3) & ~3)
        }
        return hops
    }
}
