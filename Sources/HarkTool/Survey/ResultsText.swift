import HarkAsking
import HarkClient
import HarkWire

/// The results of a survey for people: numbers, bars as wide as there is room, the latest texts.
struct ResultsText {
    private let results: JSONText
    private let style: Style
    private let columns: Int

    private static let widestLabel = 24

    init(_ results: JSONText, _ style: Style, columns: Int) {
        self.results = results
        self.style = style
        self.columns = max(columns, 20)
    }

    var text: String {
        var lines = [style.bold(VisibleText.make(results.member("surveyId")?.string ?? ""))] + counts
        for question in results.member("questions")?.elements ?? [] { lines += [""] + distribution(question) }
        let texts = results.member("texts")?.elements ?? []
        if !texts.isEmpty { lines += ["", style.dim("latest texts")] + texts.flatMap { latest($0) } }
        return lines.joined(separator: "\n")
    }

    private var counts: [String] {
        let shown = results.member("shown")?.int ?? 0
        let answered = results.member("answered")?.int ?? 0
        var rows = [
            ("shown", Plural.grouped(shown)), ("answered", Plural.grouped(answered) + share(answered, of: shown)),
        ]
        for word in ["dismissed", "expired", "cancelled"] as [StaticString] {
            rows.append((word.description, Plural.grouped(results.member(word)?.int ?? 0)))
        }
        let waiting = (["scheduled", "ready", "presented"] as [StaticString]).compactMap { results.member($0)?.int }
        rows.append(("waiting", Plural.grouped(waiting.reduce(0, +))))
        if let median = results.member("medianSecondsToAnswer")?.double {
            rows.append(("median time", DurationText.make(median) + " to answer"))
        }
        return rows.map { style.dim(TextWidth.padded($0, 13)) + $1 }
    }

    private func share(_ part: Int64, of whole: Int64) -> String {
        whole > 0 ? " (\(Int((Double(part) * 100 / Double(whole)).rounded())) %)" : ""
    }

    private func distribution(_ question: JSONText) -> [String] {
        let id = VisibleText.make(question.member("questionId")?.string ?? "")
        let prompt = question.member("question")?.string.map { VisibleText.make($0) } ?? id
        let score = question.member("netPromoterScore")?.double.map {
            "  net promoter score \(Int($0.rounded()))"
        }
        let answers = (question.member("answers")?.elements ?? []).map { answer in
            let value = answer.member("value")
            return (
                label: label(VisibleText.make(value?.string ?? value?.text ?? "")),
                count: answer.member("count")?.int ?? 0
            )
        }
        let most = max(answers.map(\.count).max() ?? 0, 1)
        let total = max(answers.reduce(0) { $0 + $1.count }, 1)
        let width = answers.map { TextWidth.of($0.label) }.max() ?? 0
        let countWidth = Plural.grouped(most).utf8.count
        let room = max(1, min(columns, 100) - width - countWidth - 13)
        let rows = answers.map { answer in
            let share = Int((Double(answer.count) * 100 / Double(total)).rounded())
            let numbers = aligned(Plural.grouped(answer.count), countWidth) + "  " + aligned(String(share), 3) + " %"
            let bar = Self.bar(answer.count, of: most, room)
            return "  \(TextWidth.padded(answer.label, width))  \(numbers)"
                + (bar.isEmpty ? "" : "  " + style.name(bar))
        }
        return [style.dim(prompt) + (score ?? "")] + rows
    }

    private func aligned(_ digits: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - digits.utf8.count)) + digits
    }

    private func label(_ text: String) -> String {
        let widest = min(Self.widestLabel, columns / 3)
        return TextWidth.of(text) > widest ? StyledLine(text).clipped(to: widest - 1).text + "…" : text
    }

    /// In eighths of a column.
    static func bar(_ count: Int64, of most: Int64, _ room: Int) -> String {
        let eighths = Int((Double(count) / Double(most) * Double(room * 8)).rounded())
        let ends = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]
        return String(repeating: "█", count: eighths / 8) + ends[eighths % 8]
    }

    private func latest(_ text: JSONText) -> [String] {
        let at = LocalTime.text(iso: text.member("at")?.string ?? "").prefix(16)
        let words = (text.member("text")?.string ?? "").split(whereSeparator: \.isNewline)
            .map { VisibleText.make(String($0)) }
        let margin = 20
        let lines = words.flatMap { WordWrap.lines($0, width: max(10, min(columns, 100) - margin)) }
        return lines.enumerated().map { index, line in
            index == 0 ? "  " + style.dim(String(at)) + "  " + line : String(repeating: " ", count: margin) + line
        }
    }
}
