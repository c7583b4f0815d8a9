import Testing

@testable import HarkDelivery

@Suite("The pace of a sink")
struct SinkPaceTests {
    private var pace = SinkPace()
    private var now: UInt64 = 1_000_000

    /// The share of the time in which batches of 20 ms are sent at that rate of records a second.
    private mutating func share(of rate: UInt64, seconds: UInt64) -> Double {
        var sending: UInt64 = 0
        let end = now + seconds * 1_000_000
        while now < end {
            let wait = pace.wait(newest: now * rate / 1_000_000, at: now)
            now += wait
            guard wait == 0 else { continue }
            now += 20_000
            sending += 20_000
            pace.sent(in: 20_000, at: now)
        }
        return Double(sending) / Double(seconds * 1_000_000)
    }

    @Test("leaves a burst of records nearly all of the time")
    mutating func burst() {
        let share = share(of: 300_000, seconds: 20)
        #expect(share < 0.02 && share > 0.01, "\(share)")
    }

    @Test("leaves a burst its first second")
    mutating func first() {
        #expect(share(of: 0, seconds: 2) == 1)
        var waited: UInt64 = 0
        var newest: UInt64 = 0
        while true {
            newest += 30_000
            let wait = pace.wait(newest: newest, at: now)
            if wait == 0, waited > 0 { break }
            waited += wait
            now += max(wait, 20_000)
        }
        // The batch before may be waited for a little longer.
        #expect((1_000_000...1_300_000).contains(waited), "\(waited)")
    }

    @Test("makes no sink wait while few records come, or none")
    mutating func usual() {
        #expect(share(of: 40_000, seconds: 10) == 1)
        #expect(share(of: 0, seconds: 10) == 1)
        for _ in 0..<100 {
            pace.sent(in: 5_000, at: now)
            #expect(pace.wait(newest: 0, at: now) == 0)
            now += 5_000
        }
    }

    @Test("gives a sink half of the time once the burst is the usual load")
    mutating func long() {
        let first = share(of: 300_000, seconds: 30)
        let all = share(of: 300_000, seconds: 60)
        #expect(first < 0.02 && all > 0.4, "\(first), then \(all)")
    }

    @Test("lets a sink go on as soon as the burst is over, and never keeps it longer than four seconds")
    mutating func end() {
        #expect(pace.wait(newest: 0, at: 0) == 0)
        pace.sent(in: 5_000_000, at: 5_000_000)
        var now: UInt64 = 5_000_000
        var waits = 0
        while pace.wait(newest: now, at: now) > 0 {
            now += SinkPace.slice
            waits += 1
        }
        #expect(waits > 30 && waits <= 40, "\(waits)")
        pace.sent(in: 1_000_000, at: now)
        let newest = now + 100_000
        #expect(pace.wait(newest: newest, at: now + 100_000) > 0)
        #expect(pace.wait(newest: newest + 10, at: now + 200_000) == 0)
    }

    @Test("takes a store that was set back, and a clock that stands still, for no burst")
    mutating func odd() {
        #expect(pace.wait(newest: 1_000_000, at: 10) == 0)
        pace.sent(in: 1_000_000, at: 20)
        #expect(pace.wait(newest: 5, at: 1_000_000) == 0)
        #expect(pace.wait(newest: .max, at: 1_000_000) == 0)
    }
}
