package import HarkWire

/// A keyed hash of a text: with the key and the text it can be matched, and the text cannot be read from it.
///
/// SipHash-2-4 with 128 bits (J.-P. Aumasson, D. J. Bernstein, "SipHash: a fast short-input PRF"), in hexadecimal. The
/// key is the 16 bytes of an id.
package struct KeyedHash: Sendable, Equatable, CustomStringConvertible {
    package let description: String

    private static let digits = 32

    /// - Returns: nil for text that is not a hash in its written form.
    package init?(_ text: String) {
        guard text.utf8.count == KeyedHash.digits,
            text.utf8.allSatisfy({
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                    || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
            })
        else { return nil }
        description = text
    }

    package init(of text: String, key: Identifier) {
        var state = State(key.high.byteSwapped, key.low.byteSwapped)
        var word: UInt64 = 0
        var count = 0
        for byte in text.utf8 {
            word |= UInt64(byte) << UInt64(8 * (count % 8))
            count += 1
            if count % 8 == 0 {
                state.take(word)
                word = 0
            }
        }
        state.take(word | UInt64(truncatingIfNeeded: count) << 56)
        state.v2 ^= 0xee
        let first = state.finish()
        state.v1 ^= 0xdd
        let second = state.finish()
        description = [first, second].map { half in
            let text = String(half.byteSwapped, radix: 16)
            return String(repeating: "0", count: KeyedHash.digits / 2 - text.utf8.count) + text
        }.joined()
    }

    private struct State {
        var v0: UInt64
        var v1: UInt64
        var v2: UInt64
        var v3: UInt64

        init(_ low: UInt64, _ high: UInt64) {
            v0 = low ^ 0x736f_6d65_7073_6575
            v1 = high ^ 0x646f_7261_6e64_6f6d ^ 0xee
            v2 = low ^ 0x6c79_6765_6e65_7261
            v3 = high ^ 0x7465_6462_7974_6573
        }

        mutating func take(_ word: UInt64) {
            v3 ^= word
            for _ in 0..<2 { round() }
            v0 ^= word
        }

        mutating func finish() -> UInt64 {
            for _ in 0..<4 { round() }
            return v0 ^ v1 ^ v2 ^ v3
        }

        private mutating func round() {
            func turned(_ word: UInt64, _ bits: UInt64) -> UInt64 { word << bits | word >> (64 - bits) }
            v0 &+= v1
            v2 &+= v3
            v1 = turned(v1, 13) ^ v0
            v3 = turned(v3, 16) ^ v2
            v0 = turned(v0, 32)
            v2 &+= v1
            v0 &+= v3
            v1 = turned(v1, 17) ^ v2
            v3 = turned(v3, 21) ^ v0
            v2 = turned(v2, 32)
        }
    }
}
