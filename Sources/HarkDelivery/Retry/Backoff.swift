/// The wait before a retry: exponential backoff with full jitter.
///
/// The wait after the nth failure in a row is random between 0 and `base` · 2ⁿ⁻¹, at most `cap`, so that many clients
/// that failed together do not come back together (M. Brooker, "Exponential Backoff And Jitter", AWS, 2015).
package struct Backoff: Sendable, Equatable {
    /// In seconds, like `cap`.
    package var base: Double
    package var cap: Double

    package init(base: Double = 1, cap: Double = 300) {
        self.base = base
        self.cap = cap
    }

    /// - Parameters:
    ///   - failures: The failures in a row, including this one; at least 1.
    ///   - dice: A random number from 0 to 1.
    /// - Returns: The wait in seconds.
    package func wait(afterFailures failures: Int, dice: Double) -> Double {
        // 2⁶³ is longer than any cap.
        let bound = min(cap, base * Double(UInt64(1) << UInt64(min(max(failures, 1) - 1, 63))))
        return bound * dice
    }
}
