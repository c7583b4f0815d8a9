/// Between which shares of all people the true one lies, as a share of those who were asked tells: with 95 % confidence.
///
/// The score interval of E. B. Wilson, "Probable inference, the law of succession, and statistical inference", Journal of
/// the American Statistical Association 22 (1927), pages 209–212: of the shares p for which the one that was found, p̂ of
/// n, lies within z standard errors √(p(1−p)/n), with z = 1.96. Solved for p that is
///
///     (p̂ + z²/2n ± z √(p̂(1−p̂)/n + z²/4n²)) / (1 + z²/n)
///
/// It stays within 0 and 1, and says something also where few were asked or all answered alike. That those who answered
/// are like those who did not, no formula can know.
package struct WilsonInterval: Equatable, Sendable {
    /// From 0 to 1.
    package let low: Double
    package let high: Double

    /// - Parameters:
    ///   - count: how many of them gave the answer.
    ///   - total: how many were asked; with none, all shares are possible.
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
