import Glibc
import HarkTesting
import HarkWire

/// Feeds random, mostly damaged lines to the request reader.
enum LineFuzzer {
    /// The most memory this process ever had, in KiB.
    private static var peakMemory: Int {
        var usage = rusage()
        getrusage(RUSAGE_SELF.rawValue, &usage)
        return usage.ru_maxrss
    }

    /// Throws at the first broken promise, and if memory keeps growing.
    static func run(lines: Int, seed: UInt64) throws(Finding) {
        var random = SplitMix64(state: seed)
        var generator = LineGenerator()
        var mutator = LineMutator()
        var check = LineCheck()
        var accepted = 0
        var refused: [ErrorReason: Int] = [:]
        var bytes = 0
        var checking = Duration.zero
        // By then every table and buffer has had its largest line.
        let warmUp = lines / 10
        var peakAtStart = peakMemory
        let clock = ContinuousClock()
        for index in 0..<lines {
            if index == warmUp { peakAtStart = peakMemory }
            let whole = random.once(in: 2) ? generator.record(&random) : generator.line(&random)
            let line = mutator.mutate(whole, &random)
            bytes += line.count
            let start = clock.now
            let outcome = check.check(line)
            checking += clock.now - start
            switch outcome {
            case .accepted: accepted += 1
            case .refused(let reason): refused[reason, default: 0] += 1
            case .mismatch(let problem):
                let text = String(decoding: line.prefix(4_096), as: UTF8.self)
                throw Finding("line \(index) of seed \(seed): \(problem)\n\(text)")
            }
        }
        let seconds = checking / .seconds(1)
        print("seed \(seed): \(lines) lines, \(bytes) bytes, \(Int(Double(lines) / seconds)) lines/s read and checked")
        print("accepted \(accepted), \(check.plain) of them as plain ones as well")
        if check.plain == 0, lines > 1_000 { throw Finding("no line was plain") }
        for (reason, count) in refused.sorted(by: { $0.value > $1.value }) {
            print("refused \(reason.rawValue) \(count)")
        }
        let peak = peakMemory
        print("peak memory \(peakAtStart) KiB after \(warmUp) lines, \(peak) KiB at the end")
        if peak > peakAtStart + 32 << 10 { throw Finding("memory grew by \(peak - peakAtStart) KiB") }
    }
}
