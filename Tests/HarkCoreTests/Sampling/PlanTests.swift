import Foundation
import HarkTesting
import HarkWire
import Testing

@testable import HarkCore

@Suite("The plan of a day")
struct PlanTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder(inMemory: true) }

    /// The number of made-up studies to compare with the reference. `HARK_STUDIES` sets another number,
    /// `HARK_STUDIES_SEED` the seed.
    private static let studies = ProcessInfo.processInfo.environment["HARK_STUDIES"].flatMap { Int($0) } ?? 4_000
    private static let seed =
        ProcessInfo.processInfo.environment["HARK_STUDIES_SEED"].flatMap { UInt64($0) }
        ?? UInt64.random(in: 0...(1 << 32))

    private static func anyPlan(_ random: inout SplitMix64) -> SamplingPlan {
        while true {
            let from = Int64(random.below(1_440))
            let window =
                random.once(in: 12)
                ? SamplingWindow.allDay : SamplingWindow(from: from, until: Int64(random.below(1_441)))
            let gap = Int64([1, 60, 300, 900, 1_800, 3_600].randomElement(using: &random) ?? 1)
            let count = 1 + random.below(12)
            let placing: SamplingPlan.Placing =
                switch random.below(4) {
                case 0: .at(Set((0..<count).map { _ in Int64(random.below(1_440)) }).sorted())
                case 1: .free(count)
                case 2:
                    .every(seconds: Int64(300 + random.below(14_400)), jitterPercent: Int64(random.below(51)))
                default: .blocks(count)
                }
            let plan = SamplingPlan(placing, window: window, gap: gap)
            if plan.fault == nil { return plan }
        }
    }

    private static func line(
        _ plan: SamplingPlan, _ date: SamplingDate, _ key: SamplingPlan.Key, _ name: String, _ zone: LocalZone
    ) -> String {
        let prompts = plan.prompts(on: date, key, in: zone).map(String.init).joined(separator: ",")
        return [key.seed, key.survey, key.participant, date.text, name, plan.text, prompts].joined(separator: "\t")
            + "\n"
    }

    private func compare(_ lines: String) throws {
        let path = folder.path + "/plans"
        try lines.write(toFile: path, atomically: true, encoding: .utf8)
        let reference = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../../packaging/samples/sampling_plan.py").path
        let pipe = try #require(popen("python3 '\(reference)' --check '\(path)' 2>&1", "r"))
        var words = ""
        var line = [CChar](repeating: 0, count: 1_024)
        while fgets(&line, 1_024, pipe) != nil {
            words += String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }
        #expect(pclose(pipe) == 0, "\(words)")
    }

    @Test("is what the reference in Python computes, for made-up studies in every zone")
    func reference() throws {
        var random = SplitMix64(state: Self.seed)
        print("\(Self.studies) studies from seed \(Self.seed)")
        let zones = try Zones.all.map { ($0, try Zones.zone($0)) }
        try #require(!zones.isEmpty)
        var lines = ""
        for number in 0..<Self.studies {
            let (name, zone) = zones[random.below(zones.count)]
            let key = SamplingPlan.Key(
                seed: "s\(random.below(1_000))", survey: "mood-\(number % 7)", participant: "p é \(random.below(1_000))"
            )
            let date = SamplingDate(number: 18_000 + Int64(random.below(5_000)))
            lines += Self.line(Self.anyPlan(&random), date, key, name, zone)
        }
        try compare(lines)
    }

    @Test("keeps window, order and gaps on every day from 2020 to 2030 on which a zone's clocks are set")
    func leaps() throws {
        var lines = ""
        var days = 0
        let key = SamplingPlan.Key(seed: "s", survey: "mood", participant: "ada")
        let night = SamplingWindow(from: 0, until: 300)
        let plans = [
            SamplingPlan(.blocks(5), window: night, gap: 900), SamplingPlan(.free(4), window: night, gap: 1_800),
            SamplingPlan(.at([30, 90, 120, 150, 180, 1_410]), window: .allDay),
            SamplingPlan(.every(seconds: 3_600, jitterPercent: 10), window: SamplingWindow(from: 1_320, until: 360)),
            SamplingPlan(.blocks(10), window: .allDay, gap: 3_600),
            SamplingPlan(.free(10), window: SamplingWindow(from: 570, until: 1_320), gap: 1_800),
        ]
        for name in Zones.all {
            let zone = try Zones.zone(name)
            for date in try Zones.leaps(name) {
                days += 1
                for plan in plans {
                    let span = plan.span(on: date, in: zone)
                    let prompts = plan.prompts(on: date, key, in: zone)
                    let words: Comment = "\(name) \(date.text) \(plan.text)"
                    // A time that the clocks skip is the moment of the leap, which may be the end of the day.
                    #expect(prompts.allSatisfy { $0 >= span.lowerBound && $0 <= span.upperBound }, words)
                    #expect(zip(prompts, prompts.dropFirst()).allSatisfy { $1 - $0 >= plan.gap }, words)
                    lines += Self.line(plan, date, key, name, zone)
                    guard plan.gap > 1, let last = prompts.last else { continue }
                    let next = plan.prompts(on: date.adding(1), key, in: zone).first ?? .max
                    #expect(next - last >= plan.gap, words)
                }
            }
        }
        #expect(days > 1_000)
        try compare(lines)
    }

    @Test("places prompts evenly: one in each block, or anywhere")
    func even() {
        func statistic(_ positions: [Double], cells: Int) -> Double {
            var counts = [Int](repeating: 0, count: cells)
            for position in positions { counts[min(cells - 1, Int(position * Double(cells)))] += 1 }
            let expected = Double(positions.count) / Double(cells)
            return counts.map { (Double($0) - expected) * (Double($0) - expected) / expected }.reduce(0, +)
        }
        let window = SamplingWindow(from: 540, until: 1_260)
        let (begin, length) = (Int64(540 * 60), Int64(720 * 60))
        let (blocks, free) = (
            SamplingPlan(.blocks(6), window: window), SamplingPlan(.free(6), window: window, gap: 1_800)
        )
        var (inBlocks, anywhere): ([Double], [Double]) = ([], [])
        for participant in 0..<40 {
            let key = SamplingPlan.Key(seed: "even", survey: "mood", participant: "p\(participant)")
            for day in 0..<100 {
                let date = SamplingDate(number: 20_000 + Int64(day))
                for (place, prompt) in blocks.prompts(on: date, key, in: .utc).enumerated() {
                    let block = length / 6
                    inBlocks.append(
                        Double(prompt - date.number * 86_400 - begin - Int64(place) * block) / Double(block))
                }
                for (place, prompt) in free.prompts(on: date, key, in: .utc).enumerated() {
                    anywhere.append(
                        Double(prompt - date.number * 86_400 - begin - Int64(place) * 1_800)
                            / Double(length - 5 * 1_800))
                }
            }
        }
        #expect(inBlocks.count == 24_000 && anywhere.count == 24_000)
        // Chi squared with 49 degrees of freedom exceeds 94 once in ten thousand times.
        #expect(statistic(inBlocks, cells: 50) < 94.0)
        #expect(statistic(anywhere, cells: 50) < 94.0)
    }

    @Test("differs by seed, survey, participant, day and window, and by nothing else")
    func fields() {
        let window = SamplingWindow(from: 540, until: 1_260)
        let plan = SamplingPlan(.free(4), window: window, gap: 60)
        func prompts(
            _ seed: String = "s", _ survey: String = "mood", _ who: String = "ada", day: Int64 = 20_000,
            by other: SamplingPlan? = nil
        ) -> [Int64] {
            (other ?? plan).prompts(
                on: SamplingDate(number: day), SamplingPlan.Key(seed: seed, survey: survey, participant: who), in: .utc
            ).map { $0 - day * 86_400 }
        }
        let one = prompts()
        #expect(one == prompts())
        let others = [
            prompts("t"), prompts("s", "moods"), prompts("s", "mood", "bob"), prompts(day: 20_001),
            prompts(by: SamplingPlan(.free(4), window: SamplingWindow(from: 541, until: 1_260), gap: 60)),
            prompts(by: SamplingPlan(.free(4), window: window, gap: 61)),
        ]
        #expect(!others.contains(one))
    }

    @Test("of a year of a thousand people with ten prompts a day takes at most ten seconds")
    func year() {
        let plan = SamplingPlan(.blocks(10), window: SamplingWindow(from: 540, until: 1_260), gap: 1_800)
        var count = 0
        let zone = LocalZone { $0.milliseconds % 31_536_000_000 < 15_000_000_000 ? 3_600_000 : 7_200_000 }
        // A debug build is many times slower, so fewer people do there.
        let people = ProcessInfo.processInfo.environment["HARK_STUDIES"] == nil ? 20 : 1_000
        let time = processorTime {
            for person in 0..<people {
                let key = SamplingPlan.Key(seed: "s", survey: "mood", participant: "p\(person)")
                for day in 0..<365 {
                    count += plan.prompts(on: SamplingDate(number: 20_454 + Int64(day)), key, in: zone).count
                }
            }
        }
        print("\(count) prompts of \(people) people planned in \(time)")
        #expect(count == people * 3_650)
        #expect(time < .seconds(10))
    }

    @Test("is refused if its window cannot hold it")
    func faults() {
        let hour = SamplingWindow(from: 540, until: 600)
        #expect(SamplingPlan(.free(3), window: hour, gap: 1_800).fault != nil)
        #expect(SamplingPlan(.free(3), window: hour, gap: 1_799).fault == nil)
        #expect(SamplingPlan(.blocks(2), window: hour, gap: 1_800).fault != nil)
        #expect(SamplingPlan(.blocks(2), window: hour, gap: 1_799).fault == nil)
        #expect(SamplingPlan(.every(seconds: 3_601, jitterPercent: 0), window: hour).fault != nil)
        #expect(SamplingPlan(.every(seconds: 60, jitterPercent: 0), window: .allDay).fault != nil)
    }
}
