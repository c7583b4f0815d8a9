/// One line of the result.
struct Row {
    var name: String
    var hark: String
    var peer: String
    var ratio: String
    var goal: String
    var verdict: String

    /// A row whose ratio, hark to peer, has a largest or least value as its goal, or none.
    init(_ name: String, hark: String, peer: String, ratio: Double, goal: Goal = .none) {
        self.name = name
        self.hark = hark
        self.peer = peer
        self.ratio = text(ratio) + " ×"
        switch goal {
        case .none: (self.goal, verdict) = ("", "")
        case .ratioAtMost(let bound): (self.goal, verdict) = ("≤ \(text(bound)) ×", Row.verdict(ratio <= bound))
        case .ratioAtLeast(let bound): (self.goal, verdict) = ("≥ \(text(bound)) ×", Row.verdict(ratio >= bound))
        case .met(let words, let isMet): (self.goal, verdict) = (words, Row.verdict(isMet))
        }
    }

    /// A row without a peer.
    init(_ name: String, hark: String, goal: Goal) {
        self.init(name, hark: hark, peer: "", ratio: 0, goal: goal)
        ratio = ""
    }

    enum Goal {
        case none
        case ratioAtMost(Double)
        case ratioAtLeast(Double)
        case met(String, Bool)
    }

    private static func verdict(_ isMet: Bool) -> String { isMet ? "met" : "missed" }

    fileprivate var cells: [String] { [name, hark, peer, ratio, goal, verdict] }
}

/// The rows as a table in Markdown.
func table(_ rows: [Row]) -> String {
    let lines = [["", "hark", "peer", "ratio", "goal", ""]] + rows.map(\.cells)
    let widths = (0..<6).map { column in lines.map { $0[column].count }.max() ?? 0 }
    func line(_ cells: [String]) -> String {
        let padded = zip(cells, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
        return "| " + padded.joined(separator: " | ") + " |"
    }
    let rule = "|" + widths.map { String(repeating: "-", count: $0 + 2) }.joined(separator: "|") + "|"
    return ([line(lines[0]), rule] + lines[1...].map(line)).joined(separator: "\n")
}
