/// An estimate from a sample, with the bounds of its 95 % confidence interval.
package struct Estimate: Equatable, Sendable {
    package let value: Double
    package let low: Double
    package let high: Double

    package init(_ value: Double, _ low: Double, _ high: Double) {
        (self.value, self.low, self.high) = (value, low, high)
    }

    /// The number of standard errors on each side that covers 95 % of a normal distribution.
    package static let z = 1.959964
    /// The minimum number of answers. With fewer, an interval says little and no change is reported.
    package static let fewest = 10

    /// Estimates the change of a share: R. G. Newcombe, "Interval estimation for the difference between independent
    /// proportions", Statistics in Medicine 17 (1998), method 10, which combines Wilson's intervals of both.
    package static func change(
        from before: (count: Int, total: Int), to after: (count: Int, total: Int)
    ) -> Estimate? {
        guard before.total >= fewest, after.total >= fewest else { return nil }
        let old = WilsonInterval(before.count, of: before.total)
        let new = WilsonInterval(after.count, of: after.total)
        let (p, q) = (Double(after.count) / Double(after.total), Double(before.count) / Double(before.total))
        func reach(_ one: Double, _ other: Double) -> Double { (one * one + other * other).squareRoot() }
        let difference = p - q
        return Estimate(
            difference, difference - reach(p - new.low, old.high - q), difference + reach(new.high - p, q - old.low))
    }
}

/// A net promoter score: promoters (9, 10) minus detractors (0 to 6), per hundred.
///
/// The interval is the adjusted Wald one of J. Sauro and J. Lewis after B. Rocks, "Interval estimation for the Net
/// Promoter Score", The American Statistician 70 (2016): three answers are added, three quarters of one on each side.
package struct NetPromoterScore: Equatable, Sendable {
    package let promoters: Int
    package let detractors: Int
    package let total: Int

    package init(promoters: Int, detractors: Int, of total: Int) {
        (self.promoters, self.detractors, self.total) = (promoters, detractors, total)
    }

    package var value: Double { total > 0 ? 100 * Double(promoters - detractors) / Double(total) : 0 }

    /// The estimate; nil for too few answers.
    package var estimate: Estimate? {
        guard total >= Estimate.fewest else { return nil }
        let (centre, error) = adjusted
        let reach = Estimate.z * error
        return Estimate(value, max(-100, centre - reach), min(100, centre + reach))
    }

    package func change(from before: NetPromoterScore) -> Estimate? {
        guard total >= Estimate.fewest, before.total >= Estimate.fewest else { return nil }
        let (old, new) = (before.adjusted, adjusted)
        let reach = Estimate.z * (old.error * old.error + new.error * new.error).squareRoot()
        let difference = new.centre - old.centre
        return Estimate(value - before.value, difference - reach, difference + reach)
    }

    private var adjusted: (centre: Double, error: Double) {
        let n = Double(total) + 3
        let (p, d) = ((Double(promoters) + 0.75) / n, (Double(detractors) + 0.75) / n)
        return (100 * (p - d), 100 * ((p + d - (p - d) * (p - d)) / n).squareRoot())
    }
}

/// Customer satisfaction: those who are satisfied (4, 5), per hundred, with Wilson's interval.
package struct SatisfactionScore: Equatable, Sendable {
    package let satisfied: Int
    package let total: Int

    package init(satisfied: Int, of total: Int) { (self.satisfied, self.total) = (satisfied, total) }

    package var value: Double { total > 0 ? 100 * Double(satisfied) / Double(total) : 0 }

    /// The estimate; nil for too few answers.
    package var estimate: Estimate? {
        guard total >= Estimate.fewest else { return nil }
        let interval = WilsonInterval(satisfied, of: total)
        return Estimate(value, 100 * interval.low, 100 * interval.high)
    }

    package func change(from before: SatisfactionScore) -> Estimate? {
        Estimate.change(from: (before.satisfied, before.total), to: (satisfied, total)).map {
            Estimate(100 * $0.value, 100 * $0.low, 100 * $0.high)
        }
    }
}

/// The mean of numbers with few distinct values, from the count of each.
package struct MeanOfCounts: Equatable, Sendable {
    package let total: Int
    package let mean: Double
    /// The sample variance; 0 for a single number.
    package let variance: Double

    /// Nil if there are no numbers.
    package init?(_ counts: [(number: Double, count: Int)]) {
        let total = counts.reduce(0) { $0 + $1.count }
        guard total > 0 else { return nil }
        let mean = counts.reduce(0) { $0 + $1.number * Double($1.count) } / Double(total)
        let squares = counts.reduce(0) { sum, one in
            sum + (one.number - mean) * (one.number - mean) * Double(one.count)
        }
        self.total = total
        self.mean = mean
        variance = total > 1 ? squares / Double(total - 1) : 0
    }

    /// The estimate by Student's t; nil for too few numbers.
    package var estimate: Estimate? {
        guard total >= Estimate.fewest else { return nil }
        let reach = StudentT.quantile(Double(total - 1)) * (variance / Double(total)).squareRoot()
        return Estimate(mean, mean - reach, mean + reach)
    }

    /// Returns Welch's interval, which does not assume equal variances.
    package func change(from before: MeanOfCounts) -> Estimate? {
        guard total >= Estimate.fewest, before.total >= Estimate.fewest else { return nil }
        let (a, b) = (before.variance / Double(before.total), variance / Double(total))
        let difference = mean - before.mean
        guard a + b > 0 else { return Estimate(difference, difference, difference) }
        let freedom = (a + b) * (a + b) / (a * a / Double(before.total - 1) + b * b / Double(total - 1))
        let reach = StudentT.quantile(freedom) * (a + b).squareRoot()
        return Estimate(difference, difference - reach, difference + reach)
    }
}

/// Student's t distribution.
enum StudentT {
    /// Returns the two-sided 95 % quantile for 9 or more degrees of freedom: the expansion after Cornish and Fisher
    /// (Abramowitz and Stegun 26.7.5), which has five correct digits there, and more for higher degrees.
    static func quantile(_ freedom: Double) -> Double {
        let z = Estimate.z
        let s = z * z
        let terms = [
            z * (s + 1) / 4,
            z * ((5 * s + 16) * s + 3) / 96,
            z * (((3 * s + 19) * s + 17) * s - 15) / 384,
            z * ((((79 * s + 776) * s + 1482) * s - 1920) * s - 945) / 92160,
        ]
        return terms.reversed().reduce(0) { ($0 + $1) / freedom } + z
    }
}
