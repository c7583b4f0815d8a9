import Testing

@testable import HarkWire

@Suite struct EstimateTests {
    @Test(
        "between which scores the true net promoter score lies is what the adjusted Wald interval gives",
        arguments: [
            (50, 20, 100, 30.0, 14.0511, 44.2013), (10, 0, 10, 100, 47.5036, 100), (0, 0, 40, 0, -5.5825, 5.5825),
        ]
    )
    func score(_ promoters: Int, _ detractors: Int, _ total: Int, _ value: Double, _ low: Double, _ high: Double) {
        let estimate = NetPromoterScore(promoters: promoters, detractors: detractors, of: total).estimate
        #expect(estimate.map { abs($0.value - value) < 0.001 } ?? false)
        #expect(
            estimate.map { abs($0.low - low) < 0.001 && abs($0.high - high) < 0.001 } ?? false, "\(estimate as Any)")
    }

    /// The differences of "Student" (W. S. Gosset), "The probable error of a mean", Biometrika 6 (1908), in tenths of an hour; the
    /// interval is the one that R gives.
    @Test("between which means the true one lies is what Student's t gives, for his own data")
    func student() {
        let differences = [12, 24, 13, 13, 0, 10, 18, 8, 46, 14]
        let estimate = MeanOfCounts(differences.map { (Double($0), 1) })?.estimate
        #expect(estimate.map { abs($0.value - 15.8) < 1e-9 } ?? false)
        #expect(
            estimate.map { abs($0.low - 7.001142) < 0.0005 && abs($0.high - 24.598858) < 0.0005 } ?? false,
            "\(estimate as Any)")
    }

    @Test(
        "the quantiles of t are those of the tables",
        arguments: [
            (9, 2.262157), (10, 2.228139), (15, 2.131450), (30, 2.042272), (100, 1.983972), (100_000, 1.959988),
        ])
    func quantiles(_ freedom: Int, _ quantile: Double) {
        #expect(abs(StudentT.quantile(Double(freedom)) - quantile) < 0.000_02)
    }

    /// The first is the example of R. G. Newcombe, Statistics in Medicine 17 (1998), page 877, method 10.
    @Test(
        "how far shares are apart is what others have published",
        arguments: [
            (48, 80, 56, 70, 0.0524, 0.3339), (100, 1000, 130, 1000, 0.002002, 0.058070),
            (10, 100, 20, 100, 0.000149, 0.199474), (0, 10, 3, 10, -0.037592, 0.603222),
        ])
    func newcombe(_ a: Int, _ n: Int, _ b: Int, _ m: Int, _ low: Double, _ high: Double) {
        let change = Estimate.change(from: (a, n), to: (b, m))
        #expect(
            change.map { abs($0.low - low) < 0.000_06 && abs($0.high - high) < 0.000_06 } ?? false, "\(change as Any)")
    }

    @Test("a change has no interval where either wave has fewer than ten answers, and is nothing where nothing changed")
    func few() {
        #expect(Estimate.change(from: (3, 9), to: (30, 90)) == nil)
        #expect(NetPromoterScore(promoters: 3, detractors: 1, of: 9).estimate == nil)
        #expect(MeanOfCounts([(3, 9)])?.estimate == nil && MeanOfCounts([]) == nil)
        let same = NetPromoterScore(promoters: 12, detractors: 3, of: 30)
        let change = same.change(from: same)
        #expect(change.map { $0.value == 0 && $0.low == -$0.high && $0.high > 0 } ?? false)
        let mean = MeanOfCounts([(1, 20), (5, 20)])
        let moved = mean.flatMap { mean in MeanOfCounts([(2, 20), (6, 20)])?.change(from: mean) }
        // Two samples of the same spread: with n of each, t has 2(n - 1) degrees of freedom, and 2.024394 of 78.
        #expect(moved.map { abs($0.value - 1) < 1e-9 } ?? false)
        #expect(
            moved.map { abs(($0.high - $0.low) / 2 - 1.990847 * (2 * 160 / 39.0 / 40).squareRoot()) < 0.0001 } ?? false)
    }
}
