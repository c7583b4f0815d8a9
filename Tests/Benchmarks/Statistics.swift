import Glibc

/// Nanoseconds of the monotonic clock.
func now() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

/// The time of one call, in nanoseconds.
func measure(_ body: () throws -> Void) rethrows -> Double {
    let start = now()
    try body()
    return Double(now() - start)
}

extension [Double] {
    /// The value below which that share of the sample is. The sample must not be empty.
    func percentile(_ share: Double) -> Double {
        let sorted = self.sorted()
        return sorted[Swift.min(sorted.count - 1, Int(Double(sorted.count) * share))]
    }

    var median: Double { percentile(0.5) }
}

/// A number with that number of decimals, and separators between thousands.
func text(_ value: Double, decimals: Int = 2) -> String {
    var scale = 1.0
    for _ in 0..<decimals { scale *= 10 }
    let scaled = Int((value * scale).rounded())
    let digits = String(scaled / Int(scale))
    var grouped = ""
    for (index, digit) in digits.enumerated() {
        if index > 0 && (digits.count - index) % 3 == 0 { grouped.append(",") }
        grouped.append(digit)
    }
    guard decimals > 0 else { return grouped }
    let fraction = String(scaled % Int(scale))
    return grouped + "." + String(repeating: "0", count: decimals - fraction.count) + fraction
}

func milliseconds(_ nanoseconds: Double) -> String { text(nanoseconds / 1_000_000) + " ms" }

func seconds(_ nanoseconds: Double) -> String { text(nanoseconds / 1e9) + " s" }

func megabytes(_ bytes: Double) -> String { text(bytes / 1_000_000, decimals: 1) + " MB" }
