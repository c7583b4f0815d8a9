/// The random numbers of one day's plan. They follow from a list of texts alone, so every program that knows the texts
/// draws the same numbers.
///
/// FNV-1a of 64 bits over the UTF-8 of the texts, then the finalizer of MurmurHash3, gives the initial state of
/// SplitMix64. `docs/reference/sampling.md` specifies it for programs in other languages.
struct SamplingDraw {
    private var state: UInt64

    /// - Parameter fields: the texts; each is hashed with a zero byte behind it.
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

    /// The next number, from 0 up to and not including `end`; 0 if `end` is not above 0.
    mutating func number(below end: Int64) -> Int64 {
        guard end > 0 else { return 0 }
        return Int64(next().multipliedFullWidth(by: UInt64(end)).high)
    }
}
