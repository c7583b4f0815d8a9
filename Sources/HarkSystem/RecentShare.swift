/// The recent use of a shared resource, such as the loop's time; older use counts less and less.
@frozen package struct RecentShare {
    /// The clock ticks after which half of it is forgotten.
    @inlinable static var halfLife: UInt64 { 100_000 }

    @usableFromInline var microseconds: UInt64 = 0
    @usableFromInline var since: UInt64 = 0

    @inlinable package init() {}

    @inlinable package func spent(at now: UInt64) -> UInt64 {
        let halvings = now > since ? (now - since) / RecentShare.halfLife : 0
        return halvings < 64 ? microseconds >> halvings : 0
    }

    @inlinable package mutating func spend(_ more: UInt64, at now: UInt64) {
        let halvings = now > since ? (now - since) / RecentShare.halfLife : 0
        microseconds = spent(at: now) &+ more
        since = halvings < 64 ? since + halvings * RecentShare.halfLife : now
    }
}
