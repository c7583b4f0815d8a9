extension Identifier {
    /// Makes UUIDs of version 7 (RFC 9562, 5.7): 48 bits of milliseconds, then 74 random bits.
    ///
    /// Ids within a millisecond are ascending (6.2, method 2): each is a random step of up to 2⁵² above the one before,
    /// so none can be guessed from another. After the clock is set back, the sequence restarts.
    package struct Generator: Sendable {
        private var random: any RandomNumberGenerator & Sendable
        /// The time of the last id.
        private var milliseconds: UInt64?
        /// The time of the last id, followed by its first twelve random bits.
        private var upper: UInt64 = 0
        /// The other 62 random bits.
        private var lower: UInt64 = 0

        private static let bitsOfUpper: UInt64 = 12
        private static let bitsOfLower: UInt64 = 62
        private static let bitsOfStep: UInt64 = 52

        /// - Parameter random: Must be unpredictable, because ids are given to other programs.
        package init(random: any RandomNumberGenerator & Sendable = BlockRandom()) {
            self.random = random
        }

        /// Makes the next id. A time before 1970 counts as 1970.
        package mutating func next(at time: Timestamp) -> Identifier {
            let now = UInt64(max(time.milliseconds, 0)) & 0xFFFF_FFFF_FFFF
            if now == milliseconds {
                lower += random.next() >> (64 - Self.bitsOfStep) + 1
                upper += lower >> Self.bitsOfLower
                lower &= 1 << Self.bitsOfLower - 1
            } else {
                milliseconds = now
                // One bit less than there is room for, so that two million steps fit before they would overflow into
                // the time.
                upper = now << Self.bitsOfUpper | random.next() >> (64 - Self.bitsOfUpper + 1)
                lower = random.next() >> (64 - Self.bitsOfLower)
            }
            let version: UInt64 = 7
            let variant: UInt64 = 0b10
            return Identifier(
                high: (upper >> Self.bitsOfUpper) << 16 | version << 12 | upper & (1 << Self.bitsOfUpper - 1),
                low: variant << Self.bitsOfLower | lower)
        }
    }
}
