extension Identifier {
    /// Makes UUIDs of version 7 (RFC 9562, 5.7): 48 bits of milliseconds, then 74 random bits.
    package struct Generator: Sendable {
        private var random: any RandomNumberGenerator & Sendable

        /// `random` must not be guessable: ids are handed to other programs.
        package init(random: any RandomNumberGenerator & Sendable = BlockRandom()) {
            self.random = random
        }

        /// Makes the next id. A time before 1970 counts as 1970.
        package mutating func next(at time: Timestamp) -> Identifier {
            let milliseconds = UInt64(max(time.milliseconds, 0)) & 0xFFFF_FFFF_FFFF
            let version: UInt64 = 7
            let variant: UInt64 = 0b10
            return Identifier(
                high: milliseconds << 16 | version << 12 | random.next() >> 52,
                low: variant << 62 | random.next() >> 2)
        }
    }
}
