import HarkTesting

/// Plays one fleet after the other, each with a seed of its own.
enum FleetFuzzer {
    private static let stepsOfOne = 2_500

    static func run(steps: Int, seed: UInt64) throws(Finding) {
        var counts: [String: Int] = [:]
        for run in 0..<UInt64(max(1, steps / stepsOfOne)) {
            let own = seed &+ run
            var model = FleetModel(seed: own)
            do throws(FleetModel.Fault) {
                try model.run(steps: stepsOfOne)
            } catch {
                throw Finding("a fleet with seed \(own): \(error)")
            }
            counts.merge(model.counts) { $0 + $1 }
        }
        let told = counts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
        print("\(steps) steps of fleets, seed \(seed): nothing found (\(told))")
    }
}
