/// Maps the buckets of a chart to the columns of a terminal.
struct ChartPlot {
    let width: Int
    private let buckets: Int

    init(buckets: Int, room: Int, widestBar: Int) {
        self.buckets = max(1, buckets)
        let wanted = room / self.buckets
        width = wanted >= 1 ? self.buckets * min(wanted, widestBar) : room
    }

    /// The first bucket that a column shows.
    func bucket(at column: Int) -> Int { column * buckets / width }

    /// Returns the value for one of `parts` parts of the width. If buckets share it, the one furthest from 0 wins.
    private func value(_ values: [Double?], _ part: Int, of parts: Int) -> Double? {
        let first = part * buckets / parts
        let end = max(first + 1, (part + 1) * buckets / parts)
        return values[min(first, values.count)..<min(end, values.count)].compactMap(\.self)
            .max { $0.magnitude < $1.magnitude }
    }

    /// Draws bars in eighths of a row. Negative values hang from 0.
    func bars(_ values: [Double?], _ range: ClosedRange<Double>, height: Int, isASCII: Bool) -> [String] {
        let span = range.upperBound - range.lowerBound
        func level(_ value: Double) -> Double { (value - range.lowerBound) / span * Double(height) }
        let zero = level(min(max(0, range.lowerBound), range.upperBound))
        let share = width / buckets
        return (0..<height).map { row in
            let bottom = Double(height - 1 - row)
            var line = ""
            for column in 0..<width {
                // The gap between wide bars.
                if share > 2, column % share == share - 1 {
                    line.append(" ")
                    continue
                }
                guard let value = value(values, column, of: width) else {
                    line.append(row == height - 1 ? (isASCII ? "." : "·") : " ")
                    continue
                }
                line.append(ChartPlot.block(level(value), zero, bottom, isASCII: isASCII))
            }
            return line
        }
    }

    /// Returns the character for the part of a bar that lies in a row.
    private static func block(_ level: Double, _ zero: Double, _ bottom: Double, isASCII: Bool) -> Character {
        if level >= zero {
            var part = min(max(level - bottom, 0), 1)
            if bottom + 1 <= zero { part = 0 }
            // A small value is still visible.
            if level > zero, bottom <= zero, zero < bottom + 1 { part = max(part, 0.125) }
            if isASCII { return part >= 0.5 ? "#" : part > 0 ? "." : " " }
            let eighth = min(8, Int((part * 8).rounded()))
            return [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"][eighth]
        }
        // Blocks that hang from above exist only for halves.
        let part = min(max(min(zero, bottom + 1) - max(level, bottom), 0), 1)
        if part >= 0.75 { return isASCII ? "#" : "█" }
        return part > 0 ? (isASCII ? "'" : "▀") : " "
    }

    /// Draws a line of Braille dots, two by four in each cell, joined between neighbouring buckets that have values; or
    /// of stars in ASCII.
    func line(_ values: [Double?], _ range: ClosedRange<Double>, height: Int, isASCII: Bool) -> [String] {
        let (across, down) = isASCII ? (width, height) : (width * 2, height * 4)
        let span = range.upperBound - range.lowerBound
        let levels: [Int?] = (0..<across).map { part in
            value(values, part, of: across).map { value in
                let place = (1 - (value - range.lowerBound) / span) * Double(down - 1)
                return min(max(Int(place.rounded()), 0), down - 1)
            }
        }
        var dots = [Bool](repeating: false, count: across * down)
        for part in 0..<across {
            guard let level = levels[part] else { continue }
            dots[level * across + part] = true
            guard part > 0, let before = levels[part - 1], before != level else { continue }
            for between in min(before, level)...max(before, level) { dots[between * across + part] = true }
        }
        guard !isASCII else {
            return (0..<height).map { row in String((0..<width).map { dots[row * width + $0] ? "*" : " " }) }
        }
        return (0..<height).map { row in
            String(String.UnicodeScalarView((0..<width).map { ChartPlot.braille(dots, row, $0, across) }))
        }
    }

    private static func braille(_ dots: [Bool], _ row: Int, _ column: Int, _ across: Int) -> Unicode.Scalar {
        let bits: [[UInt32]] = [[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]]
        var pattern: UInt32 = 0
        for y in 0..<4 {
            for x in 0..<2 where dots[(row * 4 + y) * across + column * 2 + x] { pattern |= bits[y][x] }
        }
        return pattern == 0 ? " " : Unicode.Scalar(0x2800 + pattern) ?? " "
    }
}
