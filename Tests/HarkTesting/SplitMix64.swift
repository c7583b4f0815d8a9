/// A small random number generator with a seed, so that a failure can be played again (Steele, Lea and Flood, 2014).
package struct SplitMix64: RandomNumberGenerator {
    package var state: UInt64

    package init(state: UInt64) { self.state = state }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    package mutating func below(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &self) }

    /// True once in `times`.
    package mutating func once(in times: Int) -> Bool { below(times) == 0 }

    package mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }
}
