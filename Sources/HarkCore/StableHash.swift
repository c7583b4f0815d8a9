/// A hash that is the same on every machine and in every run, evenly distributed, not cryptographic.
package struct StableHash: Sendable {
    private var hash: UInt64

    package init(_ seed: UInt64 = 0) {
        hash = 0xcbf2_9ce4_8422_2325 ^ seed
    }

    package mutating func mix(_ byte: UInt8) { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }

    mutating func mix(_ number: UInt64) {
        for shift in stride(from: UInt64(0), to: 64, by: 8) { mix(UInt8(truncatingIfNeeded: number >> shift)) }
    }

    mutating func mix(_ text: String) {
        for byte in text.utf8 { mix(byte) }
        mix(0 as UInt8)
    }

    mutating func mix(_ user: UserKey) {
        for shift in stride(from: UInt32(0), to: 32, by: 8) { mix(UInt8(truncatingIfNeeded: user.uid >> shift)) }
        for byte in (user.userId ?? "").utf8 { mix(byte) }
    }

    /// FNV-1a leaves short texts close together in the upper bits; this (the finalizer of MurmurHash3) spreads them.
    package var value: UInt64 {
        var spread = hash
        spread = (spread ^ spread >> 33) &* 0xff51_afd7_ed55_8ccd
        spread = (spread ^ spread >> 33) &* 0xc4ce_b9fe_1a85_ec53
        return spread ^ spread >> 33
    }
}
