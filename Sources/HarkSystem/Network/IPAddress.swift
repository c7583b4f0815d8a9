import Glibc

/// An IPv4 or IPv6 address.
package struct IPAddress: Sendable, Hashable {
    package enum Family: String, Sendable, CaseIterable {
        case ipv4, ipv6

        var byteCount: Int { self == .ipv4 ? 4 : 16 }
    }

    package let family: Family
    /// 4 or 16 bytes in network order.
    private let bytes: [UInt8]

    /// Nil unless the number of bytes fits the family.
    init?(_ family: Family, _ bytes: some Collection<UInt8>) {
        guard bytes.count == family.byteCount else { return nil }
        self.family = family
        self.bytes = Array(bytes)
    }

    /// Whether it is reachable beyond this machine and its own link.
    var isRoutable: Bool {
        switch family {
        case .ipv4:
            bytes[0] != 0 && bytes[0] != 127 && bytes[0] < 224 && !(bytes[0] == 169 && bytes[1] == 254)
        case .ipv6:
            bytes[0] != 0xff && !(bytes[0] == 0xfe && bytes[1] & 0xc0 == 0x80) && bytes.dropLast().contains { $0 != 0 }
        }
    }
}

extension IPAddress: CustomStringConvertible {
    package var description: String {
        // Long enough for any address.
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { text in
            let family = family == .ipv4 ? AF_INET : AF_INET6
            return inet_ntop(family, bytes, text.baseAddress, socklen_t(text.count)).map { String(cString: $0) } ?? "?"
        }
    }
}

extension IPAddress: Comparable {
    package static func < (one: IPAddress, other: IPAddress) -> Bool {
        if one.family != other.family { return one.family == .ipv4 }
        return one.bytes.lexicographicallyPrecedes(other.bytes)
    }
}
