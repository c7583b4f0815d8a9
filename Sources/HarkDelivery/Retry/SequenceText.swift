/// A compact text for many numbers: `3 1+2 4` means 3, then 4 to 6, then 10.
///
/// Each word has the distance to the previous number, and the count of numbers that follow without a gap.
enum SequenceText {
    static func of(_ sequences: some Collection<UInt64>) -> String {
        var text = ""
        var last: UInt64 = 0
        var following = 0
        var isFirst = true
        for sequence in sequences.sorted() {
            if !isFirst, sequence == last + 1 {
                following += 1
            } else {
                if following > 0 { text += "+\(following)" }
                following = 0
                text += isFirst ? "\(sequence)" : " \(sequence - last)"
            }
            (last, isFirst) = (sequence, false)
        }
        if following > 0 { text += "+\(following)" }
        return text
    }

    /// - Returns: The numbers up to the first invalid word.
    static func read(_ text: String) -> [UInt64] {
        var sequences: [UInt64] = []
        var last: UInt64 = 0
        for word in text.split(separator: " ") {
            let parts = word.split(separator: "+", maxSplits: 1)
            guard let gap = parts.first.flatMap({ UInt64($0) }),
                let following = parts.count == 1 ? 0 : UInt64(parts[1]), following <= longest
            else { break }
            let (first, isOver) = last.addingReportingOverflow(gap)
            let (end, isEndOver) = first.addingReportingOverflow(following)
            guard !isOver, !isEndOver else { break }
            sequences += first...end
            last = end
        }
        return sequences
    }

    /// A longer range is invalid, and would fill the memory.
    private static let longest: UInt64 = 1 << 20
}
