import HarkClient
import HarkTesting
import HarkWire
import Testing

@testable import HarkTool

@Suite struct ChartTests {
    @Test(
        "numbers are read at a glance",
        arguments: [
            (0, "0"), (1, "1"), (-2.5, "-2.5"), (1234.4, "1,234"), (999.6, "999.6"), (12.345, "12.35"),
            (0.001234, "0.001234"),
            (1e15, "1e15"), (-1.5e-9, "-1.5e-9"), (123_456_789.0, "123,456,789"), (.infinity, "-"),
            (-0.00012, "-0.00012"),
        ] as [(Double, String)])
    func numbers(_ number: Double, _ text: String) {
        #expect(NumberText.make(number) == text)
    }

    @Test("bars stand on 0, what is below hangs from it, and something is not nothing")
    func bars() {
        let plot = ChartPlot(buckets: 5, room: 5, widestBar: 6)
        let values: [Double?] = [0, 1, 100, nil, 50]
        #expect(plot.bars(values, 0...100, height: 2, isASCII: false) == ["  █  ", " ▁█·█"])
        #expect(plot.bars(values, 0...100, height: 2, isASCII: true) == ["  #  ", " .#.#"])
        #expect(plot.bars([-100, 100, 0, -50, 0], -100...100, height: 2, isASCII: false) == [" █   ", "█  ▀ "])
    }

    @Test("where several buckets share a column the greatest is shown, and a line has gaps where there is nothing")
    func lines() {
        let wide = ChartPlot(buckets: 100, room: 10, widestBar: 6)
        var values = [Double?](repeating: 0, count: 100)
        values[37] = 8
        #expect(wide.bars(values, 0...8, height: 1, isASCII: true) == ["   #      "])
        let plot = ChartPlot(buckets: 3, room: 3, widestBar: 1)
        #expect(plot.line([0, nil, 10], 0...10, height: 2, isASCII: true) == ["  *", "*  "])
        #expect(plot.line([0, nil, 10], 0...10, height: 1, isASCII: false) == ["⣀ ⠉"])
    }

    @Test(
        "the axis ends and counts in round numbers",
        arguments: [
            (0...768.7, 4, false, [0, 200, 400, 600, 800]), (0...3, 4, true, [0, 1, 2, 3]),
            (0...1, 4, true, [0, 1]), (0...10, 4, true, [0, 5, 10]), (0...10, 4, false, [0, 2.5, 5, 7.5, 10]),
            (40...62, 4, false, [40, 50, 60, 70]), (-30...50, 4, false, [-40, -20, 0, 20, 40, 60]),
            (0...0.003, 2, false, [0, 0.002, 0.004]), (0...1e300, 2, false, [0, 5e299, 1e300]),
        ] as [(ClosedRange<Double>, Int, Bool, [Double])])
    func scale(range: ClosedRange<Double>, most: Int, isWhole: Bool, expected: [Double]) {
        let numbers = ChartScale(range, most: most, isWhole: isWhole).numbers
        #expect(numbers.count == expected.count, "\(numbers)")
        for (number, wanted) in zip(numbers, expected) {
            #expect((number - wanted).magnitude <= 1e-9 * max(1, wanted.magnitude), "\(numbers)")
        }
    }

    @Test("whatever the values are, the axis holds them all and has few numbers")
    func anyScale() {
        var random = SplitMix64(state: 5)
        for _ in 0..<2_000 {
            let size = [1e-300, 1e-9, 1, 1e6, 1e300][random.below(5)]
            let low = Double(random.below(2_000)) * size - 1_000 * size
            let range = low...low + Double(random.below(1_000) + 1) * size
            let scale = ChartScale(range, most: 4, isWhole: random.below(2) == 0 && size == 1)
            let slack = 1e-9 * max(range.upperBound.magnitude, range.lowerBound.magnitude)
            #expect(scale.range.lowerBound <= range.lowerBound + slack, "\(range)")
            #expect(scale.range.upperBound >= range.upperBound - slack, "\(range)")
            #expect((1...5).contains(scale.steps) && scale.numbers.allSatisfy(\.isFinite), "\(range)")
        }
    }

    private func chart(days: Int, _ groups: [String] = []) throws -> Chart {
        // A Monday.
        let start = try #require(LocalTime.moment(year: 2026, month: 11, day: 2))
        let boundaries = (0...days).map { LocalTime.midnight(daysFrom: start, $0) }
        let buckets = (0..<days).map { #"{"bucket":\#($0),"count":\#($0 + 1)}"# }.joined(separator: ",")
        let cells = groups.map { #"{"by":["\#($0)"],"count":1,"buckets":[\#(buckets)]}"# }.joined(separator: ",")
        let json = JSONText(
            #"{"groups":[\#(cells)],"groupCount":\#(groups.count),"total":{"count":1,"buckets":[\#(buckets)]}}"#)
        let request = StatisticsRequest(by: groups.isEmpty ? [] : ["plan"])
        return Chart(
            Statistics(json, request, boundaries), .count, TimeStep(count: 1, unit: .day), most: 5)
    }

    @Test(
        "a terminal gets round numbers, some dates, a colour for each group and dim weekends; a pipe two ends of each axis"
    )
    func terminal() throws {
        let plain = TextStyle(coloured: false)
        let chart = try chart(days: 21)
        let text = ChartText(
            chart, plain, columns: 80, isASCII: false, isLine: false, isPlain: false
        ).text.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(
            text.filter { $0.contains("│") }.compactMap { Int($0.prefix(2).filter(\.isNumber)) } == [30, 20, 10, 0])
        #expect(
            text.last?.split(separator: " ") == ["2026-11-02", "2026-11-08", "2026-11-15", "2026-11-22"])
        let piped = ChartText(chart, plain, columns: 80, isASCII: false, isLine: false).text.split(separator: "\n")
        #expect(piped.filter { $0.contains("│") }.count == 10 && piped[1].hasPrefix("21 │"))
        #expect(piped.last?.split(separator: " ") == ["2026-11-02", "2026-11-22"])
        let styled = ChartText(
            try self.chart(days: 7, ["a", "b"]), TextStyle(coloured: true), columns: 80, isASCII: false, isLine: false,
            isPlain: false
        ).text
        for code in ["36", "33", "2;36", "2;33"] { #expect(styled.contains("\u{1B}[\(code)m"), "\(code)") }
    }
}
