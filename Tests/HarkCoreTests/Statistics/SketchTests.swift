import HarkTesting
import HarkWire
import Testing

@testable import HarkCore

@Suite("Percentiles and distinct values")
struct SketchTests {
    private static func check(_ numbers: [Double], budget: Int = 1 << 20, _ bound: Double) {
        var sketch = QuantileSketch()
        var budget = budget
        for number in numbers { sketch.add(number, budget: &budget) }
        #expect(budget >= 0)
        #expect(sketch.error <= bound)
        let sorted = numbers.sorted()
        for percent in [0, 1, 25, 50, 75, 95, 99, 99.9, 100] {
            let rank = max(1, Int((percent / 100 * Double(numbers.count)).rounded(.up)))
            let (exact, found) = (sorted[rank - 1], sketch.percentile(percent) ?? .nan)
            #expect(
                (found - exact).magnitude <= exact.magnitude * sketch.error * 1.000_001,
                "\(percent) is \(exact), not \(found)")
        }
    }

    @Test("a percentile is at most 0.8 % beside the true one, whatever the numbers are")
    func percentiles() {
        var random = SplitMix64(state: 5)
        Self.check((0..<5_000).map { _ in Double.random(in: 0...1, using: &random) }, 0.008)
        Self.check((0..<5_000).map { _ in Double.random(in: -1_000...1_000, using: &random) }, 0.008)
        Self.check((0..<5_000).map { _ in Double(Int.random(in: 0...3, using: &random)) }, 0.008)
        Self.check([42], 0.008)
        Self.check((0..<200).map { 1e-4 * Double(sign: .plus, exponent: $0 / 10, significand: 1) }, 0.008)
    }

    @Test("where there is no memory for all bins the error is told, and holds")
    func collapsing() {
        var random = SplitMix64(state: 6)
        let wide = (0..<3_000).map { _ in
            Double(
                sign: Bool.random(using: &random) ? .plus : .minus, exponent: .random(in: -900...900, using: &random),
                significand: .random(in: 1..<2, using: &random))
        }
        Self.check(wide, 0.5)
        Self.check((0..<3_000).map { _ in Double.random(in: 1...1e6, using: &random) }, budget: 0, 0.34)
        Self.check([Double.leastNonzeroMagnitude, 1.7e308, 0, -1.7e308, 1], 0.5)
    }

    @Test("different values are counted exactly while they are few, then within four times the standard error")
    func distinct() {
        var random = SplitMix64(state: 7)
        for wanted in [0, 1, 15, 16, 17, 1_000, 1_024] {
            var (count, budget) = (DistinctCount(), 1 << 20)
            let hashes = (0..<wanted).map { _ in random.next() }
            for hash in hashes + hashes { count.add(hash, budget: &budget) }
            #expect(count.count == wanted && count.error == 0)
        }
        for (wanted, budget) in [(2_000, 1 << 20), (20_000, 1 << 20), (200_000, 1 << 20), (20_000, 0), (900, 0)] {
            var (count, left) = (DistinctCount(), budget)
            for _ in 0..<wanted { count.add(random.next(), budget: &left) }
            let deviation = Double(count.count - wanted).magnitude / Double(wanted)
            #expect(count.error > 0 && deviation <= 4 * count.error, "\(count.count), not \(wanted)")
            #expect(left >= 0)
        }
    }

    @Test("integers are summed up exactly, and other numbers in any order")
    func sums() {
        var summary = NumberSummary()
        for number in [Int64.max, 1, -1, 5] { summary.add(number) }
        #expect(summary.sum == .double(9.223_372_036_854_776e18))
        summary.add(-10 as Int64)
        #expect(summary.sum == .int(.max - 5))
        #expect(summary.least == .int(-10) && summary.most == .int(.max))
        var mixed = NumberSummary()
        for number in [1e100, 1, -1e100] { mixed.add(number) }
        mixed.add(2 as Int64)
        #expect(mixed.sum == .double(3))
        #expect(NumberSummary().sum == .int(0) && NumberSummary().mean == nil)
    }
}
