/// The 95 % confidence interval of a share in all people, from a share in a sample.
///
/// The score interval of E. B. Wilson, "Probable inference, the law of succession, and statistical inference", Journal
/// of the American Statistical Association 22 (1927), pages 209–212: the shares p for which the observed share, p̂ of
/// n, lies within z standard errors √(p(1−p)/n), with z = 1.96. Solved for p that is
///
///     (p̂ + z²/2n ± z √(p̂(1−p̂)/n + z²/4n²)) / (1 + z²/n)
///
/// It stays within 0 and 1, and is meaningful for small samples and unanimous answers. No formula can know whether
/// those who answered are like those who did not.
package struct WilsonInterval: Equatable, Sendable {
    /// The bounds, from 0 to 1.
    package let low: Double
    package let high: Double

    /// - Parameters:
    ///   - count: The number of people who gave the answer.
    ///   - total: The number of people who were asked; if 0, every share is possible.
    package init(_ count: Int, of total: Int) {
        guard total > 0 else {
            (low, high) = (0, 1)
            return
        }
        let n = Double(total)
        let share = Double(min(max(count, 0), total)) / n
        let z = Estimate.z
        let middle = share + z * z / (2 * n)
        let reach = z * (share * (1 - share) / n + z * z / (4 * n * n)).squareRoot()
        let scale = 1 + z * z / n
        low = count <= 0 ? 0 : max(0, (middle - reach) / scale)
        high = count >= total ? 1 : min(1, (middle + reach) / scale)
    }
}
