/// A check over a block's bytes, so that a flipped bit is noticed when the block is read.
///
/// Each step is a bijection of the running value, so a change within one word of eight bytes always shows, and any
/// other change but once in 2^64. It guards against damage, not against malice, and costs a nanosecond or so a word.
enum Checksum {
    static func of(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        var state = UInt64(bytes.count)
        var offset = 0
        while offset &+ 8 <= bytes.count {
            state = mix(state, UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
            offset &+= 8
        }
        var rest: UInt64 = 0
        for byte in bytes[offset...] { rest = rest << 8 | UInt64(byte) }
        return mix(state, rest)
    }

    private static func mix(_ state: UInt64, _ word: UInt64) -> UInt64 {
        // The multiplier of Knuth's and Fibonacci hashing: 2^64 divided by the golden ratio, odd.
        let product = (state ^ word) &* 0x9E37_79B9_7F4A_7C15
        return product ^ product >> 32
    }
}
