import HarkTesting
import HarkWire
import Testing

/// How long is waited before the next try (row L5).
@Suite struct BackoffTests {
    @Test(
        "L5: the longest wait doubles with each failure, up to the cap",
        arguments: [
            (1, 1.0), (2, 2), (3, 4), (4, 8), (8, 128), (9, 256), (10, 300), (11, 300), (63, 300), (64, 300), (65, 300),
            (1_000_000, 300), (.max, 300),
        ])
    func bound(_ failures: Int, _ seconds: Double) {
        #expect(Backoff().wait(afterFailures: failures, dice: 1) == seconds)
    }

    @Test("L5: anything between nothing and the longest wait comes, as the dice show")
    func fullJitter() {
        var random = SplitMix64(state: 7)
        for failures in 1...20 {
            let longest = Backoff().wait(afterFailures: failures, dice: 1)
            for dice in [0, 0.25, 0.5, 1, Double.random(in: 0...1, using: &random)] {
                #expect(Backoff().wait(afterFailures: failures, dice: dice) == longest * dice)
            }
        }
    }

    @Test("base and cap may be anything, and no wait is ever more than the cap, nor no number")
    func extremes() {
        for base in [0, 0.001, 1, 86_400, 1e300, .greatestFiniteMagnitude] {
            for cap in [0, 0.5, 300, 86_400.0] {
                let backoff = Backoff(base: base, cap: cap)
                for failures in [.min, -1, 0, 1, 2, 62, 63, 64, 65, .max] {
                    let wait = backoff.wait(afterFailures: failures, dice: 1)
                    #expect((0...cap).contains(wait), "\(base) \(cap) \(failures)")
                }
            }
        }
    }

    @Test("less than one failure is taken for one")
    func none() {
        for failures in [.min, -1, 0] { #expect(Backoff(base: 3).wait(afterFailures: failures, dice: 1) == 3) }
    }

    @Test("a notification that could not be shown is tried after 30 s, 2 and 10 minutes, and then each hour")
    func notification() {
        let waits = [.min, 0, 1, 2, 3, 4, 5, .max].map { Backoff.notification.wait(afterFailures: $0) }
        #expect(waits == [30, 30, 30, 120, 600, 3_600, 3_600, 3_600])
    }
}
