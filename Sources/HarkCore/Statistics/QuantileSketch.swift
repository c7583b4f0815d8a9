/// The distribution of numbers: a histogram with bins as wide as their numbers are large, so that percentiles have a
/// bounded relative error for any numbers.
///
/// A bin holds the numbers with the same exponent and the same first six bits of the mantissa; its middle is within 0.8
/// % of each. When the numbers spread too far for the memory, neighbouring bins are merged in pairs, and `error` gives
/// the result (as in UDDSketch). A few numbers are kept exactly.
package struct QuantileSketch: Sendable {
    /// All numbers, while they are few.
    private var few: [Double] = []
    private var positive = Bins()
    private var negative = Bins()
    private var zeros = 0
    private var count = 0
    /// The number of low bits that bins ignore.
    private var shift = QuantileSketch.finestShift

    private static let finestShift = 52 - 6
    private static let mostBins = 4_096
    private static let fewest = 32
    /// The bins that each sketch has outside of the budget.
    private static let freeBins = 64

    private struct Bins {
        var first = 0
        var counts: [UInt32] = []

        /// - Returns: false if the bin does not exist.
        mutating func count(in bin: Int) -> Bool {
            let place = bin - first
            guard counts.indices.contains(place) else { return false }
            counts[place] = counts[place] == .max ? .max : counts[place] + 1
            return true
        }

        mutating func halve() {
            guard !counts.isEmpty else { return }
            let (low, high) = (first >> 1, (first + counts.count - 1) >> 1)
            var halved = [UInt32](repeating: 0, count: high - low + 1)
            for (place, count) in counts.enumerated() {
                let bin = (first + place) >> 1 - low
                halved[bin] = UInt32(clamping: UInt64(halved[bin]) + UInt64(count))
            }
            (first, counts) = (low, halved)
        }
    }

    package init() {}

    /// - Parameters:
    ///   - number: a finite number.
    ///   - budget: the bytes that may still be allocated for bins.
    package mutating func add(_ number: Double, budget: inout Int) {
        count += 1
        if count <= QuantileSketch.fewest { return few.append(number) }
        if !few.isEmpty {
            for earlier in few { put(earlier, &budget) }
            few = []
        }
        put(number, &budget)
    }

    private mutating func put(_ number: Double, _ budget: inout Int) {
        if number == 0 {
            zeros += 1
            return
        }
        // Fast path without a key path: nearly all numbers fall into an existing bin.
        let bin = Int(number.magnitude.bitPattern >> UInt64(shift))
        if number > 0 ? positive.count(in: bin) : negative.count(in: bin) { return }
        QuantileSketch.add(number.magnitude, number > 0 ? \.positive : \.negative, to: &self, &budget)
    }

    private static func add(
        _ magnitude: Double, _ side: WritableKeyPath<QuantileSketch, Bins>, to sketch: inout QuantileSketch,
        _ budget: inout Int
    ) {
        while true {
            let bin = Int(magnitude.bitPattern >> UInt64(sketch.shift))
            if sketch[keyPath: side].count(in: bin) { return }
            if sketch.grow(side, toHold: bin, &budget) { continue }
            let before = sketch.taken
            sketch.positive.halve()
            sketch.negative.halve()
            sketch.shift += 1
            budget += before - sketch.taken
        }
    }

    /// The bytes taken from the budget.
    private var taken: Int {
        max(0, positive.counts.count + negative.counts.count - QuantileSketch.freeBins) * MemoryLayout<UInt32>.size
    }

    private mutating func grow(
        _ side: WritableKeyPath<QuantileSketch, Bins>, toHold bin: Int, _ budget: inout Int
    ) -> Bool {
        let bins = self[keyPath: side]
        // Adds a few more bins on that side, because numbers tend to be close to each other.
        let isEmpty = bins.counts.isEmpty
        let low = isEmpty ? bin - 4 : min(bins.first, bin < bins.first ? bin - 12 : bin)
        let end = bins.first + bins.counts.count
        let high = isEmpty ? bin + 4 : max(end - 1, bin >= end ? bin + 12 : bin)
        guard high - low < QuantileSketch.mostBins else { return false }
        let before = taken
        var grown = Bins(first: low, counts: [])
        grown.counts.reserveCapacity(high - low + 1)
        let gap = isEmpty ? high - low + 1 : bins.first - low
        grown.counts.append(contentsOf: repeatElement(0, count: gap))
        grown.counts.append(contentsOf: bins.counts)
        grown.counts.append(contentsOf: repeatElement(0, count: high - low + 1 - grown.counts.count))
        let growth =
            max(
                0,
                positive.counts.count + negative.counts.count + grown.counts.count - bins.counts.count
                    - QuantileSketch.freeBins) * MemoryLayout<UInt32>.size - before
        // Only growth needs budget: merging can always reduce all bins to one, which is free.
        guard growth <= budget || growth <= 0 else { return false }
        budget -= growth
        self[keyPath: side] = grown
        return true
    }

    /// The greatest relative error of a percentile.
    package var error: Double {
        guard few.isEmpty else { return 0 }
        let width = shift <= 52 ? 1 + 1 / Double(1 << (52 - shift)) : exp2(1 << (shift - 52))
        return width.isFinite ? (width - 1) / (width + 1) : 1
    }

    private func exp2(_ exponent: Int) -> Double {
        exponent > 1_023 ? .infinity : Double(sign: .plus, exponent: exponent, significand: 1)
    }

    /// The smallest number that at least `percent` percent of the numbers do not exceed (nearest rank); nil without
    /// numbers.
    package func percentile(_ percent: Double) -> Double? {
        guard count > 0 else { return nil }
        var left = max(1, Int((percent / 100 * Double(count)).rounded(.up)))
        if !few.isEmpty { return few.sorted()[min(left, few.count) - 1] }
        for (place, count) in negative.counts.enumerated().reversed() where count > 0 {
            left -= Int(count)
            if left <= 0 { return -middle(of: negative.first + place) }
        }
        left -= zeros
        if left <= 0 { return 0 }
        var last: Double?
        for (place, count) in positive.counts.enumerated() where count > 0 {
            left -= Int(count)
            last = middle(of: positive.first + place)
            if left <= 0 { break }
        }
        return last
    }

    /// The number with the same relative distance to both ends of a bin.
    private func middle(of bin: Int) -> Double {
        let low = Double(bitPattern: UInt64(max(0, bin)) << UInt64(shift))
        let next = UInt64(bin + 1) << UInt64(shift)
        let high = min(Double(bitPattern: min(next, Double.infinity.bitPattern)), .greatestFiniteMagnitude)
        return low == 0 ? high / 2 : 2 * (low / (1 + low / high))
    }
}
