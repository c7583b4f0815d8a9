/// Counts distinct values: exactly while they are few, then approximately (HyperLogLog, with the estimator of Ertl
/// 2017).
///
/// Values are compared by 64-bit hashes; a thousand of them collide once in 10^13 cases.
package struct DistinctCount: Sendable {
    /// An open-addressing table of hashes; 0 marks a free slot.
    private var exact = [UInt64](repeating: 0, count: DistinctCount.smallest)
    private var members = 0
    /// The longest run of zeros among the hashes that begin with the bits of the index; empty while the count is exact.
    private var registers: [UInt8] = []

    private static let smallest = 16
    private static let largest = 2_048
    private static let fineBits = 12
    private static let coarseBits = 8

    package init() {}

    /// - Parameter budget: the bytes that may still be allocated; without any, the count becomes approximate early.
    package mutating func add(_ hash: UInt64, budget: inout Int) {
        let hash = hash == 0 ? 1 : hash
        guard registers.isEmpty else { return register(hash) }
        if insert(hash), members > exact.count / 2 { grow(&budget) }
    }

    private mutating func insert(_ hash: UInt64) -> Bool {
        var place = Int(truncatingIfNeeded: hash) & (exact.count - 1)
        while exact[place] != 0 {
            if exact[place] == hash { return false }
            place = (place + 1) & (exact.count - 1)
        }
        exact[place] = hash
        members += 1
        return true
    }

    private mutating func grow(_ budget: inout Int) {
        let hashes = exact.filter { $0 != 0 }
        let more = exact.count * MemoryLayout<UInt64>.size
        if exact.count < DistinctCount.largest, budget >= more {
            budget -= more
            exact = [UInt64](repeating: 0, count: exact.count * 2)
            members = 0
            for hash in hashes { _ = insert(hash) }
            return
        }
        budget += (exact.count - DistinctCount.smallest) * MemoryLayout<UInt64>.size
        // Coarse registers take no more than the initial table.
        let fine = 1 << DistinctCount.fineBits
        let isFine = budget >= fine
        if isFine { budget -= fine }
        let bits = isFine ? DistinctCount.fineBits : DistinctCount.coarseBits
        registers = [UInt8](repeating: 0, count: 1 << bits)
        exact = []
        for hash in hashes { register(hash) }
    }

    private mutating func register(_ hash: UInt64) {
        let bits = registers.count.trailingZeroBitCount
        let place = Int(hash >> UInt64(64 - bits))
        let run = UInt8(min((hash << UInt64(bits)).leadingZeroBitCount, 64 - bits) + 1)
        if run > registers[place] { registers[place] = run }
    }

    /// The relative standard error of `count`; 0 while it is exact.
    package var error: Double { registers.isEmpty ? 0 : 1.04 / Double(registers.count).squareRoot() }

    package var count: Int {
        guard !registers.isEmpty else { return members }
        let bits = registers.count.trailingZeroBitCount
        let (longest, places) = (64 - bits, Double(registers.count))
        var runs = [Int](repeating: 0, count: longest + 2)
        for run in registers { runs[Int(run)] += 1 }
        var sum = places * DistinctCount.tau(1 - Double(runs[longest + 1]) / places)
        for run in (1...longest).reversed() { sum = 0.5 * (sum + Double(runs[run])) }
        sum += places * DistinctCount.sigma(Double(runs[0]) / places)
        let estimate = places * places / (2 * 0.693_147_180_559_945_3) / sum
        return estimate.isFinite ? Int(estimate.rounded()) : 0
    }

    private static func sigma(_ part: Double) -> Double {
        guard part < 1 else { return .infinity }
        var (power, weight, sum) = (part, 1.0, part)
        while true {
            power *= power
            let before = sum
            sum += power * weight
            weight += weight
            if sum == before { return sum }
        }
    }

    private static func tau(_ part: Double) -> Double {
        guard part > 0, part < 1 else { return 0 }
        var (root, weight, sum) = (part, 1.0, 1 - part)
        while true {
            root = root.squareRoot()
            let before = sum
            weight *= 0.5
            sum -= (1 - root) * (1 - root) * weight
            if sum == before { return sum / 3 }
        }
    }
}
