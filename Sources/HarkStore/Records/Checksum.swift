/// A checksum of a block's bytes, so that a flipped bit is noticed when the block is read.
///
/// Each step is a bijection of the running value, so a change within one word of eight bytes always shows, and any
/// other change but once in 2^64. It guards against damage, not against malice. Four independent values alternate, as a
/// processor must finish a step before the next one on the same value.
enum Checksum {
    static func of(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        var lanes = (UInt64(bytes.count), 1 as UInt64, 2 as UInt64, 3 as UInt64)
        var offset = 0
        while offset &+ 32 <= bytes.count {
            lanes.0 = mix(lanes.0, word(bytes, offset))
            lanes.1 = mix(lanes.1, word(bytes, offset &+ 8))
            lanes.2 = mix(lanes.2, word(bytes, offset &+ 16))
            lanes.3 = mix(lanes.3, word(bytes, offset &+ 24))
            offset &+= 32
        }
        return finish(mix(mix(mix(lanes.0, lanes.1), lanes.2), lanes.3), bytes, from: offset)
    }

    /// The checksum of stores up to version 16, word by word.
    static func ofEarlierVersion(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        finish(UInt64(bytes.count), bytes, from: 0)
    }

    private static func finish(_ start: UInt64, _ bytes: UnsafeRawBufferPointer, from place: Int) -> UInt64 {
        var (state, offset) = (start, place)
        while offset &+ 8 <= bytes.count {
            state = mix(state, word(bytes, offset))
            offset &+= 8
        }
        var rest: UInt64 = 0
        for byte in bytes[offset...] { rest = rest << 8 | UInt64(byte) }
        return mix(state, rest)
    }

    @inline(__always)
    private static func word(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt64 {
        UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    @inline(__always)
    private static func mix(_ state: UInt64, _ word: UInt64) -> UInt64 {
        // The multiplier of Fibonacci hashing (Knuth): 2^64 divided by the golden ratio, odd.
        let product = (state ^ word) &* 0x9E37_79B9_7F4A_7C15
        return product ^ product >> 32
    }
}
