import Testing

@testable import HarkWire

@Suite struct WilsonIntervalTests {
    /// The first four are those of method 3 in R. G. Newcombe, "Two-sided confidence intervals for the single proportion",
    /// Statistics in Medicine 17 (1998), table I.
    @Test(
        "between which shares the true one lies is what others have published",
        arguments: [
            (81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0, 0.1611), (1, 29, 0.0061, 0.1718),
            (29, 29, 0.8830, 1), (10, 20, 0.2993, 0.7007), (1, 1, 0.2065, 1),
        ])
    func published(_ count: Int, _ total: Int, _ low: Double, _ high: Double) {
        let interval = WilsonInterval(count, of: total)
        #expect(abs(interval.low - low) < 0.000_06 && abs(interval.high - high) < 0.000_06, "\(interval)")
    }

    @Test("it stays within all and nothing, whatever is counted, and nobody asked means that nothing is known")
    func bounds() {
        #expect(WilsonInterval(0, of: 0) == WilsonInterval(5, of: -1))
        for (count, total) in [(0, 0), (7, 3), (-2, 3), (Int.max, Int.max), (0, Int.max)] {
            let interval = WilsonInterval(count, of: total)
            #expect(0 <= interval.low && interval.low <= interval.high && interval.high <= 1, "\(count) of \(total)")
        }
        #expect(WilsonInterval(0, of: 0).low == 0 && WilsonInterval(0, of: 0).high == 1)
    }
}
