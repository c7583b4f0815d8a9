/// The waits of a sink between two batches while many records come in, so that recording goes before delivery.
///
/// A sink takes batches as fast as the processors allow, and a database on the same machine takes as much again. A burst of
/// records therefore has its first second to itself, and then a sink gets one part in sixty-four of the time. In a burst that
/// does not end, a sink gets half of the time, so that the backlog does not grow for ever.
struct SinkPace {
    /// The records a second from which on recording goes first.
    private static let fast: UInt64 = 50_000
    /// The microseconds after which a burst counts as the usual load.
    private static let longestBurst: UInt64 = 30_000_000
    /// The microseconds after which the records are counted anew while a sink waits.
    static let slice: UInt64 = 100_000
    private static let longest: UInt64 = 4_000_000
    private static let first: UInt64 = 1_000_000
    private static let shortestLook: UInt64 = 20_000

    /// The last count: the newest record, and the time in microseconds.
    private var count: (newest: UInt64, at: UInt64)?
    private var fastSince: UInt64?
    /// The time until which the next batch waits.
    private var until: UInt64 = 0

    /// Notes the time of a batch, from its reading to the sink's answer.
    mutating func sent(in microseconds: UInt64, at now: UInt64) {
        let isUsual = fastSince.map { now &- $0 >= Self.longestBurst } ?? false
        until = now &+ min(Self.longest, min(microseconds, Self.longest) * (isUsual ? 1 : 63))
    }

    /// The microseconds to wait before this is asked again; 0 if the next batch may go.
    ///
    /// - Parameters:
    ///   - newest: The number of the newest record of the store.
    ///   - now: The time in microseconds, of a clock that is never set back.
    mutating func wait(newest: UInt64, at now: UInt64) -> UInt64 {
        guard let before = count, now > before.at, newest >= before.newest else {
            count = (newest, now)
            return 0
        }
        let passed = now - before.at
        if passed >= Self.shortestLook {
            count = (newest, now)
            let isFast = Double(newest - before.newest) * 1_000_000 >= Double(Self.fast) * Double(passed)
            if !isFast {
                (fastSince, until) = (nil, now)
            } else if fastSince == nil {
                (fastSince, until) = (before.at, max(until, now &+ Self.first))
            }
        }
        // Short batches of a quiet time come sooner than records are counted again.
        return fastSince != nil && until > now ? min(until - now, Self.slice) : 0
    }
}
