/// Feeds random, mostly damaged lines to the request reader: `hark-fuzz [lines] [seed]`.
///
/// It ends with 1 at the first broken promise, and with 1 if memory keeps growing. The seed makes a run repeatable.
import Glibc
import HarkTesting
import HarkWire

func fail(_ message: String, status: Int32) -> Never {
    let text = Array("hark-fuzz: \(message)\n".utf8)
    _ = write(STDERR_FILENO, text, text.count)
    exit(status)
}

func number(_ index: Int, or standard: UInt64) -> UInt64 {
    guard CommandLine.arguments.count > index else { return standard }
    guard let value = UInt64(CommandLine.arguments[index]) else { fail("usage: hark-fuzz [lines] [seed]", status: 64) }
    return value
}

/// The most memory this process ever had, in KiB.
func peakMemory() -> Int {
    var usage = rusage()
    getrusage(RUSAGE_SELF.rawValue, &usage)
    return usage.ru_maxrss
}

func run(lines: UInt64, seed: UInt64) {
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
    var peakAtStart = peakMemory()
    let clock = ContinuousClock()
    for index in 0..<lines {
        if index == warmUp { peakAtStart = peakMemory() }
        let line = mutator.mutate(generator.line(&random), &random)
        bytes += line.count
        let start = clock.now
        let outcome = check.check(line)
        checking += clock.now - start
        switch outcome {
        case .accepted: accepted += 1
        case .refused(let reason): refused[reason, default: 0] += 1
        case .mismatch(let problem):
            let text = String(decoding: line.prefix(4_096), as: UTF8.self)
            fail("line \(index) of seed \(seed): \(problem)\n\(text)", status: 1)
        }
    }
    let seconds = checking / .seconds(1)
    print("seed \(seed): \(lines) lines, \(bytes) bytes, \(Int(Double(lines) / seconds)) lines/s read and checked")
    print("accepted \(accepted)")
    for (reason, count) in refused.sorted(by: { $0.value > $1.value }) { print("refused \(reason.rawValue) \(count)") }
    let peak = peakMemory()
    print("peak memory \(peakAtStart) KiB after \(warmUp) lines, \(peak) KiB at the end")
    if peak > peakAtStart + 32 << 10 { fail("memory grew by \(peak - peakAtStart) KiB", status: 1) }
}

run(lines: number(1, or: 1_000_000), seed: number(2, or: 1))
