import FoundationEssentials
import Glibc

/// Runs of steps, each against a daemon of its own on a fresh folder, until enough requests are sent.
enum SequenceFuzzer {
    /// The file with the steps of a failed run.
    private static let replayFile = "hark-fuzz.steps"
    private static let requestsInARun = 20_000

    static func run(requests: Int, seed: UInt64) throws(Finding) {
        // A write beyond the limit of `FuzzedDaemon.refuse` must return an error: daemons inherit this.
        signal(SIGXFSZ, SIG_IGN)
        let start = ContinuousClock.now
        var total = Total()
        var seed = seed
        while total.requests < requests {
            try runOne(seed, min(requestsInARun, requests - total.requests), &total)
            seed &+= 1
            let seconds = (ContinuousClock.now - start) / .seconds(1)
            print("\(total.requests) requests, \(Int(Double(total.requests) / seconds)) a second: \(total)")
            fflush(nil)
        }
    }

    private static func runOne(_ seed: UInt64, _ requests: Int, _ total: inout Total) throws(Finding) {
        var generator = StepGenerator(seed: seed)
        var steps: [[UInt8]] = [Array("system \(StepGenerator.isSystem(seed: seed) ? 1 : 0)".utf8)]
        do throws(Finding) {
            try play(isSystem: StepGenerator.isSystem(seed: seed), &total) { () throws(Finding) in
                guard generator.requestsMade < requests else { return nil }
                let step = generator.next()
                steps.append(step.line)
                return step
            }
        } catch {
            try save(steps)
            throw Finding(
                "seed \(seed), after \(generator.requestsMade) requests: \(error.text)\n"
                    + "(`hark-fuzz sequences \(requests) \(seed)` or `hark-fuzz replay \(replayFile)` does it again)")
        }
        total.requests += generator.requestsMade
    }

    private static func save(_ steps: [[UInt8]]) throws(Finding) {
        do {
            try Data(steps.joined(separator: [0x0A])).write(to: URL(filePath: replayFile))
        } catch {
            throw Finding("cannot write \(replayFile): \(error)")
        }
    }

    static func replay(_ path: String) throws(Finding) {
        signal(SIGXFSZ, SIG_IGN)
        guard let text = try? Data(contentsOf: URL(filePath: path)) else { throw Finding("cannot read \(path)") }
        var lines = text.split(separator: 0x0A).map(Array.init)[...]
        let isSystem = lines.popFirst() == Array("system 1".utf8)
        var total = Total()
        try play(isSystem: isSystem, &total) { () throws(Finding) in
            guard let line = lines.popFirst() else { return nil }
            return try Step(line: line)
        }
        print("nothing found: \(total)")
    }

    private static func play(
        isSystem: Bool, _ total: inout Total, _ next: () throws(Finding) -> Step?
    ) throws(Finding) {
        // In memory, where syncing costs nothing.
        var template = Array("/dev/shm/hark-fuzz-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw Finding("mkdtemp: \(errno)") }
        let folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        // It holds nothing that is not in the steps.
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let player = try SequencePlayer(folder: folder, isSystem: isSystem)
        while let step = try next() { try player.play(step) }
        try player.finish()
        total.add(player)
    }

    private struct Total: CustomStringConvertible {
        var requests = 0
        var results = 0
        var errors = 0
        var notifications = 0
        var restarts = 0
        var slowestHello = Duration.zero
        var peakMemory = 0

        mutating func add(_ player: SequencePlayer) {
            results += player.statistics.results
            errors += player.statistics.errors.values.reduce(0, +)
            notifications += player.statistics.notifications
            restarts += player.restarts
            slowestHello = max(slowestHello, player.slowestHello)
            peakMemory = max(peakMemory, player.peakMemory)
        }

        var description: String {
            "\(results) results, \(errors) errors, \(notifications) notifications, \(restarts) restarts, "
                + "at most \(peakMemory >> 20) MiB, a hello took at most \(slowestHello)"
        }
    }
}
