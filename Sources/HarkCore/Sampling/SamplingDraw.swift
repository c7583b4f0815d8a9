/// The random numbers of one day's plan. They follow from a text alone, so everybody who knows it draws the same.
///
/// `docs/guides/sampling.md` says how, for programs in other languages: FNV-1a of 64 bits over the text's UTF-8, spread by the end of
/// MurmurHash3, is the state from which SplitMix64 goes on.
struct SamplingDraw {
    private var state: UInt64

    /// - Parameter fields: each is followed by a zero byte.
    init(_ fields: [String]) {
        var hash = StableHash()
        for field in fields { hash.mix(field) }
        state = hash.value
    }

    private mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
        return mixed ^ mixed >> 31
    }

    /// A whole number from 0 up to, not including, another; 0 where that is not above 0.
    mutating func number(below end: Int64) -> Int64 {
        guard end > 0 else { return 0 }
        return Int64(next().multipliedFullWidth(by: UInt64(end)).high)
    }
}
