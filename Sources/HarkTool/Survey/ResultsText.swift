import HarkAsking
import HarkClient
import HarkWire

/// The results of a survey for people: numbers, bars that fill the width, and the latest texts.
struct ResultsText {
    private let results: JSONText
    private let style: TextStyle
    private let columns: Int

    private static let widestLabel = 24

    /// The length of a wave, if results are grouped by time.
    private let step: TimeStep?
    /// Whether changes are those from wave to wave, and not from variant to variant.
    private let hasWaves: Bool

    init(_ results: JSONText, _ style: TextStyle, columns: Int, _ step: TimeStep? = nil) {
        self.step = step
        hasWaves = results.member("parts")?.elements.contains { $0.member("from") != nil } ?? false
        self.results = results
        self.style = style
        self.columns = max(columns, 20)
    }

    var text: String {
        var lines = [style.bold(VisibleText.make(results.member("surveyId")?.string ?? ""))] + counts
        for question in results.member("questions")?.elements ?? [] { lines += [""] + distribution(question) }
        lines += dropOff
        for part in results.member("parts")?.elements ?? [] {
            lines += ["", style.bold(name(of: part)) + "  " + summary(of: part)]
            for question in part.member("questions")?.elements ?? [] { lines += distribution(question) }
        }
        if let rest = results.member("rest")?.int, rest > 0 {
            lines += ["", "\(Plural.count(rest, "showing")) of further parts, for which there was no room"]
        }
        let texts = results.member("texts")?.elements ?? []
        if !texts.isEmpty { lines += ["", style.dim("latest texts")] + texts.flatMap { latest($0) } }
        return lines.joined(separator: "\n")
    }

    private var counts: [String] {
        let shown = results.member("shown")?.int ?? 0
        let answered = results.member("answered")?.int ?? 0
        var rows = [
            ("shown", Plural.grouped(shown)),
            ("answered", Plural.grouped(answered) + share(answered, of: shown) + people(results)),
        ]
        for word in ["dismissed", "expired", "cancelled"] as [StaticString] {
            let abandoned = word.description == "dismissed" ? results.member("abandoned")?.int ?? 0 : 0
            let words = abandoned > 0 ? ", \(Plural.grouped(abandoned)) of them abandoned" : ""
            rows.append((word.description, Plural.grouped(results.member(word)?.int ?? 0) + words))
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

    /// The number of people, because several answers of one person are not independent.
    private func people(_ results: JSONText) -> String {
        guard let people = results.member("people")?.int, people > 0 else { return "" }
        let anonymous = results.member("anonymous")?.int ?? 0
        return " by \(people == 1 ? "1 person" : "\(Plural.grouped(people)) people")"
            + (anonymous > 0 ? ", \(Plural.grouped(anonymous)) anonymously" : "")
    }

    /// The questions at which people stopped.
    private var dropOff: [String] {
        let rows = (results.member("dropOff")?.elements ?? []).map { way in
            (
                id: VisibleText.make(way.member("questionId")?.string ?? ""), seen: way.member("seen")?.int ?? 0,
                answered: way.member("answered")?.int ?? 0, left: way.member("left")?.int ?? 0
            )
        }
        guard rows.contains(where: { $0.left > 0 }) else { return [] }
        let table = rows.map {
            [label($0.id), Plural.grouped($0.seen), Plural.grouped($0.answered), Plural.grouped($0.left)]
        }
        let text = TextTable.text(
            [[columns < 50 ? "  stopped at" : "  where people stopped", "seen", "answered", "left"]]
                + table.map { ["  " + $0[0]] + $0.dropFirst() },
            style)
        return [""] + text.split(separator: "\n").map(String.init)
    }

    private func name(of part: JSONText) -> String {
        let from = part.member("from")?.string.flatMap { Timestamp($0) }
        let wave = from.map { step?.label($0) ?? LocalTime.text($0) }
        let by = part.member("by").map { $0.isNull ? "-" : VisibleText.make($0.string ?? $0.text) }
        return [by, wave].compactMap(\.self).joined(separator: "  ")
    }

    private func summary(of part: JSONText) -> String {
        let (shown, answered) = (part.member("shown")?.int ?? 0, part.member("answered")?.int ?? 0)
        return "shown \(Plural.grouped(shown)), answered \(Plural.grouped(answered))"
            + share(answered, of: shown) + people(part)
    }

    private func score(_ question: JSONText) -> String {
        var text = ""
        if let score = question.member("netPromoterScore")?.double {
            text =
                "  net promoter score \(Int(score.rounded()))"
                + interval(question.member("netPromoterInterval")) { String(Int($0.rounded())) }
                + change(question.member("change")) { String(Int($0.rounded())) }
        } else if let score = question.member("satisfactionScore")?.double {
            let whole = { (number: Double) in String(Int(number.rounded())) }
            text =
                "  \(whole(score)) % satisfied" + interval(question.member("satisfactionInterval"), whole)
                + change(question.member("change"), whole)
        } else if let mean = question.member("mean")?.double {
            text =
                "  mean \(Self.tenths(mean))" + interval(question.member("meanInterval"), Self.tenths)
                + change(question.member("change"), Self.tenths)
        }
        guard let answered = question.member("answered")?.int, answered > 0, answered < Estimate.fewest else {
            return text
        }
        return text + "  too few to generalize"
    }

    /// Formats with one decimal, and never as -0.
    static func tenths(_ number: Double) -> String {
        let tenths = Int((number * 10).rounded())
        return "\(tenths < 0 ? "-" : "")\(tenths.magnitude / 10).\(tenths.magnitude % 10)"
    }

    private func interval(_ interval: JSONText?, _ text: (Double) -> String) -> String {
        guard let low = interval?.member("low")?.double, let high = interval?.member("high")?.double else { return "" }
        return " (\(text(low)) to \(text(high)))"
    }

    private func change(_ change: JSONText?, _ text: (Double) -> String) -> String {
        guard let value = change?.member("value")?.double else { return "" }
        let sign = text(value).hasPrefix("-") ? "" : "+"
        let since = hasWaves ? "since the last" : "compared with the first"
        return ", \(sign)\(text(value)) \(since)" + interval(change, text)
    }

    private func distribution(_ question: JSONText) -> [String] {
        let id = VisibleText.make(question.member("questionId")?.string ?? "")
        let prompt = question.member("question")?.string.map { VisibleText.make($0) } ?? id
        let told = (question.member("answers")?.elements ?? [])
        if told.contains(where: { $0.member("meanRank") != nil }) { return ranking(question, told) }
        let answers = told.map { answer in
            let value = answer.member("value")
            return (
                label: label(VisibleText.make(value?.string ?? value?.text ?? "")),
                count: answer.member("count")?.int ?? 0, share: answer.member("share"), change: answer.member("change")
            )
        }
        let most = max(answers.map(\.count).max() ?? 0, 1)
        // A person with several choices counts once.
        let total = max(question.member("answered")?.int ?? answers.reduce(0) { $0 + $1.count }, 1)
        let width = answers.map { TextWidth.of($0.label) }.max() ?? 0
        let countWidth = Plural.grouped(most).utf8.count
        let hasIntervals = answers.contains { $0.share != nil }
        let room = max(1, min(columns, 100) - width - countWidth - (hasIntervals ? 26 : 13))
        let rows = answers.map { answer in
            let share = Int((Double(answer.count) * 100 / Double(total)).rounded())
            let numbers =
                aligned(Plural.grouped(answer.count), countWidth) + "  " + aligned(String(share), 3) + " %"
                + (hasIntervals ? TextWidth.padded(percents(answer.share), 13) : "")
            let bar = Self.bar(answer.count, of: most, room)
            let change = change(answer.change) { String(Int(($0 * 100).rounded())) }
            let line =
                "  \(TextWidth.padded(answer.label, width))  \(numbers)"
                + (bar.isEmpty || !change.isEmpty ? change : "  " + style.name(bar))
            return String(line.reversed().drop { $0 == " " }.reversed())
        }
        return [style.dim(prompt) + score(question)] + rows
    }

    /// The options of a ranking, the best first.
    private func ranking(_ question: JSONText, _ told: [JSONText]) -> [String] {
        let id = VisibleText.make(question.member("questionId")?.string ?? "")
        let prompt = question.member("question")?.string.map { VisibleText.make($0) } ?? id
        let rows = told.map { answer in
            (
                label: label(VisibleText.make(answer.member("value")?.string ?? "")),
                mean: answer.member("meanRank")?.double, first: answer.member("first")?.int ?? 0
            )
        }.sorted { ($0.mean ?? .infinity) < ($1.mean ?? .infinity) }
        let table = rows.map { [$0.label, $0.mean.map(Self.tenths) ?? "-", Plural.grouped($0.first)] }
        let text = TextTable.text(
            [["  " + prompt, "mean place", "first"]] + table.map { ["  " + $0[0]] + $0.dropFirst() }, style)
        return text.split(separator: "\n").map(String.init)
    }

    private func percents(_ share: JSONText?) -> String {
        interval(share) { String(Int(($0 * 100).rounded())) }
    }

    private func aligned(_ digits: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - digits.utf8.count)) + digits
    }

    private func label(_ text: String) -> String {
        let widest = min(Self.widestLabel, columns / 3)
        return TextWidth.of(text) > widest ? StyledLine(text).clipped(to: widest - 1).text + "…" : text
    }

    /// Returns a bar in eighths of a column.
    static func bar(_ count: Int64, of most: Int64, _ room: Int) -> String {
        let eighths = Int((Double(count) / Double(most) * Double(room * 8)).rounded())
        let ends = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]
        return String(repeating: "█", count: eighths / 8) + ends[eighths % 8]
    }

    /// How the same person has rated, before what was written.
    private func beside(_ text: JSONText) -> String {
        guard let value = text.member("beside")?.member("value")?.string else { return "" }
        return style.name(label(VisibleText.make(value))) + "  "
    }

    private func latest(_ text: JSONText) -> [String] {
        let at = LocalTime.text(iso: text.member("at")?.string ?? "").prefix(16)
        let words = (text.member("text")?.string ?? "").split(whereSeparator: \.isNewline)
            .map { VisibleText.make(String($0)) }
        return WordWrap.hanging(
            "  " + style.dim(String(at)) + "  " + beside(text), words.joined(separator: "\n"),
            indent: columns < 50 ? 4 : 20, columns: min(columns, 100))
    }
}
