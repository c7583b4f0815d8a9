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
}
