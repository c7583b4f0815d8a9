/// The value axis of a chart: rounded ends, and rounded numbers between them.
struct ChartScale {
    /// The distance between two numbers of the axis: 1, 2, 2.5 or 5 times a power of ten.
    let step: Double
    let range: ClosedRange<Double>
    /// The number of steps from one end to the other.
    let steps: Int

    /// - Parameters:
    ///   - range: The range of the axis.
    ///   - most: The maximum number of steps, at least 1. A range below and above 0 may take one more.
    ///   - isWhole: Whether all values are whole numbers, so that those of the axis are too.
    init(_ range: ClosedRange<Double>, most: Int, isWhole: Bool) {
        let (low, high) = (range.lowerBound, range.upperBound)
        let least = (high - low) / Double(max(1, most))
        var power = 1.0
        // Bounded, as the numbers of a chart may be of any size.
        for _ in 0..<400 where power > least { power /= 10 }
        for _ in 0..<400 where power * 10 <= least { power *= 10 }
        let widths = [1, 2, 2.5, 5, 10, 20, 25, 50, 100].map { $0 * power }
        let usable = widths.filter { $0 >= least && (!isWhole || $0 >= 1 && $0 == $0.rounded()) }
        var found: (step: Double, first: Double, last: Double)?
        for width in usable where found == nil {
            let (first, last) = ((low / width).rounded(.down), (high / width).rounded(.up))
            let isAcross = low < 0 && high > 0
            if last - first <= Double(max(1, most) + (isAcross ? 1 : 0)) { found = (width, first, last) }
        }
        guard let found, found.step > 0, found.last > found.first, (found.last - found.first).isFinite,
            (found.first * found.step).isFinite, (found.last * found.step).isFinite
        else {
            (step, self.range, steps) = (max(high - low, .leastNormalMagnitude), range, 1)
            return
        }
        step = found.step
        self.range = found.first * found.step...found.last * found.step
        steps = Int(found.last - found.first)
    }

    /// The numbers of the axis, the least first.
    var numbers: [Double] { (0...steps).map { range.lowerBound + Double($0) * step } }
}
