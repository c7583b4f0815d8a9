/// The wait before a retry: exponential backoff, with full jitter where dice are thrown, or waits that are given one by one.
///
/// The wait after the nth failure in a row is random between 0 and `base` · 2ⁿ⁻¹, at most `cap`, so that many clients
/// that failed together do not come back together (M. Brooker, "Exponential Backoff And Jitter", AWS, 2015).
package struct Backoff: Sendable, Equatable {
    /// In seconds, like `cap`.
    package var base: Double
    package var cap: Double
    /// The waits in seconds; the last one holds from there on. Empty: they double.
    private var steps: [Double] = []

    package init(base: Double = 1, cap: Double = 300) {
        self.base = base
        self.cap = cap
    }

    /// Before a notification that could not be shown is tried again.
    package static let notification = {
        var backoff = Backoff(base: 30, cap: 3_600)
        backoff.steps = [30, 120, 600, 3_600]
        return backoff
    }()

    /// - Parameters:
    ///   - failures: The failures in a row, including this one; at least 1.
    ///   - dice: A random number from 0 to 1; 1 for the longest wait.
    /// - Returns: The wait in seconds.
    package func wait(afterFailures failures: Int, dice: Double = 1) -> Double {
        let place = max(failures, 1) - 1
        if let last = steps.last { return (place < steps.count ? steps[place] : last) * dice }
        // 2⁶³ is longer than any cap.
        return min(cap, base * Double(UInt64(1) << UInt64(min(place, 63)))) * dice
    }
}
